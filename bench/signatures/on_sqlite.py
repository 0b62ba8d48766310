"""Every line of types/sqlite.toml, held against SQLite with stored values that are out to break it."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from lines import Lines
from stored_values import Case, tables

LONGEST = 10_000_000  # what data/databases/sqlite_session.py allows


class SqliteLines(Lines):
    """Beside the promises of every dialect: a number that may be broken is real."""

    def odd(self, case: Case, engine: Any, rows: Sequence[tuple[Any, ...]], *, stored: bool) -> Iterator[str]:
        """Yield the numbers that are not real."""
        if case.result.type in ("dec", "float"):
            yield from (f"{cell!r} is no real" for (cell,) in rows if not isinstance(cell, float | None))


ASKED = SqliteLines("sqlite", wide=True)
LINES = SqliteLines("sqlite").checks() | ASKED.checks()
"""By name, what tells an engine's breaches of the promise."""


@contextmanager
def opened(_: str | None) -> Generator[sqlite3.Cursor]:
    """Open a database that holds the values."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        cursor = connection.cursor()
        for statement in tables(ASKED.specs):
            cursor.execute(statement)
        yield cursor
