"""Running queries on a database that they cannot change.

That no query writes is the connection's doing, not the grammar's: SQLite opens the file read-only
and an authorizer lets nothing but reads through; other databases run one parsed SELECT in a
read-only transaction. Time and rows are limited everywhere.
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
from urllib.parse import quote, unquote

from .defined_functions import DefinedFunctions
from .errors import DatabaseError, TimeLimitError
from .rows import Rows
from .schema import Function, Schema

if TYPE_CHECKING:
    from sqlalchemy import Engine

__all__ = ["Database", "RemoteDatabase", "SqliteDatabase"]


class Database(abc.ABC):
    """One database, opened for reading; a context manager.

    Attributes:
        name: file or URL (without password), for messages.
        timeout: seconds one query may take.
        max_rows: rows fetched of one query.
    """

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
            path_or_url: a path, ``sqlite:///PATH``, ``postgresql+psycopg://…``, ``mysql+pymysql://…``.
            timeout: seconds one query may take, waiting for locks included.
            max_rows: rows fetched of one query; `Rows.truncated` tells of more.
            functions: see `define`.

        Raises:
            DatabaseError: there is no such database, it cannot be read, or its driver is missing; the SQL of a
                function does not run on it.
        """
        text = str(path_or_url)
        if "://" in text and not text.startswith("sqlite:///"):
            from .remote import engine_of  # SQLAlchemy takes a while to import; SQLite needs it not

            return RemoteDatabase(engine_of(text), timeout=timeout, max_rows=max_rows)
        database = SqliteDatabase(_file(text), timeout=timeout, max_rows=max_rows)
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

    def query(self, sql: str) -> Rows:
        """Run one query.

        Raises:
            DatabaseError: it is no query, would write, took too long, or the database refused it.
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

    def distinct(self, table: str, column: str, limit: int = 1000) -> list[Any]:
        """Return up to ``limit`` different values of a column, NULL left out."""
        source, cell = self._quote(table), f"{self._quote(table)}.{self._quote(column)}"
        sql = f"SELECT DISTINCT {cell} FROM {source} WHERE {cell} IS NOT NULL LIMIT {int(limit)}"
        return [row[0] for row in self._run(sql, limit).rows]

    def probe(self, schema: Schema) -> None:
        """Look whether the first column of a schema can be read.

        Raises:
            DatabaseError: the database is gone, locked, or another one.
        """
        table, column = next(schema.columns())
        self.distinct(table.name, column.name, limit=1)

    @abc.abstractmethod
    def close(self) -> None:
        """Let go of the database."""

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


def _file(text: str) -> Path:
    return Path(unquote(text.removeprefix("sqlite:///"))) if text.startswith("sqlite:///") else Path(text)


_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
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
        self._connection = self._connected(0)  # `_execute` waits for locks, which knows the deadline
        self._caller: sqlite3.Connection | None = None  # runs the SQL of functions
        self._functions: DefinedFunctions | None = None
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
        made.set_authorizer(self._authorize)
        made.set_progress_handler(self._late, _STEPS)
        return made

    def _begin(self) -> None:
        self._refused = ""
        self._deadline = time.monotonic() + self.timeout
        if self._functions is not None:
            self._functions.begin()

    def _execute(self, sql: str) -> sqlite3.Cursor:
        """Run SQL; wait for another program's lock as long as there is time."""
        while True:
            try:
                return self._connection.execute(sql)
            except sqlite3.OperationalError as error:
                busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() > min(self._deadline, self._patience):
                    raise
            time.sleep(_WAIT)

    def _run(self, sql: str, cap: int) -> Rows:
        self._begin()
        try:
            cursor = self._execute(sql)
            rows = cursor.fetchmany(cap + 1)
            columns = tuple(d[0] for d in cursor.description or ())
            cursor.close()
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise self._explained(error, sql) from error
        except ValueError as error:  # half a character, or a zero byte, which no SQL has
            raise DatabaseError(f"this is no query: {error}", file=self._path, hint="write one SELECT") from error
        if not columns:
            raise DatabaseError("this is no query", file=self._path, hint="write one SELECT")
        return Rows(columns, rows[:cap], truncated=len(rows) > cap)

    def _quote(self, name: str) -> str:
        escaped = name.replace('"', '""')
        return f'"{escaped}"'

    def _authorize(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FORBIDDEN_FUNCTIONS:
            self._refused = f"{second}()"
        elif action not in _READS:
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

    def define(self, functions: Iterable[Function]) -> None:
        """Leave functions to the server, which has its own."""

    def close(self) -> None:
        """Close every connection to the server."""
        self._session.close()

    def _run(self, sql: str, cap: int) -> Rows:
        return self._session.run(sql, cap)

    def _quote(self, name: str) -> str:
        return self._session.quote(name)
