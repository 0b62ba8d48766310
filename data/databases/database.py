"""Running queries on a database that they cannot change.

That no query writes is the connection's doing, not the grammar's: SQLite opens the file read-only
and an authorizer lets nothing but reads through; other databases run, in a read-only transaction,
what is known to only read. Time and rows are limited everywhere.
"""

from __future__ import annotations

import abc
import sqlite3
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ..errors import DatabaseError
from ..schema.schema import Function, Schema, Table
from .rights import Rights
from .rows import Rows
from .sqlite_schema import quoted
from .sqlite_session import SqliteSession
from .sqlite_urls import sqlite_file

if TYPE_CHECKING:
    from sqlalchemy import Engine

__all__ = ["Database", "RemoteDatabase", "SqliteDatabase"]


class Database(abc.ABC):
    """One database, opened for reading; a context manager.

    Attributes:
        name: file or URL (without password), for messages.
        timeout: seconds one query may take.
        max_rows: rows fetched of one query.
        version: of the engine, as it says itself.
        rights: what the user of a server may do beside reading; None of a file, which is opened for reading only.
    """

    version = f"SQLite {sqlite3.sqlite_version}"
    rights: Rights | None = None

    def __init__(self, name: str, *, timeout: float, max_rows: int) -> None:
        self.name = name
        self.timeout = timeout
        self.max_rows = max_rows
        self._patience = float("inf")  # until when a lock is waited for

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
            from .remote import engine_of  # SQLAlchemy takes a while to import; SQLite needs it not

            database = RemoteDatabase(engine_of(str(path_or_url)), timeout=timeout, max_rows=max_rows)
        else:
            database = SqliteDatabase(file, timeout=timeout, max_rows=max_rows)
        try:
            database.define(functions)
        except DatabaseError:
            database.close()
            raise
        return database

    @abc.abstractmethod
    def define(self, functions: Iterable[Function]) -> None:
        """Let queries call the functions of the database's schema; a server has them in itself.

        Raises:
            DatabaseError: the SQL of a function does not run on this database, or SQLite has one of its name.
        """

    @abc.abstractmethod
    def confine(self, schema: Schema) -> None:
        """Let queries read the tables of a schema alone, on a server; a SQLite file has no others.

        Without it, queries of a server read the tables that their names alone find, and none of the server's own.
        """

    def query(self, sql: str) -> Rows:
        """Run one query that a model, a person or a file has written, if it is known to only read.

        Raises:
            DatabaseError: it is no query, might do more than read, took too long, or the database refused it.
        """
        return self._run(self._checked(sql), self.max_rows)

    def fetch(self, sql: str) -> Rows:
        """Run one query that this package has written itself: nothing in it but quoted names is anybody else's.

        Raises:
            DatabaseError: it took too long, or the database refused it.
        """
        return self._run(sql, self.max_rows)

    @contextmanager
    def one_wait(self) -> Generator[None]:
        """Have the queries of one answer wait for a lock `timeout` together: waits in a row would add up."""
        self._patience = time.monotonic() + self.timeout
        try:
            yield
        finally:
            self._patience = float("inf")

    def distinct(self, table: Table | str, column: str, limit: int = 1000) -> list[Any]:
        """Return up to ``limit`` different values of a column, NULL left out."""
        source = ".".join(map(self._quote, (table,) if isinstance(table, str) else table.path))
        cell = f"{source}.{self._quote(column)}"
        sql = f"SELECT DISTINCT {cell} FROM {source} WHERE {cell} IS NOT NULL LIMIT {int(limit)}"
        return [row[0] for row in self._run(sql, limit).rows]

    def probe(self, schema: Schema) -> None:
        """Look whether the first column of a schema can be read.

        Raises:
            DatabaseError: the database is gone, locked, or another one.
        """
        table, column = next(schema.columns())
        self.distinct(table, column.name, limit=1)

    @abc.abstractmethod
    def close(self) -> None:
        """Let go of the database."""

    def _checked(self, sql: str) -> str:
        """Return somebody else's query as it may be run."""
        return sql

    @abc.abstractmethod
    def _run(self, sql: str, cap: int) -> Rows: ...

    @abc.abstractmethod
    def _quote(self, name: str) -> str: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class SqliteDatabase(Database):
    """A SQLite file; see `sqlite_session`."""

    def __init__(self, path: Path, *, timeout: float = 5.0, max_rows: int = 1000) -> None:
        super().__init__(str(path), timeout=timeout, max_rows=max_rows)
        self._session = SqliteSession(path, timeout)

    def define(self, functions: Iterable[Function]) -> None:
        """Let queries call functions; see `Database.define`."""
        self._session.define(functions)

    def confine(self, schema: Schema) -> None:
        """Leave tables as they are: the file is the database."""

    def close(self) -> None:
        """Close the file."""
        self._session.close()

    def _run(self, sql: str, cap: int) -> Rows:
        return self._session.send(sql, cap, timeout=self.timeout, patience=self._patience)

    def _quote(self, name: str) -> str:
        return quoted(name)


class RemoteDatabase(Database):
    """A database that SQLAlchemy reaches by a URL; see `remote`."""

    def __init__(self, engine: Engine, *, timeout: float = 5.0, max_rows: int = 1000) -> None:
        from .remote import Session

        self._session = Session(engine, timeout=timeout, max_rows=max_rows)
        super().__init__(self._session.name, timeout=timeout, max_rows=max_rows)
        self.version, self.rights = self._session.version, self._session.rights
        self._session.rights.warn(self.name)

    def define(self, functions: Iterable[Function]) -> None:
        """Let queries call functions, which the server has in itself."""
        self._session.admit(functions=[function.name for function in functions])

    def confine(self, schema: Schema) -> None:
        """Let queries read the tables of a schema alone."""
        self._session.admit(tables=[table.name for table in schema.tables])

    def close(self) -> None:
        """Close every connection to the server."""
        self._session.close()

    def _checked(self, sql: str) -> str:
        return self._session.checked(sql)

    def _run(self, sql: str, cap: int) -> Rows:
        return self._session.send(sql, cap)

    def _quote(self, name: str) -> str:
        return self._session.quote(name)
