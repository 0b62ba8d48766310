"""The engines that `walks` runs its queries on: SQLite in process, servers by URL."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from querent.data.ddl_writer import to_ddl
from querent.data.schema import Schema, Table

Rows = Mapping[str, Sequence[tuple[Any, ...]]]
Quote = Callable[[str], str]


class Engine(Protocol):
    """One database whose tables are replaced from schema to schema."""

    version: str

    def create(self, schema: Schema, quote: Quote, rows: Rows) -> None:
        """Make the tables of a schema, without its foreign keys, and fill them."""
        ...

    def problem(self, sql: str) -> str | None:
        """Run a query and return what the engine says against it, ``time-out``, or None."""
        ...


@contextmanager
def open_engine(name: str, url: str | None, *, timeout: float) -> Iterator[Engine]:
    """Open SQLite in memory, or connect to a server's empty database."""
    if name == "sqlite":
        yield Sqlite(timeout)
        return
    if url is None:
        raise SystemExit(f"give --url for {name}")
    engine = Server(url, timeout)
    try:
        yield engine
    finally:
        engine.close()


def _without_references(schema: Schema) -> Schema:
    return Schema(tuple(Table(t.name, t.columns, t.primary_key) for t in schema.tables), schema.name)


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
        self._connection.executescript(to_ddl(_without_references(schema), quote))
        for table in schema.tables:
            marks = ", ".join("?" * len(table.columns))
            self._connection.executemany(f"INSERT INTO {quote(table.name)} VALUES ({marks})", rows[table.name])
        self._connection.commit()
        self._connection.execute("PRAGMA query_only = ON")

    def problem(self, sql: str) -> str | None:
        """Run a query to its last row, or until the time is up."""
        end = time.monotonic() + self._timeout
        self._connection.set_progress_handler(lambda: time.monotonic() > end, 10_000)
        try:
            for _ in self._connection.execute(sql):
                if time.monotonic() > end:
                    return "time-out"
        except sqlite3.Error as error:
            return "time-out" if str(error) == "interrupted" else str(error)
        return None


class Server:
    """A database behind a SQLAlchemy URL; every query in a transaction that is rolled back."""

    def __init__(self, url: str, timeout: float) -> None:
        import sqlalchemy

        self._engine = sqlalchemy.create_engine(url)
        self._connection = self._engine.raw_connection()
        self._postgres = self._engine.dialect.name == "postgresql"
        self._mark = '"' if self._postgres else "`"
        self._timeout = timeout
        self._tables: list[str] = []
        self.version = str(self._one("SELECT version()"))
        limit = f"statement_timeout = {int(timeout * 1000)}" if self._postgres else f"max_statement_time = {timeout}"
        self._session = f"SET {'' if self._postgres else 'SESSION '}{limit}"
        self._run(self._session)
        self._connection.commit()

    def create(self, schema: Schema, quote: Quote, rows: Rows) -> None:
        """Drop the last schema's tables and make those of this one."""
        for name in self._tables:
            self._run(f"DROP TABLE {name}")
        self._tables = [quote(table.name) for table in schema.tables]
        for statement in to_ddl(_without_references(schema), quote).split(";\n"):
            if statement.strip():
                self._run(statement)
        cursor = self._connection.cursor()
        for table in schema.tables:
            marks = ", ".join(["%s"] * len(table.columns))
            # always in quotes: MariaDB takes «INTO value» for the keyword
            name = self._mark + table.name.replace(self._mark, self._mark * 2).replace("%", "%%") + self._mark
            statement = f"INSERT INTO {name} VALUES ({marks})"
            cursor.executemany(statement, list(rows[table.name]))
        cursor.close()
        self._connection.commit()

    def problem(self, sql: str) -> str | None:
        """Run a query to its last row, or until the server stops it."""
        cursor = self._connection.cursor()
        try:
            cursor.execute(sql)
            cursor.fetchall()
        except Exception as error:  # each driver has a tree of its own
            text = str(error.args[-1] if error.args else error)
            late = "statement timeout" in text or "max_statement_time" in text
            return "time-out" if late else text.splitlines()[0]
        finally:
            cursor.close()
            self._connection.rollback()
        return None

    def close(self) -> None:
        """Let go of the server."""
        self._connection.close()
        self._engine.dispose()

    def _run(self, sql: str) -> None:
        cursor = self._connection.cursor()
        cursor.execute(sql)
        cursor.close()

    def _one(self, sql: str) -> Any:
        cursor = self._connection.cursor()
        cursor.execute(sql)
        row: Any = cursor.fetchone()
        cursor.close()
        return row[0]
