"""Databases that SQLAlchemy reaches by a URL, opened for reading."""

import json
import math
import re
import time
from collections.abc import Generator, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.engine import CursorResult

from ..errors import DatabaseError, LockedError, TimeLimitError, UnavailableError, UnknownNameError
from ..schema.schema import Function, Schema
from ..urls import scrubbed
from .catalogue import Readable, Rights, catalogue, readable_on, rights_of
from .rows import Rows
from .shared_server import SharedServer

_LATE, _LOCKED, _UNKNOWN_NAME = ("57014", 1969, 3024), ("55P03", 1205), ("42P01", "42703", 1146, 1054, 1356)
"""Codes of PostgreSQL (SQLSTATE), MariaDB and MySQL (error numbers) for a query that took too long, one that waited for
a lock, and unknown names."""

_UNAVAILABLE = re.compile("42501|(08|40|53|55|57|58|XX)...|10(21|30|4[01459])|11(14|4[23]|94)|1213|1317|20(06|13)")
"""Their codes for a missing right, and for a server or table that is lost, full or crashed."""

_LOCK_SECONDS = 5.0
"""The longest wait for a lock of another session: a longer one may last for hours."""

_TOO_LARGE = "the query takes too much memory"
_NO_MEMORY = re.compile("cannot allocate memory for input buffer|out of memory for query result")
"""The message of libpq if this process has no memory for a row."""

_FIRST_FETCH = 16  # rows of the first fetch; its first row is fetched alone
_FETCH = 4_000_000  # bytes of each fetch after it, if rows go on as they began


def _limits(seconds: float, lock_seconds: float, max_rows: int, dialect: str, version: str) -> str:
    """Return the statement that limits each query and, more tightly, each wait for a lock, so that their errors differ.

    A mysql:// URL may lead to MariaDB, whose limit has another name.
    """
    milliseconds, wait = math.ceil(seconds * 1000), min(seconds, lock_seconds)
    if dialect == "postgres":
        lock = math.ceil(wait * 900)
        settings = (
            f"set_config('statement_timeout', '{milliseconds}', false), set_config('lock_timeout', '{lock}', false)"
        )
        return f"SELECT {settings}"
    mariadb = "mariadb" in version.lower()
    query = f"max_statement_time = {seconds:g}" if mariadb else f"MAX_EXECUTION_TIME = {milliseconds}"
    lock = max(1, math.ceil(wait) - 1)
    # drivers read every row that the server sends, wanted or not
    rows = f"sql_select_limit = {max_rows + 1}"
    return f"SET SESSION {query}, lock_wait_timeout = {lock}, innodb_lock_wait_timeout = {lock}, {rows}"


def is_waiting(raised: Exception) -> bool:
    """Return whether an error of a driver means that a query waited too long for a lock of another session."""
    return bool({*_codes(getattr(raised, "orig", None) or raised)} & {*_LOCKED, *_LATE})


class ServerSession:
    """Runs queries on a SQLAlchemy engine, whose connections are shared by the sessions of a process on one URL.

    Every connection is made read-only when it is opened, and given time limits when it is used. A foreign query goes
    through `checked` first, which accepts queries that are known to only read (`reading`) from the tables of the
    schema; `send` is for those, and for queries of this package. The server has the last word, so connect as a user
    who may only read.

    Args:
        url: a SQLAlchemy URL.
        timeout: seconds that a query may take.
        max_rows: rows that a server should send of one.

    Attributes:
        url: a SQLAlchemy URL.
        name: the same without password.
        database: the name of the database.
        dialect: sqlglot's name of it.
        version: the version string of the server.
        rights: the rights of its user.

    Raises:
        DatabaseError: it cannot be reached, or its driver is missing.
    """

    def __init__(self, url: str, *, timeout: float, max_rows: int) -> None:
        self._server: SharedServer | None = (server := SharedServer.of(url))
        self.name, self.dialect, self._engine = server.name, server.dialect, server.engine
        self.url, self.database = url, server.engine.url.database or ""
        self._timeout, self._max_rows = timeout, max_rows
        self._tables: list[str] | None = None
        self._functions: list[str] = []
        self._readable: Readable | None = None
        try:
            with self.connected():
                self.version = server.version
        except DatabaseError as error:
            self.close()
            if not isinstance(error.__cause__, TypeError):  # the URL's query part goes to connect()
                raise
            raise DatabaseError(error.problem, hint="mend what stands behind the question mark") from error
        try:
            self.rights = server.rights = server.rights or rights_of(self._ask, self.dialect)
        except DatabaseError as error:
            self.rights = Rights.unknown(error.problem)

    def close(self) -> None:
        """Release the server, whose connections are closed with its last session."""
        if self._server is not None:
            self._server.release()
            self._server = None

    def define(self, functions: Iterable[Function]) -> None:
        """Let queries call functions, which the server itself has; see `readable_on`."""
        self._functions += [function.name for function in functions]
        self._readable = None

    def confine(self, schema: Schema) -> None:
        """Let queries read the tables of a schema alone."""
        self._tables = [table.name for table in schema.tables]
        self._readable = None

    @property
    def readable(self) -> Readable:
        """Return the names that queries may use; the server is queried for them once."""
        if self._readable is None:
            known = readable_on(self._ask, self.dialect, tables=self._tables, functions=self._functions)
            self._readable = known
        return self._readable

    def checked(self, sql: str) -> str:
        """Return a foreign query in the form that may be sent; see `Database.query`.

        Raises:
            DatabaseError: it is not known to only read, or the server does not return the names that it may use.
        """
        from .reading import as_read  # needs sqlglot, see `Database`

        known = self.readable
        try:
            return as_read(sql, self.dialect, known)
        except DatabaseError as error:
            raise DatabaseError(f"{self.name}: refused, {error.problem}", hint=error.hint) from error

    def send(self, sql: str, cap: int, *, timeout: float = 0.0, until: float = float("inf")) -> Rows:
        """Run one query that is known to only read, and return ``cap`` rows of it at most, in the server's time.

        Args:
            timeout: seconds that it may take; 0 for as many as the query before.
            until: the same as in `SqliteSession.send`; the server gets the rest in tenths of the timeout.
        """
        self._timeout = timeout or self._timeout
        share = max(0.1, math.ceil(10 * min((until - time.monotonic()) / self._timeout, 1.0)) / 10)
        with self.connected() as connection:
            self.limit(connection, share * self._timeout)
            # no_parameters keeps drivers from reading the % of a LIKE as a placeholder; stream_results leaves the rows
            # with the server until they are fetched
            options = connection.execution_options(no_parameters=True, stream_results=True)
            try:
                with options.exec_driver_sql(sql) as found:
                    try:
                        rows = Rows.read(found.keys(), _fetched(found, cap + 1), cap)
                    except (DatabaseError, MemoryError):
                        _leave(connection, found)
                        raise
                    if rows.truncated:
                        _leave(connection, found)
                    return rows
            except MemoryError as error:
                connection.invalidate()  # it is in the middle of a row
                raise UnavailableError(f"{self.name}: {_TOO_LARGE}", hint="ask for less") from error

    def schema_state(self) -> object:
        """Return a value that changes when a table, view or column is made, renamed or dropped.

        Raises:
            DatabaseError: it cannot be read at present.
        """
        return self._ask(catalogue(self.dialect)["schema_state"])

    def _ask(self, sql: str) -> list[tuple[Any, ...]]:
        """Return all rows of a query of this package."""
        return self.send(sql, 10**9).rows

    @contextmanager
    def connected(self) -> Generator[Connection]:
        """Yield a connection; all errors of a driver become DatabaseErrors, even those of an unparsable cell."""
        try:
            with self._engine.connect() as connection:
                yield connection
        except DatabaseError:
            raise
        except Exception as error:
            raise self._explained(error) from error

    def limit(self, connection: Connection, seconds: float, lock_seconds: float | None = None) -> None:
        """Give each query on a connection so many seconds from now on, and let it wait less for a lock."""
        limits = _limits(seconds, lock_seconds or _LOCK_SECONDS, self._max_rows, self.dialect, self.version)
        if connection.info.get("limits") != limits:
            connection.exec_driver_sql(limits)
            connection.commit()  # it lasts, whatever happens to the next query
            connection.info["limits"] = limits

    def _explained(self, error: Exception) -> DatabaseError:
        codes = {code for code in _codes(getattr(error, "orig", None) or error) if code}
        if codes & {*_LATE}:
            return TimeLimitError(f"{self.name}: the query took longer than {self._timeout:g} s")
        if codes & {*_LOCKED}:
            return LockedError(f"{self.name}: another session has locked what the query reads")
        if _NO_MEMORY.search(str(error)):  # of this process, says the driver
            return UnavailableError(f"{self.name}: {_TOO_LARGE}", hint="ask for less")
        kind = UnknownNameError if codes & {*_UNKNOWN_NAME} else DatabaseError
        if getattr(error, "connection_invalidated", False) or any(_UNAVAILABLE.fullmatch(str(code)) for code in codes):
            kind = UnavailableError
        return kind(f"{self.name}: {message_of(error, self)}")


def _fetched(found: CursorResult[Any], most: int) -> Iterator[tuple[Any, ...]]:
    """Yield up to ``most`` rows, in fetches of a few megabytes: to the server's clock each is a statement."""
    wanted, size, got = _FIRST_FETCH, 1, 0
    while some := found.fetchmany(min(wanted, most - got)):
        for row in some:
            cells = tuple(map(_hashable, row))
            size += sum(len(cell) for cell in cells if isinstance(cell, str | bytes))
            yield cells
        got += len(some)
        if len(some) < wanted:
            return
        wanted = max(1, _FETCH * got // size)


def _leave(connection: Connection, found: CursorResult[Any]) -> None:
    """Drop a connection and its unread rows, which PyMySQL would read when the cursor is closed."""
    if (unread := getattr(found.cursor, "_result", None)) is not None:
        unread.unbuffered_active = False
    connection.invalidate()


def _hashable(value: Any) -> Any:
    """Return arrays and JSON as JSON text, as MySQL does, and multiranges as text, so that rows can be compared."""
    if isinstance(value, memoryview):
        return bytes(value)
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value if isinstance(value, Hashable) else str(value)


def message_of(raised: Exception, session: ServerSession) -> str:
    """Return a driver's message in one line, without the number before it and the excerpt of the query behind it.

    A password with unescaped signs is parsed as part of the host, and is hidden.
    """
    if isinstance(raised, DatabaseError):
        return raised.problem.removeprefix(f"{session.name}: ")
    error: Any = getattr(raised, "orig", None) or raised
    details: Any = error.args[-1] if error.args else str(error)
    primary = getattr(getattr(error, "diag", None), "message_primary", None)
    if isinstance(details, dict):  # pg8000 gives the server's fields
        primary = details.get("M")
    text = str(primary or (details if len(error.args) == 2 else error)) or type(error).__name__
    return scrubbed(" ".join(text.split()), session.url)


def _codes(error: Any) -> Iterator[Any]:
    """Yield the candidates for the server's code of an error, which each driver has elsewhere."""
    yield getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    for first in error.args[:1]:
        yield first.get("C") if isinstance(first, dict) else first
