"""Each line of PostgreSQL's signatures, with columns full of values at the ends of what it takes."""

from __future__ import annotations

import itertools
import random
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal
from functools import partial

import psycopg
from postgres_items import UNITS, Item, items_of
from sqlalchemy.engine import make_url
from stored_values import Check, counts, digits

from querent.grammar.lr.functions import AGGREGATES, load_functions
from querent.grammar.types.abstract_values import NONNEGATIVE, NONZERO, NULL, NUMBERS, AbstractValue
from querent.grammar.types.dialect import load_types
from querent.grammar.types.signatures import Signature

TYPES = load_types("postgres")
FUNCTIONS = load_functions("postgres")
MAX_COMBINATIONS = 150
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


@contextmanager
def opened(url: str | None) -> Generator[Server]:
    """Open a database that makes columns as they are needed."""
    plain = make_url(url or "").set(drivername="postgresql").render_as_string(hide_password=False)
    with closing(psycopg.connect(plain, autocommit=True)) as connection:
        yield Server(connection)


class Server:
    """Runs expressions over columns, which it makes when they are first needed."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self.connection = connection
        self._tables: dict[Item, str] = {}
        connection.execute("CREATE TYPE phase AS ENUM ('new', 'it''s')")

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


# ---- what a line promises


def _broken(type_: str, magnitude: int, marks: int, pg_type: str, text: str | None) -> str | None:
    """Say which promise a result breaks."""
    expected = PG_TYPES.get(type_)
    if type_ == "int":
        small = magnitude <= 9
        expected = {"integer"} if small else {"integer", "smallint"} if magnitude == 10 else {"bigint"}
        expected = expected if magnitude < 19 else {"integer", "bigint", "numeric"}
    if expected is not None and pg_type not in expected:
        return f"is {pg_type}"
    if text is None or type_ not in {"int", "dec", "float"}:
        return None
    number = Decimal(text)
    size = number.copy_abs() if number.is_finite() else Decimal(10) ** 270  # abs() would round; infinity is any number
    # what is not whole may be rounded up to the power of ten itself
    if not (size < Decimal(10) ** magnitude if type_ == "int" else size <= Decimal(10) ** magnitude):
        return f"is {text}"
    if type_ != "int" and 0 < size < Decimal(10) ** -magnitude:
        return f"is as small as {text}"
    if (marks & NONNEGATIVE and number < 0) or (marks & NONZERO and number == 0):
        return f"is {text}"
    return None


def _refusal(signature: Signature, values: Sequence[AbstractValue], operator: str) -> bool:
    limit = TYPES.limits.get(TYPES.result(signature, values))
    return limit is not None and digits(signature, values, operator) > limit


# ---- the lines


def _template(table: str, name: str, count: int, unit: str = "") -> str:
    holes = [f"{{{i}}}" for i in range(count)]
    if table == "casts":
        return f"CAST({holes[0]} AS {name}{unit})"
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


def _units(table: str, name: str, items: Sequence[Item]) -> Sequence[str]:
    """Return what else a template takes: units of time, or sizes that any value fits into once it is rounded."""
    if table == "casts":
        return ("", "(1000, 0)", "(1000, 1)") if name == "NUMERIC" else ("",)
    return UNITS if name == "EXTRACT" and len(items) == 1 else (items[0].constant.strip("'") if items else "",)


def _first(signatures: Sequence[Signature], values: Sequence[AbstractValue], *, nulls: bool) -> Signature | None:
    return next((s for s in signatures if TYPES.takes(s, values, nulls=nulls) and s.keeps(values)), None)


def _combinations(signature: Signature) -> list[tuple[Item, ...]]:
    found: list[tuple[Item, ...]] = []
    for count in counts(signature):
        shape = (*signature.arguments, *signature.arguments[-1:])[:count]
        several = list(itertools.product(*(items_of(a) for a in shape)))
        most = MAX_COMBINATIONS if len(shape) < 3 else MAX_COMBINATIONS // 6
        found += several if len(several) <= most else random.Random(7).sample(several, most)
    return found


def check(server: Server, table: str, name: str, signature: Signature) -> list[str]:
    signatures = getattr(TYPES, table)[name]
    aggregate = table == "functions" and FUNCTIONS[name].terminal in AGGREGATES
    operator = name if table == "operators" else ""
    ran, refused, problems = 0, 0, []
    for items in _combinations(signature):
        values = [item.value for item in items]
        if _first(signatures, values, nulls=False) is not signature:
            continue
        over = _refusal(signature, values, operator)
        type_ = TYPES.result(signature, values)
        magnitude = digits(signature, values, operator)
        for unit in _units(table, name, items):
            try:
                rows = server.run(_template(table, name, len(items), unit), items, aggregate=aggregate)
            except Failed as failed:
                refused += over
                problems += [] if over else [str(failed)]
                continue
            if over:
                continue
            ran += 1
            found = {_broken(type_, magnitude, signature.marks, *row) for row in rows} - {None}
            problems += [f"{[i.constant or i.column for i in items]} {sorted(map(str, found))[:3]}"] if found else []
    return problems if ran or refused else [*problems, "no arguments reach this line"]


def beside_null(server: Server, name: str) -> list[str]:
    """Tell which promises an operator breaks beside NULL."""
    problems: list[str] = []
    items = {item for s in TYPES.operators[name] for a in s.arguments for item in items_of(a) if not item.value.kinds}
    for item, swapped in itertools.product(sorted(items, key=str), (False, True)):
        pair = [item, Item(NULL, constant="NULL")]
        pair = pair[::-1] if swapped else pair
        values = [i.value for i in pair]
        signature = _first(TYPES.operators[name], values, nulls=True)
        if item.value.type == "null" or signature is None or _refusal(signature, values, name):
            continue
        magnitude = digits(signature, values, name)
        try:
            rows = server.run(_template("operators", name, 2), pair, aggregate=False)
        except Failed as failed:
            problems.append(str(failed))
            continue
        type_ = TYPES.result(signature, values)
        # nothing can be made of NULL that overflows, so one type of number is as good as another
        if type_ in NUMBERS and item.value.type in NUMBERS:
            continue
        problems += [f"{item} {b}, not {type_}" for row in rows if (b := _broken(type_, magnitude, 0, *row))][:1]
    return problems


LINES: dict[str, Check] = {
    f"{table.removesuffix('s')} {name} {one.text}": partial(check, table=table, name=name, signature=one)
    for table in ("operators", "functions", "casts")
    for name, several in getattr(TYPES, table).items()
    for one in several
} | {f"NULL beside {name}": partial(beside_null, name=name) for name in TYPES.operators if name != "neg"}
"""By name, what tells an engine's breaches of the promise."""
