"""Each line of PostgreSQL's signatures, with columns full of values at the ends of what it takes."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal
from functools import partial

import psycopg
from postgres_items import UNITS, Item, items_of
from sqlalchemy.engine import make_url
from stored_values import Check, Line, counts, digits, lines_of, template

from querent.grammar.lr.functions import AGGREGATES
from querent.grammar.types.abstract_values import NONNEGATIVE, NONZERO, NULL, NUMBERS, AbstractValue
from querent.grammar.types.dialect import load_types
from querent.grammar.types.signatures import Signature

TYPES = {wide: load_types("postgres", wide=wide) for wide in (False, True)}
MAX_COMBINATIONS = 150
PG_TYPES = {
    "bool": {"boolean"},
    "dec": {"numeric"},
    "float": {"double precision", "real"},
    "text": {"text", "character varying", "character", "name"},
    "date": {"date"},
    "time": {"time without time zone"},
    "stamp": {"timestamp without time zone", "timestamp with time zone"},
    "span": {"interval"},
    "blob": {"bytea"},
    "uuid": {"uuid"},
    **{key: {"jsonb"} for key in ("closed", "list", "object")},
    "array": {"ARRAY"},
    "small": {"smallint"},
    "texts": {"ARRAY"},
    "integers": {"ARRAY"},
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
    expected, pg_type = PG_TYPES.get(type_), "ARRAY" if pg_type.endswith("[]") else pg_type
    if type_ == "int":
        expected = {"integer"} if magnitude <= 10 else {"bigint"}
        expected = expected if magnitude < 19 else {"integer", "bigint", "numeric"}
    if expected is not None and pg_type not in expected:
        return f"is {pg_type}"
    if text is None or type_ not in {"int", "dec", "float"}:
        return None
    number = Decimal(text)
    size = number.copy_abs() if number.is_finite() else Decimal(10) ** 270  # abs() would round; infinity is any number
    least = Decimal(10) ** -magnitude * (1 - Decimal(10) ** -12)  # as doubles are rounded
    # what is not whole may be rounded up to the power of ten itself
    if not (size < Decimal(10) ** magnitude if type_ == "int" else size <= Decimal(10) ** magnitude):
        return f"is {text}"
    if type_ != "int" and 0 < size < least:
        return f"is as small as {text}"
    if (marks & NONNEGATIVE and number < 0) or (marks & NONZERO and number == 0):
        return f"is {text}"
    return None


def _refusal(line: Line, signature: Signature, values: Sequence[AbstractValue]) -> bool:
    limit = TYPES[line.wide].limits.get(TYPES[line.wide].result(signature, values))
    return limit is not None and digits(signature, values, line.operator) > limit


# ---- the lines


def _templates(line: Line, items: Sequence[Item]) -> list[str]:
    """Return the ways to write a call: with units of time, and sizes that any value fits into once it is rounded."""
    if line.terminal == "EXTRACT":
        units = UNITS if len(items) == 1 else (items[0].constant.strip("'"),)
        return [f"EXTRACT({unit} FROM {{{len(items) - 1}}})" for unit in units]
    if (line.table, line.name) == ("casts", "NUMERIC"):
        return [f"CAST({{0}} AS NUMERIC{sizes})" for sizes in ("", "(1000, 0)", "(1000, 1)")]
    return template(line, len(items))


def _first(line: Line, values: Sequence[AbstractValue], *, nulls: bool) -> Signature | None:
    types = TYPES[line.wide]
    return next((s for s in line.signatures if types.takes(s, values, nulls=nulls) and s.keeps(values)), None)


def _combinations(line: Line, signature: Signature) -> list[tuple[Item, ...]]:
    found: list[tuple[Item, ...]] = []
    for count in counts(signature):
        able = [items_of(signature.at(i), TYPES[line.wide]) for i in range(count)]
        able = [[x for x in some if x.constant or not line.takes_constant(i)] for i, some in enumerate(able)]
        if line.name == "COLLATE":  # a literal stays what it is
            able = [[x for x in some if not x.constant] for some in able]
        most = MAX_COMBINATIONS if count < 3 else MAX_COMBINATIONS // 6
        if (several := math.prod(map(len, able))) <= most:
            found += itertools.product(*able)
        else:  # a number stands for each combination, as there may be millions
            found += [_combination(able, n) for n in random.Random(7).sample(range(several), most)]
    return found


def _combination(able: Sequence[Sequence[Item]], number: int) -> tuple[Item, ...]:
    found: list[Item] = []
    for some in able:
        number, place = divmod(number, len(some))
        found.append(some[place])
    return tuple(found)


def check(server: Server, line: Line, signature: Signature) -> list[str]:
    types = TYPES[line.wide]
    ran, refused, problems = 0, 0, []
    for items in _combinations(line, signature):
        values = [item.value for item in items]
        if _first(line, values, nulls=False) is not signature:
            continue
        over = _refusal(line, signature, values)
        type_ = types.result(signature, values)
        magnitude = digits(signature, values, line.operator)
        for written in _templates(line, items):
            try:
                rows = server.run(written, items, aggregate=line.terminal in AGGREGATES)
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


def beside_null(server: Server, line: Line) -> list[str]:
    """Tell which promises an operator breaks beside NULL."""
    problems: list[str] = []
    items = {
        item
        for s in line.signatures
        for a in s.arguments
        for item in items_of(a, TYPES[line.wide])
        if not item.value.kinds
    }
    for item, swapped in itertools.product(sorted(items, key=str), (False, True)):
        pair = [item, Item(NULL, constant="NULL")]
        pair = pair[::-1] if swapped else pair
        values = [i.value for i in pair]
        signature = _first(line, values, nulls=True)
        if item.value.type == "null" or signature is None or _refusal(line, signature, values):
            continue
        magnitude = digits(signature, values, line.name)
        try:
            rows = server.run(template(line, 2)[0], pair, aggregate=False)
        except Failed as failed:
            problems.append(str(failed))
            continue
        type_ = TYPES[line.wide].result(signature, values)
        # nothing can be made of NULL that overflows, so one type of number is as good as another
        if type_ in NUMBERS and item.value.type in NUMBERS:
            continue
        problems += [f"{item} {b}, not {type_}" for row in rows if (b := _broken(type_, magnitude, 0, *row))][:1]
    return problems


_ALL = [line for wide in (False, True) for line in lines_of("postgres", wide=wide)]
LINES: dict[str, Check] = {
    f"{line.title} {one.text}": partial(check, line=line, signature=one) for line in _ALL for one in line.held
} | {
    f"NULL beside {line.title}": partial(beside_null, line=line)
    for line in _ALL
    if line.operator and len(line.signatures[0].arguments) == 2
}
"""By name, what tells an engine's breaches of the promise."""
