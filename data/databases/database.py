"""Runs queries on a database that they cannot change.

The connection prevents writing, not the grammar: SQLite opens the file read-only under an authorizer that allows reads
alone; servers run, in a read-only transaction, queries that are known to only read. Time, rows and bytes are limited
everywhere; foreign queries run in a process of their own (`query_process`), since only that can be ended for sure.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..closing import Closing
from ..errors import DatabaseError, TimeLimitError
from ..packages import needs
from ..schema.schema import Function, Schema, Table
from .query_process import QueryProcess
from .rows import Rows
from .sqlite_session import SqliteSession, quoted, sqlite_file

if TYPE_CHECKING:
    from .remote import ServerSession


_HASTE = 0.5  # seconds that a query has at least, however many were late before it


@dataclass(frozen=True)
class FoundTables:
    """Facts about the tables of a database while it is opened, so that nothing is counted or waited for twice.

    Attributes:
        counts: the number of rows of each counted table (`row_counts`), or the error of counting.
        estimates: the numbers of rows in a server's statistics.
        late: the tables that are not read any more, with the error: another session has locked them, or they are slow.
    """

    counts: dict[str, int | DatabaseError] = field(default_factory=dict[str, "int | DatabaseError"])
    estimates: dict[str, int | None] = field(default_factory=dict[str, "int | None"])
    late: dict[str, TimeLimitError] = field(default_factory=dict[str, TimeLimitError])

    @classmethod
    def of(cls, place: str) -> FoundTables:
        """Return the facts about a database by its file or URL; within `opening` they are shared."""
        return cls() if (opened := _OPENED.get()) is None else opened.setdefault(place, cls())

    @staticmethod
    @contextmanager
    def opening() -> Generator[None]:
        """Share the facts among all that open a database within this block."""
        token = _OPENED.set({})
        try:
            yield
        finally:
            _OPENED.reset(token)


_OPENED: ContextVar[dict[str, FoundTables] | None] = ContextVar("opened", default=None)


class Database(Closing):
    """One database, opened for reading; a context manager.

    Attributes:
        session: what runs queries.
        place: file or URL, with its password.
        name: file or URL (without password), for messages.
        timeout: seconds one query may take.
        max_rows: rows fetched of one query.
        dialect: sqlite, postgres or mysql.
        version: the version of the engine.
        rights: the rights of the user of a server; None for a file, which is opened read-only.
        found: facts about its tables; see `FoundTables.of`.
    """

    def __init__(self, session: SqliteSession | ServerSession, place: str, *, timeout: float, max_rows: int) -> None:
        self.session, self.place = session, place
        self.name = session.name
        self.timeout = timeout
        self.max_rows = max_rows
        self.dialect = session.dialect
        self.version = session.version
        self.rights = session.rights
        self.found = FoundTables.of(place)
        self._left: float | None = None  # seconds that are left to the queries of one answer
        self._functions = dict[str, Function]()
        self._apart = QueryProcess(self.name)
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
            max_rows: rows fetched of one query; `Rows.truncated` says whether there are more.
            functions: see `define`.

        Raises:
            DatabaseError: there is no such database, it cannot be read, or its driver is missing; the SQL of a
                function does not run on it.
        """
        file = sqlite_file(path_or_url)
        if file is None:
            with needs("SQLAlchemy", "engines", field="database"):  # SQLite needs it not
                from .remote import ServerSession

            session = ServerSession(str(path_or_url), timeout=timeout, max_rows=max_rows)
        else:
            session = SqliteSession(file, timeout)
        place = str(path_or_url if file is None else file.absolute())
        database = Database(session, place, timeout=timeout, max_rows=max_rows)
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
        wanted = tuple(functions)
        self.session.define(wanted)
        self._functions |= {function.name: function for function in wanted}
        self._apart.end()  # it begins anew, with these, and with the file that is there now

    def confine(self, schema: Schema) -> None:
        """Let queries read the tables of a schema alone, on a server; a SQLite file has no others.

        Without it, queries of a server read the tables that their names alone find, and none of the server's own.
        """
        self.session.confine(schema)
        self._apart.end()

    def query(self, sql: str, *, constrained: bool = False) -> Rows:
        """Run a foreign query, of a model, a person or a file, if it is known to only read.

        It runs in a process of its own, which is killed when it takes too long, reading its rows included.

        Args:
            constrained: whether the parser has chosen each word under its constraint, so that no function in it runs
                for long: in a SQLite file such a query runs in this process.

        Raises:
            DatabaseError: it is no query, might do more than read, took too long or too much memory, or the database
                refused it.
        """
        checked = self.session.checked(sql)
        if constrained and self.dialect == "sqlite":
            return self._run(checked, self.max_rows)
        limits: dict[str, Any] = {"timeout": self.timeout, "max_rows": self.max_rows, "path_or_url": self.place}
        limits["functions"] = tuple(self._functions.values())
        return self._timed(
            lambda left: self._apart.send(limits, checked, self.max_rows, timeout=self.timeout, left=left)
        )

    def attempt(self, sql: str | None) -> Rows | None:
        """Return the rows of a foreign query, None if there is none or it fails."""
        with suppress(DatabaseError):
            return self.query(sql) if sql else None

    def fetch(self, sql: str) -> Rows:
        """Run a query of this package, in which quoted names alone are foreign.

        Raises:
            DatabaseError: it took too long, or the database refused it.
        """
        return self._run(sql, self.max_rows)

    def hurry(self) -> None:
        """Give each query from now on half the time, but half a second.

        The reader of many tables calls it after a slow one, so that the others are still read in time.
        """
        self.timeout = max(self.timeout / 2, min(self.timeout, _HASTE))

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
        """Return whether the queries of this answer have taken more than a tenth of their limit already."""
        return self._left is not None and self._left < 0.9 * self.timeout

    def quote(self, name: str) -> str:
        """Return a name in quotes."""
        return quoted(name, "`" if self.dialect == "mysql" else '"')

    def source(self, table: Table) -> str:
        """Return a table as FROM names it."""
        return ".".join(map(self.quote, table.path))

    def distinct(self, table: Table, column: str, limit: int = 1000) -> list[Any]:
        """Return up to ``limit`` different values of a column, NULL left out."""
        cell = f"{self.source(table)}.{self.quote(column)}"
        sql = f"SELECT DISTINCT {cell} FROM {self.source(table)} WHERE {cell} IS NOT NULL LIMIT {int(limit)}"
        return [row[0] for row in self._run(sql, limit).rows]

    def probe(self, schema: Schema) -> None:
        """Check that the first column of a schema can be read.

        Raises:
            DatabaseError: the database is gone, locked, or another one.
        """
        table, column = next(schema.columns())
        self.distinct(table, column.name, limit=1)

    def schema_state(self) -> object:
        """Return a value that changes when tables or columns are added, dropped or renamed.

        Raises:
            DatabaseError: it cannot be read at present.
        """
        return self.session.schema_state()

    def close(self) -> None:
        """Close the database."""
        self._apart.end()
        self.session.close()

    def _run(self, sql: str, cap: int) -> Rows:
        return self._timed(
            lambda left: self.session.send(sql, cap, timeout=self.timeout, until=time.monotonic() + left)
        )

    def _timed(self, send: Callable[[float], Rows]) -> Rows:
        """Run a query with the seconds that are left to it, and count those that it takes."""
        if self._left is None:
            return send(self.timeout)
        if self._left <= 0:
            raise TimeLimitError(f"the queries of this answer took longer than {self.timeout:g} s together")
        begun = time.monotonic()
        try:
            return send(self._left)
        finally:
            self._left -= time.monotonic() - begun
