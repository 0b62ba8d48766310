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
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

from .defined_functions import DefinedFunctions
from .errors import DatabaseError, TimeLimitError
from .rights import Rights
from .rows import Rows
from .schema import Function, Schema, Table
from .sqlite_schema import is_virtual
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


_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_ASKS_FOR_CHANGES = (sqlite3.SQLITE_PRAGMA, "data_version", None)  # FTS5 does, within any query
_FORBIDDEN_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "zipfile"}
_LONGEST_VALUE = 10_000_000  # bytes of one value, so that no zeroblob() eats the memory
_WAIT = 0.02  # seconds between two looks at a lock
_STEPS = 10_000  # virtual machine steps between two looks at the clock


class SqliteDatabase(Database):
    """A SQLite file, opened with ``mode=ro`` under an authorizer and a deadline."""

    def __init__(self, path: Path, *, timeout: float = 5.0, max_rows: int = 1000) -> None:
        super().__init__(str(path), timeout=timeout, max_rows=max_rows)
        if not path.is_file():
            raise DatabaseError("no such database file", file=path, hint="give the path of a SQLite file")
        self._path = path
        self._refused = ""
        self._deadline = float("inf")
        self._caller: sqlite3.Connection | None = None  # runs the SQL of functions
        self._functions: DefinedFunctions | None = None
        self._begin()
        self._connection = self._connected(0)  # `_execute` waits for locks, which knows the deadline
        try:
            self._run("SELECT COUNT(*) FROM sqlite_master", 1)  # connect() alone reads nothing
        except DatabaseError:
            self.close()
            raise

    def define(self, functions: Iterable[Function]) -> None:
        """Let queries call functions; see `Database.define`."""
        if not (wanted := tuple(functions)):
            return
        if self._functions is None:
            self._caller = self._connected(self.timeout)
            self._functions = DefinedFunctions(self._caller, self._late)
        self._begin()
        try:
            self._functions.define(wanted, self._connection)
        except DatabaseError as error:
            raise DatabaseError(error.problem, file=self._path, hint=error.hint) from error

    def confine(self, schema: Schema) -> None:
        """Leave tables as they are: the file is the database."""

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        if self._caller is not None:
            self._caller.close()

    def _connected(self, wait: float) -> sqlite3.Connection:
        address = f"file:{quote(str(self._path.absolute()))}?mode=ro"
        try:
            # autocommit, since the authorizer refuses BEGIN
            made = sqlite3.connect(address, uri=True, timeout=wait, isolation_level=None)
        except sqlite3.Error as error:
            raise DatabaseError(f"cannot open: {error}", file=self._path) from error
        made.text_factory = lambda data: data.decode("utf-8", "replace")  # old files mix encodings
        made.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        made.set_progress_handler(self._late, _STEPS)
        try:
            self._open_virtual(made)
        except DatabaseError:
            made.close()
            raise
        return made

    def _open_virtual(self, connection: sqlite3.Connection) -> bool:
        """Let virtual tables open themselves, for which they do what no query may; say whether there are any."""
        named = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND rootpage = 0"
        connection.set_authorizer(None)
        try:
            names: list[str] = [name for name, ddl in self._execute(connection, named) if is_virtual(ddl)]
            for name in names:
                with suppress(sqlite3.Error):  # one that cannot be read is no table of the schema
                    connection.execute(f"SELECT * FROM {self._quote(name)} LIMIT 1").fetchall()
        except sqlite3.Error as error:
            raise self._explained(error, named) from error
        finally:
            connection.set_authorizer(self._authorize)
        return bool(names)

    def _begin(self) -> None:
        self._refused = ""
        self._deadline = time.monotonic() + self.timeout
        if self._functions is not None:
            self._functions.begin()

    def _execute(self, connection: sqlite3.Connection, sql: str) -> sqlite3.Cursor:
        """Run SQL; wait for another program's lock as long as there is time."""
        while True:
            try:
                return connection.execute(sql)
            except sqlite3.OperationalError as error:
                busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() > min(self._deadline, self._patience):
                    raise
            time.sleep(_WAIT)

    def _run(self, sql: str, cap: int) -> Rows:
        self._begin()
        try:
            columns, rows = self._fetched(sql, cap)
        except (sqlite3.Error, sqlite3.Warning) as error:
            if not (self._refused and self._open_virtual(self._connection)):
                raise self._explained(error, sql) from error
            self._begin()
            try:  # where another program has changed the schema, virtual tables open themselves anew
                columns, rows = self._fetched(sql, cap)
            except (sqlite3.Error, sqlite3.Warning) as again:
                raise self._explained(again, sql) from again
        except ValueError as error:  # half a character, or a zero byte, which no SQL has
            raise DatabaseError(f"this is no query: {error}", file=self._path, hint="write one SELECT") from error
        if not columns:
            raise DatabaseError("this is no query", file=self._path, hint="write one SELECT")
        return Rows(columns, rows[:cap], truncated=len(rows) > cap)

    def _fetched(self, sql: str, cap: int) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        cursor = self._execute(self._connection, sql)
        rows = cursor.fetchmany(cap + 1)
        columns = tuple(d[0] for d in cursor.description or ())
        cursor.close()
        return columns, rows

    def _quote(self, name: str) -> str:
        escaped = name.replace('"', '""')
        return f'"{escaped}"'

    def _authorize(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FORBIDDEN_FUNCTIONS:
            self._refused = f"{second}()"
        elif action not in _READS and (action, first, second) != _ASKS_FOR_CHANGES:
            self._refused = self._refused or "writing"
        return sqlite3.SQLITE_DENY if self._refused else sqlite3.SQLITE_OK

    def _late(self) -> bool:
        return time.monotonic() > self._deadline

    def _explained(self, error: Exception, sql: str) -> DatabaseError:
        text = (self._functions.problem if self._functions else "") or str(error)
        if self._refused:
            verb = sql.split(maxsplit=1)[0].upper()
            what = self._refused if verb in {"SELECT", "WITH", "VALUES"} else verb
            problem = f"{what} is refused: the database is open for reading"
            return DatabaseError(problem, file=self._path, hint="write one SELECT")
        if text == "interrupted":
            return TimeLimitError(f"the query took longer than {self.timeout:g} s", file=self._path)
        hints = {
            "file is not a database": "give the path of a SQLite file",
            "database is locked": "another program is writing; try again when it is done",
            "string or blob too big": f"values of over {_LONGEST_VALUE // 1_000_000} MB are not read",
            "database disk image is malformed": "the file is broken; restore it, or write a new one with .recover",
            "You can only execute one statement at a time.": "write one SELECT",
        }
        return DatabaseError(text, file=self._path, hint=hints.get(text))


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
