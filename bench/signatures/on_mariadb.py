"""Every line of types/mysql.toml, held against MariaDB with stored values that are out to break it."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Any

import sqlalchemy
from lines import Lines
from pymysql.constants import FIELD_TYPE
from stored_values import Case, Check, Line, tables

UNITS = ("SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")
FORMS = {
    "EXTRACT": [f"EXTRACT({unit} FROM {{}})" for unit in UNITS],
    "DATE_SHIFT": [
        form
        for unit in UNITS
        for form in (f"{{name}}({{}}, INTERVAL ({{}}) {unit})", f"({{}}) - INTERVAL ({{}}) {unit}")
    ],
    "UNIT_SHIFT": [f"{{name}}({unit}, {{}}, {{}})" for unit in UNITS],
}
CASTS = {
    "VARCHAR": ("VARCHAR(5)",),
    "CHAR": ("CHAR", "CHAR(0)", "CHAR(5)"),
    "DECIMAL": ("DECIMAL(65)", "DECIMAL(65, 30)"),
}
WIDE = ("dec", "udec", "float", "text", "blob")
INTEGERS = {FIELD_TYPE.TINY, FIELD_TYPE.SHORT, FIELD_TYPE.LONG, FIELD_TYPE.LONGLONG, FIELD_TYPE.INT24, FIELD_TYPE.YEAR}
"""Types of results that are computed as integers, whatever they were made of; what is WIDE may be none."""

LITERALS = {
    "day": ("0001-01-01", "2024-02-28", "9999-12-31", "2023-11-30", "2024-02-29", "2023-02-30", "2023-11-31", "x"),
    "clock": ("00:00:00", "23:59:59", "24:00:00", "12:60:00", "1:2"),
}
LITERALS["moment"] = tuple(f"{day}{clock}" for day in LITERALS["day"] for clock in (" 23:59:59", "T00:00:00", ""))
WORDS = {"day": "DATE", "clock": "TIME", "moment": "TIMESTAMP"}


class MariaDBLines(Lines):
    """Beside the promises of every dialect: what each type bears, and that what is wide is no integer."""

    def checks(self) -> dict[str, Check]:
        """Return, by name, what tells an engine's breaches of the promise."""
        title = "wide literals" if self.wide else "literals"
        return super().checks() | {f"{title} {kind}": partial(self.literals, kind=kind) for kind in LITERALS}

    def forms(self, line: Line, count: int) -> list[str]:
        """Return the ways to write what a line is of."""
        if line.table == "casts":
            kinds = CASTS.get(line.name, (line.name,))
            return [*(f"CAST({{0}} AS {kind})" for kind in kinds), f"CONVERT({{0}}, {kinds[0]})"]
        own = FORMS.get(line.terminal)
        return super().forms(line, count) if own is None else [form.replace("{name}", line.name) for form in own]

    def held(self, engine: Any, line: Line) -> list[str]:
        """Return the promises that the signatures of one name break."""
        if line.name != "REPEAT":
            return super().held(engine, line)
        every = self.specs  # ten megabytes a row for '1000-01-01' take their time
        self.specs = tuple(s for s in every if s.value.type not in ("date", "time"))
        try:
            return super().held(engine, line)
        finally:
            self.specs = every

    def probes(self, case: Case) -> Iterator[str]:
        """Yield what a result of its type bears: an unsigned number would refuse the first, BIGINT the second."""
        type_, magnitude = case.result.type, case.result.magnitude
        if type_ in ("bool", "int", "date", "time", "stamp") and magnitude <= 17:
            yield "({}) - 900000000000000000"
        if (type_ in ("int", "dec") and magnitude <= 15) or (type_ in ("float", "text") and magnitude <= 17):
            yield "FLOOR({}) - 900000000000000000"
            yield "({}) DIV -1 - 1"
        if (type_ == "dec" and magnitude <= 24) or (type_ in ("float", "text") and magnitude <= 264):
            yield "({}) * 900000000000000000 * 900000000000000000 - 1"

    def odd(self, case: Case, engine: Any, rows: Sequence[tuple[Any, ...]], *, stored: bool) -> Iterator[str]:
        """Yield that what is wide is an integer."""
        if stored and case.result.type in WIDE and (code := engine.description[0][1]) in INTEGERS:
            yield f"{case.result.type} is an integer, of type {code}"

    def literals(self, engine: Any, kind: str) -> list[str]:
        """Tell which typed literals MariaDB reads otherwise."""
        taken = [text for text in LITERALS[kind] if kind in self.types.literal_kinds(text)]
        problems = [] if len(taken) >= 2 else ["none of them is a literal"]
        for text in taken:
            engine.execute(f"SELECT {WORDS[kind]} '{text}'")
            if engine.fetchall()[0][0] is None:
                problems.append(f"{text} is NULL")
        return problems


ASKED = MariaDBLines("mysql", wide=True)
LINES = MariaDBLines("mysql").checks() | ASKED.checks()
"""By name, what tells an engine's breaches of the promise."""


@contextmanager
def opened(url: str | None) -> Generator[Any]:
    """Open a cursor on a fresh database, and store the values there."""
    database = sqlalchemy.create_engine(url or "")
    with closing(database.raw_connection()) as connection:
        cursor: Any = connection.cursor()
        for statement in tables(ASKED.specs):
            cursor.execute(statement)
        connection.commit()
        yield cursor
    database.dispose()
