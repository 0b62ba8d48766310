"""Each line of PostgreSQL's signatures, with columns full of values at the ends of what it takes."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal

import psycopg
import pytest
from servers import fresh_database, url_of

from querent.grammar.dialect_types import load_types
from querent.grammar.functions import load_functions
from querent.grammar.signatures import Argument, Signature
from querent.grammar.values import LITERAL, NONNEGATIVE, NONZERO, NULL, NUMBERS, Value

TYPES = load_types("postgres")
FUNCTIONS = load_functions("postgres")
UNITS = ("SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "EPOCH", "DOW", "DOY")
MOST_COMBINATIONS = 150

LITERALS = {
    "day": ["2024-02-29", "1000-01-01", "9999-12-31"],
    "stamp": ["2024-02-29 23:59:59", "1000-01-01 00:00", "9999-12-31 12:00:00.123456"],
    "clock": ["00:00", "23:59:59", "12:00:00.5"],
    "uuid": ["00000000-0000-0000-0000-000000000001", "A0eebc99-9c0B-4ef8-bb6d-6bb9bd380a11"],
    "span": ["99 years", "-999 months", "9999 hours", "7 DAY", "23:59"],
    "like": ["", "%", "_%", "a", "it''s", "%%_"],
    "character": ["\\"],
    "similar": ["", "%", "(a|b)%", "a-b", "it''s%"],
    "regex": ["", "^a$", "[a-z]+x?", "(ab|c)*", "a.b", "\\d+", "it''s"],
    "short": ["", "b", "it''s", "x" * 20, "\\"],
    "field": [unit.lower() for unit in UNITS],
    "date_field": ["day", "WEEK", "month", "quarter", "year", "epoch", "dow", "doy"],
    "time_field": ["second", "minute", "hour", "epoch"],
    "span_field": ["second", "minute", "hour", "day", "month", "quarter", "year", "epoch"],
    "step": ["second", "minute", "hour", "day", "week", "month", "quarter", "year"],
    "span_step": ["second", "minute", "hour", "day", "month", "quarter", "year"],
    "moment_format": ["YYYY-MM-DD HH24:MI:SS", "Day, DD Month YYYY", "IYYY-IW Q", "AM HH12"],
    "number_format": ["999", "FM9,990.00", "0", "9,999.999999"],
    "day_format": ["YYYY-MM-DD"],
    "stamp_format": ["YYYY-MM-DD HH24:MI:SS", "YYYY-MM-DD HH24:MI", "YYYY-MM-DD"],
}
OTHERS = {
    "bool": [("boolean", ["true", "false"])],
    "time": [("time", ["00:00", "23:59:59.999999", "12:00"])],
    "blob": [("bytea", ["", "abc", "\\xff00"])],
    "uuid": [("uuid", ["00000000-0000-0000-0000-000000000001", "ffffffff-ffff-ffff-ffff-ffffffffffff"])],
    "other": [
        *(("json", ['{"a": [1]}', "null"]), ("integer[]", ["{1,NULL}", "{}"]), ("point", ["(1,2)"])),
        *(("timetz", ["12:00+02"]), ("money", ["1"])),
    ],
}
PG_TYPES = {
    "bool": {"boolean"},
    "dec": {"numeric"},
    "float": {"double precision", "real"},
    "text": {"text", "character varying", "character"},
    "date": {"date"},
    "time": {"time without time zone"},
    "stamp": {"timestamp without time zone", "timestamp with time zone"},
    "span": {"interval"},
    "blob": {"bytea"},
    "uuid": {"uuid"},
}


@dataclass(frozen=True)
class Item:
    """What may stand in an argument: a column of a type with some values, or a constant."""

    value: Value
    column: str = ""
    values: tuple[str, ...] = ()
    constant: str = ""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Return a connection to an empty database."""
    with fresh_database(url_of("postgres")) as url, closing(psycopg.connect(_plain(url), autocommit=True)) as found:
        yield Server(found)


def _plain(url: str) -> str:
    return url.replace("+psycopg", "")


class Server:
    """Runs expressions over columns, which it makes when they are first needed."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self.connection = connection
        self._tables: dict[Item, str] = {}

    def run(self, expression: str, items: Sequence[Item], *, aggregate: bool) -> list[tuple[str, str | None]]:
        """Return the type and text of each result; ``expression`` names its arguments ``{0}``, ``{1}``…"""
        named = [item.constant or f"t{i}.v" for i, item in enumerate(items)]
        tables = [f"{self._table(item)} AS t{i}" for i, item in enumerate(items) if not item.constant]
        called = expression.format(*named)
        source = f" FROM {', '.join(tables)}" if tables else ""
        found = self._rows(f"SELECT pg_typeof({called})::text, ({called})::text{source}")
        if aggregate and tables:
            groups = ", ".join(f"{name}::text" for name in named if name.endswith(".v"))
            found += self._rows(f"SELECT pg_typeof({called})::text, ({called})::text{source} GROUP BY {groups}")
        return found

    def _rows(self, sql: str) -> list[tuple[str, str | None]]:
        try:
            return self.connection.execute(sql.encode()).fetchall()
        except psycopg.Error as error:
            raise Failed(f"{sql[:300]}: {str(error).splitlines()[0][:200]}") from None

    def _table(self, item: Item) -> str:
        if item not in self._tables:
            name = f"v{len(self._tables)}"
            self.connection.execute(f"CREATE TEMP TABLE {name} (v {item.column})".encode())
            with self.connection.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN".encode()) as copy:
                for text in (*item.values, None):
                    copy.write_row([text])
            self._tables[item] = name
        return self._tables[item]


class Failed(Exception):
    """A query that should have run."""


# ---- what may stand in an argument


def _items(argument: Argument) -> list[Item]:
    if argument.kind is not None:
        kinds = frozenset({argument.kind})
        return [Item(Value("text", 0, LITERAL, kinds), constant=f"'{t}'") for t in LITERALS[argument.kind]]
    return [item for type_ in sorted(argument.types - {"any"}) for item in _of_type(type_, argument)]


def _of_type(type_: str, argument: Argument) -> Iterator[Item]:
    digits, marks = argument.digits, argument.marks
    match type_:
        case "null":
            yield Item(NULL, constant="NULL")
        case "int":
            most = min(18, 18 if digits is None else digits)
            for count in sorted({d for d in (1, 2, 5, 9, 10, 11, 15, most) if d <= most}):
                yield from _integers(count, marks)
            if digits is None:
                yield Item(Value("int", 19, LITERAL | NONNEGATIVE | NONZERO), constant="999999999999")
        case "dec":
            for count in [digits] if digits is not None else [1, 20, 40, 120, 250]:
                texts = [f"{'9' * count}", f"{'9' * count}.{'9' * count}", f"0.{'0' * (count - 1)}1", "1.5", "1", "2"]
                yield _numbers("dec", count, "numeric", texts, marks)
        case "float":
            for count in [digits] if digits is not None else [1, 30, 100, 200, 250]:
                texts = [
                    f"9.9e{count - 1}",
                    f"1e{-count}",
                    f"1.0000000000000002e{-count}",
                    "1.5",
                    "1",
                    "3.141592653589793",
                ]
                yield _numbers("float", count, "float8", texts, marks)
            if digits is None or digits >= 140:
                yield _numbers("float", 140, "real", ["9.9e29", "1e-30", "1.0000001e-30", "1.5", "1"], marks)
        case "text":
            texts = ["", " ", "abc", "it's", "%", "a_b", "\\", "a\\", "日本", "1", "2024-13-45", "x" * 300]
            yield Item(Value("text"), "text", tuple(texts))
            yield Item(Value("text"), "char(5)", ("", "ab", "it's"))
            yield Item(Value("text", 0, LITERAL), constant="'it''s'")
            if digits is None:
                yield Item(Value("text", 3), "text", ("", "x" * 3000))
        case "date" | "stamp":
            for depth in (0, 3) if digits is None else (digits,):
                ends = [f"{1000 - 100 * depth:04}-01-01", f"{9999 + 100 * depth}-12-31", "2024-02-29"]
                yield Item(Value(type_, depth), "date" if type_ == "date" else "timestamp", tuple(ends))
                if type_ == "stamp":
                    yield Item(Value(type_, depth), "timestamptz", tuple(ends))
        case "span":
            yield Item(
                Value("span", 0), "interval", ("99 years", "-99 years", "36000 days", "-1 day 3 hours", "0", "800000 h")
            )
            if digits is None:
                yield Item(Value("span", 9), "interval", ("9999 years", "-9999 years", "3650000 days", "0"))
        case _:
            for column, values in OTHERS[type_]:
                yield Item(Value(type_), column, tuple(values))


def _integers(count: int, marks: int) -> Iterator[Item]:
    if count == 10:
        yield _numbers("int", 10, "integer", ["2147483647", "32767", "1", "7"], marks)
        yield _numbers("int", 10, "smallint", ["32767", "1", "7"], marks)
    else:
        yield _numbers("int", count, "integer" if count < 10 else "bigint", ["9" * count, "1", "7"], marks)
    if count < 10:
        yield Item(Value("int", count, LITERAL | NONNEGATIVE | NONZERO), constant="9" * count)


def _numbers(type_: str, digits: int, column: str, texts: Sequence[str], marks: int) -> Item:
    signed = [*texts] if marks & NONNEGATIVE else [*texts, *(f"-{text}" for text in texts)]
    return Item(Value(type_, digits, marks), column, (*signed, *(() if marks & NONZERO else ("0",))))


# ---- what a line promises


def _digits(name: str, signature: Signature, values: Sequence[Value], *, operator: bool) -> int:
    if signature.digits is not None:
        return signature.digits
    digits = [value.digits for value in values]
    if operator and len(digits) == 2:
        match name:
            case "+" | "-":
                return max(digits) + 1
            case "*" | "/":
                return sum(digits)
            case "%":
                return digits[1]
            case _:
                pass
    return max(digits, default=0)


def _broken(type_: str, digits: int, marks: int, pg_type: str, text: str | None) -> str | None:
    """Say which promise a result breaks."""
    expected = PG_TYPES.get(type_)
    if type_ == "int":
        small = digits <= 9
        expected = {"integer"} if small else {"integer", "smallint"} if digits == 10 else {"bigint"}
        expected = expected if digits < 19 else {"integer", "bigint", "numeric"}
    if expected is not None and pg_type not in expected:
        return f"is {pg_type}"
    if text is None or type_ not in {"int", "dec", "float"}:
        return None
    number = Decimal(text)
    size = number.copy_abs()  # abs() would round
    # a float is rounded up to the power of ten itself
    if not (size <= Decimal(10) ** digits if type_ == "float" else size < Decimal(10) ** digits):
        return f"is {text}"
    if type_ != "int" and 0 < size < Decimal(10) ** -digits:
        return f"is as small as {text}"
    if (marks & NONNEGATIVE and number < 0) or (marks & NONZERO and number == 0):
        return f"is {text}"
    return None


def _refusal(name: str, signature: Signature, values: Sequence[Value], *, operator: bool) -> bool:
    limit = TYPES.limits.get(TYPES.result(signature, values))
    return limit is not None and _digits(name, signature, values, operator=operator) > limit


# ---- the test


def _template(table: str, name: str, count: int, unit: str = "") -> str:
    holes = [f"{{{i}}}" for i in range(count)]
    if table == "casts":
        return f"CAST({holes[0]} AS {name})"
    if table == "operators":
        return f"- {holes[0]}" if name == "neg" else f"({holes[0]} {name} {holes[1]})"
    match FUNCTIONS[name].terminal:
        case "NILADIC":
            return name
        case "EXTRACT":
            return f"EXTRACT({unit} FROM {holes[-1]})"
        case "POSITION":
            return f"POSITION({holes[0]} IN {holes[1]})"
        case _:
            return f"{name}({', '.join(holes)})"


def _shapes(signature: Signature) -> Iterator[tuple[Argument, ...]]:
    """Yield the arguments with those that may be left out, and once more those that may come again."""
    required = [a for a in signature.arguments if not a.optional]
    for count in range(len(required), len(signature.arguments) + 1):
        yield signature.arguments[:count]
    if signature.arguments and signature.arguments[-1].many:
        yield (*signature.arguments, signature.arguments[-1])


def _first(signatures: Sequence[Signature], values: Sequence[Value], *, nulls: bool) -> Signature | None:
    return next((s for s in signatures if TYPES.takes(s, values, nulls=nulls) and TYPES.keeps(s, values)), None)


def _combinations(signature: Signature) -> list[tuple[Item, ...]]:
    found: list[tuple[Item, ...]] = []
    for shape in _shapes(signature):
        several = list(itertools.product(*(_items(a) for a in shape)))
        most = MOST_COMBINATIONS if len(shape) < 3 else MOST_COMBINATIONS // 6
        found += several if len(several) <= most else random.Random(7).sample(several, most)
    return found


LINES = [
    *(("operators", name, s) for name, several in TYPES.operators.items() for s in several),
    *(("functions", name, s) for name, several in TYPES.functions.items() for s in several),
    *(("casts", name, s) for name, several in TYPES.casts.items() for s in several),
]


@pytest.mark.parametrize(("table", "name", "signature"), LINES, ids=[f"{n} {s.text}" for _, n, s in LINES])
def test_a_line_keeps_its_promises(server: Server, table: str, name: str, signature: Signature) -> None:
    signatures = getattr(TYPES, table)[name]
    aggregate = table == "functions" and FUNCTIONS[name].aggregate
    ran, refused, problems = 0, 0, []
    for items in _combinations(signature):
        values = [item.value for item in items]
        if _first(signatures, values, nulls=False) is not signature:
            continue
        over = _refusal(name, signature, values, operator=table == "operators")
        type_ = TYPES.result(signature, values)
        digits = _digits(name, signature, values, operator=table == "operators")
        units = UNITS if name == "EXTRACT" and len(items) == 1 else (items[0].constant.strip("'") if items else "",)
        for unit in units:
            try:
                rows = server.run(_template(table, name, len(items), unit), items, aggregate=aggregate)
            except Failed as failed:
                refused += over
                problems += [] if over else [str(failed)]
                continue
            if over:
                continue
            ran += 1
            found = {_broken(type_, digits, signature.marks, *row) for row in rows} - {None}
            problems += [f"{[i.constant or i.column for i in items]} {sorted(map(str, found))[:3]}"] if found else []
    assert problems == []
    assert ran or refused, "no arguments reach this line"


@pytest.mark.parametrize("name", [name for name in TYPES.operators if name != "neg"])
def test_an_operator_beside_null(server: Server, name: str) -> None:
    problems: list[str] = []
    items = {item for s in TYPES.operators[name] for a in s.arguments for item in _items(a) if not item.value.kinds}
    for item, swapped in itertools.product(sorted(items, key=str), (False, True)):
        pair = [item, Item(NULL, constant="NULL")]
        pair = pair[::-1] if swapped else pair
        values = [i.value for i in pair]
        signature = _first(TYPES.operators[name], values, nulls=True)
        if item.value.type == "null" or signature is None or _refusal(name, signature, values, operator=True):
            continue
        digits = _digits(name, signature, values, operator=True)
        try:
            rows = server.run(_template("operators", name, 2), pair, aggregate=False)
        except Failed as failed:
            problems.append(str(failed))
            continue
        type_ = TYPES.result(signature, values)
        # nothing can be made of NULL that overflows, so one type of number is as good as another
        if type_ in NUMBERS and item.value.type in NUMBERS:
            continue
        problems += [f"{item} {b}, not {type_}" for row in rows if (b := _broken(type_, digits, 0, *row))][:1]
    assert problems == []


def test_every_function_of_the_grammar_has_signatures() -> None:
    assert sorted(set(FUNCTIONS) - set(TYPES.functions) - {"CAST"}) == []
    assert sorted(set(TYPES.functions) - set(FUNCTIONS)) == []


# ---- literals

DATES = [
    f"{year}-{month:02}-{day:02}"
    for year in (1000, 1900, 2000, 2023, 2024, 2100, 9996, 9999)
    for month in range(14)
    for day in range(33)
]
CLOCKS = [
    f"{h:02}:{m:02}{s}" for h in (0, 9, 19, 23, 24) for m in (0, 59, 60) for s in ("", ":00", ":59", ":60", ":1.5")
]
SPANS = [
    f"{n} {u}{s}"
    for n in (0, 1, -9, 99, 999, 9999, 99999)
    for u in ("year", "MONTH", "week", "hour")
    for s in ("", "s")
]
READ = {
    "day": ("CAST(x AS DATE)", [*DATES, "2024-02-29 10:00:00"]),
    "stamp": ("CAST(x AS TIMESTAMP)", [f"2024-02-29 {clock}" for clock in CLOCKS] + [f"{d} 10:00" for d in DATES]),
    "clock": ("CAST(x AS TIME)", CLOCKS),
    "span": ("CAST(x AS INTERVAL)", [*SPANS, *CLOCKS, "3 dayss", "1 day 2 hours"]),
}
PATTERNS = {"like": "a_%\\ [(", "similar": "ab_%()|\\-.[{", "regex": "ab0()|[]^$*+?.\\d-{a"}


@pytest.mark.parametrize("kind", sorted(READ))
def test_literals_of_a_kind_are_read(server: Server, kind: str) -> None:
    expression, texts = READ[kind]
    fit = [text for text in texts if kind in TYPES.literal_kinds(text)]
    assert 0 < len(fit) < len(texts)
    server.connection.execute(f"SELECT {expression} FROM unnest(%s::text[]) AS x".encode(), [fit])


@pytest.mark.parametrize(("kind", "operator"), [("like", "LIKE"), ("similar", "SIMILAR TO"), ("regex", "~")])
def test_patterns_of_a_kind_are_valid(server: Server, kind: str, operator: str) -> None:
    rng = random.Random(7)
    texts = {"".join(rng.choices(PATTERNS[kind], k=rng.randrange(8))) for _ in range(40_000)}
    fit = [text for text in sorted(texts) if kind in TYPES.literal_kinds(text)]
    assert 50 < len(fit) < len(texts)
    for text in ("ab a0-b", "((("):
        query = f"SELECT count(*) FROM unnest(%s::text[]) AS x WHERE %s::text {operator} x"
        server.connection.execute(query.encode(), [fit, text])


@pytest.mark.parametrize(
    ("kind", "value"), [("moment_format", "now()"), ("number_format", "-1234.5"), ("number_format", "7")]
)
def test_formats_of_a_kind_are_valid(server: Server, kind: str, value: str) -> None:
    parts = ["YYYY", "MM", "Mon", "DD", "HH24", "MI", "FM", "Q", "IW", "-", " ", "9", "0", ",", ".", "99", "00"]
    rng = random.Random(7)
    texts = {"".join(rng.choices(parts, k=rng.randrange(7))) for _ in range(20_000)}
    fit = [text for text in sorted(texts) if kind in TYPES.literal_kinds(text)]
    assert 50 < len(fit) < len(texts)
    server.connection.execute(f"SELECT to_char({value}, x) FROM unnest(%s::text[]) AS x".encode(), [fit])
