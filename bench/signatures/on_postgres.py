"""Every line of types/postgres.toml, held against PostgreSQL with columns of values at the ends of what it takes."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal
from functools import partial
from typing import Any

import psycopg
from lines import Lines
from postgres_items import UNITS, items_of
from sqlalchemy.engine import make_url
from stored_values import Case, Check, Line, Spec, digits, sources, tables, template

from querent.grammar.lr.functions import AGGREGATES
from querent.grammar.types.abstract_values import LITERAL, NONNEGATIVE, NONZERO, NULL, NUMBERS, AbstractValue
from querent.grammar.types.signatures import Argument

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


class PostgresLines(Lines):
    """Beside the promises of every dialect: of which type a result is, alone and beside NULL."""

    most = 150

    def __init__(self, dialect: str, *, wide: bool = False) -> None:
        super().__init__(dialect, wide=wide)
        arguments = {argument: None for line in self.lines for held in line.held for argument in held.arguments}
        self.specs = tuple(dict.fromkeys(spec for argument in arguments for spec in self.able(argument)))

    def able(self, argument: Argument) -> Sequence[Spec]:
        """Return what may stand in an argument: columns with values at the ends of its range, and constants."""
        return items_of(argument, self.types)

    def checks(self) -> dict[str, Check]:
        """Return, by name, what tells an engine's breaches of the promise."""
        pairs = (line for line in self.lines if line.operator and len(line.signatures[0].arguments) == 2)
        return super().checks() | {f"NULL beside {line.title}": partial(self.beside_null, line=line) for line in pairs}

    def forms(self, line: Line, count: int) -> list[str]:
        """Return the ways to write a call: with units of time, and sizes that any value fits into once rounded."""
        if line.terminal == "EXTRACT":
            return [f"EXTRACT({unit} FROM {{0}})" for unit in UNITS] if count == 1 else ["EXTRACT({0} FROM {1})"]
        if (line.table, line.name) == ("casts", "NUMERIC"):
            return [f"CAST({{0}} AS NUMERIC{sizes})" for sizes in ("", "(1000, 0)", "(1000, 1)")]
        return template(line, count)

    def asked(self, engine: Any, line: Line, case: Case, form: str) -> Iterator[str]:
        """Yield which promises of a line are broken where its places are filled in one way."""
        if line.name == "COLLATE" and case.specs[0].value.marks & LITERAL:  # a literal stays what it is
            return
        texts, source = sources(case.specs)
        called = form.format(*texts)
        queries = [f"SELECT pg_typeof({called})::text, ({called})::text{f' FROM {source}' * bool(source)}"]
        if source and line.terminal in AGGREGATES:
            keys = ", ".join(f"{text}::text" for text in texts if text.endswith(".v"))
            queries.append(f"{queries[0]} GROUP BY {keys}")
        for query in queries:
            try:
                rows = engine.execute(query).fetchall()
            except psycopg.Error as error:
                yield f"{case.signature.text}: {query:.300}: {str(error).splitlines()[0]:.200}"
                continue
            found = {_broken(case.result, *row) for row in rows} - {None}
            if found:
                yield f"{case.signature.text}: {query:.300}: {sorted(map(str, found))[:3]}"

    def beside_null(self, engine: Any, line: Line) -> Iterator[str]:
        """Yield which promises an operator breaks beside NULL."""
        null, arguments = Spec(NULL, "", ("NULL",)), (a for signature in line.signatures for a in signature.arguments)
        specs = {spec for argument in arguments for spec in self.able(argument) if not spec.value.kinds}
        for spec, swapped in itertools.product(sorted(specs, key=str), (False, True)):
            pair = (null, spec) if swapped else (spec, null)
            values = [one.value for one in pair]
            taking = (s for s in line.signatures if self.types.takes(s, values, nulls=True) and s.keeps(values))
            signature = next(taking, None)
            if spec.value.type == "null" or signature is None:
                continue
            type_, magnitude = self.types.result(signature, values), digits(signature, values, line.name)
            if magnitude > self.types.limits.get(type_, magnitude):
                continue
            # nothing can be made of NULL that overflows, so one type of number is as good as another
            promised = "any" if {type_, spec.value.type} <= {*NUMBERS} else type_
            case = Case(signature, pair, AbstractValue(promised, magnitude))
            yield from self.asked(engine, line, case, template(line, 2)[0])


def _broken(promised: AbstractValue, pg_type: str, text: str | None) -> str | None:
    """Say which promise a result breaks."""
    type_, magnitude = promised.type, promised.magnitude
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
    if (promised.marks & NONNEGATIVE and number < 0) or (promised.marks & NONZERO and number == 0):
        return f"is {text}"
    return None


ASKED = (PostgresLines("postgres"), PostgresLines("postgres", wide=True))
LINES = ASKED[0].checks() | ASKED[1].checks()
"""By name, what tells an engine's breaches of the promise."""


@contextmanager
def opened(url: str | None) -> Generator[Any]:
    """Open a cursor on a fresh database, and store the values there."""
    plain = make_url(url or "").set(drivername="postgresql").render_as_string(hide_password=False)
    with closing(psycopg.connect(plain, autocommit=True)) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TYPE phase AS ENUM ('new', 'it''s')")
        for statement in tables(dict.fromkeys((*ASKED[0].specs, *ASKED[1].specs))):
            cursor.execute(statement.encode())
        yield cursor
