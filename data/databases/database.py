"""Running queries on a database that they cannot change.

That no query writes is the connection's doing, not the grammar's: SQLite opens the file read-only
and an authorizer lets nothing but reads through; other databases run, in a read-only transaction,
what is known to only read. Time and rows are limited everywhere.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..closing import Closing
from ..errors import DatabaseError, TimeLimitError
from ..packages import needs
from ..schema.schema import Function, Schema, Table
from .rows import Rows
from .sqlite_session import SqliteSession
from .sqlite_urls import sqlite_file

if TYPE_CHECKING:
    from .remote import ServerSession

__all__ = ["Database"]


class Database(Closing):
    """One database, opened for reading; a context manager.

    Attributes:
        session: what runs queries.
        name: file or URL (without password), for messages.
        timeout: seconds one query may take.
        max_rows: rows fetched of one query.
        dialect: sqlite, postgres or mysql.
        version: of the engine, as it says itself.
        rights: what the user of a server may do beside reading; None of a file, which is opened for reading only.
    """

    def __init__(self, session: SqliteSession | ServerSession, *, timeout: float, max_rows: int) -> None:
        self.session = session
        self.name = session.name
        self.timeout = timeout
        self.max_rows = max_rows
        self.dialect = session.dialect
        self.version = session.version
        self.rights = session.rights
        self._left: float | None = None  # seconds that are left to the queries of one answer
        if self.rights is not None:
            self.rights.warn(self.name)

    @staticmethod
    def open(
        path_or_url: str | Path, *, timeout: float = 5.0, max_rows: int = 1000, functions: Iterable[Function] = ()
    ) -> Database:
        """Open a SQLite file, or any database that SQLAlchemy reaches by a URL.

        Args:
            path_or_url: a path, ``sqlite:///PATH``, ``postgresql+psycopg://…``, ``mysql+pymysql://…``; whatever
                driver a URL of SQLite names, its file is opened as a file.
            timeout: seconds one query may take, waiting for locks included.
            max_rows: rows fetched of one query; `Rows.truncated` tells of more.
            functions: see `define`.

        Raises:
            DatabaseError: there is no such database, it cannot be read, or its driver is missing; the SQL of a
                function does not run on it.
        """
        file = sqlite_file(path_or_url)
        if file is None:
            with needs("SQLAlchemy", "querent[engines]", field="database"):  # SQLite needs it not
                from .remote import ServerSession, engine_of

            session = ServerSession(engine_of(str(path_or_url)), timeout=timeout, max_rows=max_rows)
        else:
            session = SqliteSession(file, timeout)
        database = Database(session, timeout=timeout, max_rows=max_rows)
        try:
            database.define(functions)
        except DatabaseError:
            database.close()
            raise
        return database

    def define(self, functions: Iterable[Function]) -> None:
        """Let queries call the functions of the database's schema; a server has them in itself.

        Raises:
            DatabaseError: the SQL of a function does not run on this database, or SQLite has one of its name.
        """
        self.session.define(functions)

    def confine(self, schema: Schema) -> None:
        """Let queries read the tables of a schema alone, on a server; a SQLite file has no others.

        Without it, queries of a server read the tables that their names alone find, and none of the server's own.
        """
        self.session.confine(schema)

    def query(self, sql: str) -> Rows:
        """Run one query that a model, a person or a file has written, if it is known to only read.

        Raises:
            DatabaseError: it is no query, might do more than read, took too long, or the database refused it.
        """
        return self._run(self.session.checked(sql), self.max_rows)

    def fetch(self, sql: str) -> Rows:
        """Run one query that this package has written itself: nothing in it but quoted names is anybody else's.

        Raises:
            DatabaseError: it took too long, or the database refused it.
        """
        return self._run(sql, self.max_rows)

    @contextmanager
    def one_limit(self) -> Generator[None]:
        """Give the queries of one answer `timeout` together; within another such block its limit holds."""
        if self._left is not None:
            yield
            return
        self._left = self.timeout
        try:
            yield
        finally:
            self._left = None

    @property
    def is_slow(self) -> bool:
        """Say whether the queries of this answer have taken more than a tenth of their limit already."""
        return self._left is not None and self._left < 0.9 * self.timeout

    def quote(self, name: str) -> str:
        """Return a name as the database reads it whatever it is."""
        return self.session.quote(name)

    def source(self, table: Table) -> str:
        """Return a table as FROM names it."""
        return ".".join(map(self.quote, table.path))

    def distinct(self, table: Table, column: str, limit: int = 1000) -> list[Any]:
        """Return up to ``limit`` different values of a column, NULL left out."""
        cell = f"{self.source(table)}.{self.quote(column)}"
        sql = f"SELECT DISTINCT {cell} FROM {self.source(table)} WHERE {cell} IS NOT NULL LIMIT {int(limit)}"
        return [row[0] for row in self._run(sql, limit).rows]

    def probe(self, schema: Schema) -> None:
        """Look whether the first column of a schema can be read.

        Raises:
            DatabaseError: the database is gone, locked, or another one.
        """
        table, column = next(schema.columns())
        self.distinct(table, column.name, limit=1)

    def schema_state(self) -> object:
        """Return what is another one when tables or columns have come, gone or been renamed.

        Raises:
            DatabaseError: it cannot be read at present.
        """
        return self.session.schema_state()

    def close(self) -> None:
        """Let go of the database."""
        self.session.close()

    def _run(self, sql: str, cap: int) -> Rows:
        if self._left is None:
            return self.session.send(sql, cap, timeout=self.timeout)
        if self._left <= 0:
            raise TimeLimitError(f"the queries of this answer took longer than {self.timeout:g} s together")
        begun = time.monotonic()
        try:
            return self.session.send(sql, cap, timeout=self.timeout, until=begun + self._left)
        finally:
            self._left -= time.monotonic() - begun
