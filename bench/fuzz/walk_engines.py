"""The engines that walks run their queries on, each with its tables replaced from schema to schema."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from querent.data.databases.schema_readers import from_sqlite
from querent.data.schema.ddl_writer import to_ddl
from querent.data.schema.schema import Schema, Table

__all__ = ["FETCHED", "TIME_OUT", "Engine", "Problem", "ddl", "open_engine", "whole"]

Rows = Mapping[str, Sequence[tuple[Any, ...]]]
Quote = Callable[[str], str]

FETCHED = 1000
"""Rows that are turned into Python values, as SQLite sessions do; an engine makes the others, too."""


@dataclass(frozen=True)
class Problem:
    """What speaks against a query: a kind, with no names in it, and the engine's own message."""

    kind: str
    message: str


TIME_OUT = Problem("time-out", "the time is up")


class Engine(Protocol):
    """One database."""

    version: str

    def create(self, schema: Schema, quote: Quote, rows: Rows) -> None:
        """Put the tables of a schema, without its foreign keys, in place of the last one's, and fill them."""
        ...

    def restored(self, statements: Sequence[str]) -> Schema:
        """Make what statements make in place of all that is there, and return the schema that is read of it."""
        ...

    def problem(self, sql: str) -> Problem | None:
        """Run a query to its last row, read only, and return what the engine says against it."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...


@contextmanager
def open_engine(name: str, url: str | None, *, timeout: float) -> Generator[Engine]:
    """Open SQLite in memory, or connect to a server's empty database."""
    if name == "sqlite":
        engine: Engine = Sqlite(timeout)
    else:
        from walk_servers import MariaDB, Postgres  # SQLAlchemy takes a while to import; SQLite needs it not

        assert url is not None, "a server needs a URL"
        engine = Postgres(url, timeout) if name == "postgres" else MariaDB(url, timeout, loose=name.endswith("-loose"))
    try:
        yield engine
    finally:
        engine.close()


def ddl(schema: Schema, quote: Quote) -> str:
    """Return the statements that make the tables; rows are random, so references would not hold."""
    return to_ddl(Schema(tuple(replace(t, foreign_keys=(), description="") for t in schema.tables), schema.name), quote)


def whole(table: Table, quote: Quote) -> str:
    """Return a table's name with its schema before it, where that must be written."""
    return ".".join(map(quote, table.path))


def kind_of(message: str) -> str:
    """Strip a message of names, values and numbers."""
    text = re.sub(r"\"[^\"]*\"|`[^`]*`", "…", message.splitlines()[0] if message else "")
    text = re.sub(r"; check the manual.*", "", text)
    text = re.sub(r"(column|reference to) .+ (- column|in USING)", r"\1 … \2", text)
    text = re.sub(r"[A-Z_\d]+(?=\(\))", "…", text)
    text = re.sub(r"'(?![a-z ]+ (?:clause|list|statement)').*?'(?=[\s.,;)]|$)", "…", text)
    return re.sub(r"\s+", " ", re.sub(r"\b\d[\d.]*\b", "…", text)).strip()[:120]


class Sqlite:
    """SQLite in memory, with a deadline."""

    def __init__(self, timeout: float) -> None:
        self.version = sqlite3.sqlite_version
        self._timeout = timeout
        self._connection = sqlite3.connect(":memory:")

    def create(self, schema: Schema, quote: Quote, rows: Rows) -> None:
        """Begin a new database."""
        self._connection.close()
        self._connection = sqlite3.connect(":memory:")
        self._connection.executescript(ddl(schema, quote))
        for table in schema.tables:
            marks = ", ".join("?" * len(table.columns))
            filled = [tuple(float(v) if isinstance(v, Decimal) else v for v in row) for row in rows[table.name]]
            self._connection.executemany(f"INSERT INTO {whole(table, quote)} VALUES ({marks})", filled)
        self._connection.commit()
        self._only_read()

    def restored(self, statements: Sequence[str]) -> Schema:
        """Begin a new database by statements, read as a file's would be."""
        self._connection.close()
        self._connection = sqlite3.connect(":memory:")
        for statement in statements:
            self._connection.execute(statement)
        self._connection.commit()
        with TemporaryDirectory() as folder:
            file = Path(folder) / "objects.sqlite"
            with closing(sqlite3.connect(file)) as copy:
                self._connection.backup(copy)
            schema = from_sqlite(file)
        self._only_read()
        return schema

    def _only_read(self) -> None:
        self._connection.text_factory = lambda data: data.decode("utf-8", "replace")
        self._connection.execute("PRAGMA query_only = ON")

    def problem(self, sql: str) -> Problem | None:
        """Run a query to its last row, or until the time is up."""
        end = time.monotonic() + self._timeout
        self._connection.set_progress_handler(lambda: time.monotonic() > end, 10_000)
        try:
            cursor = self._connection.execute(sql)
            while cursor.fetchmany(FETCHED):
                if time.monotonic() > end:
                    return TIME_OUT
        except (sqlite3.Error, sqlite3.Warning) as error:
            text = str(error)
            return TIME_OUT if text == "interrupted" else Problem(kind_of(re.sub(": .*", "", text)), text)
        return None

    def close(self) -> None:
        """Forget the database."""
        self._connection.close()
