"""Databases that SQLAlchemy reaches by a URL, opened for reading."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import CursorResult, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from ..errors import DatabaseError, TimeLimitError, UnavailableError, UnknownNameError
from ..schema.schema import Function, Schema
from ..sql.readable import Readable, readable_on
from .postgres_times import hold_any_time
from .rights import Rights, rights_of
from .rows import Rows
from .sqlite_urls import sqlite_file
from .urls import scrubbed, shown_url

__all__ = ["ServerSession", "engine_of", "is_locked", "limit_reading", "told"]

_CONNECT = 10  # seconds to wait for a server
_CONNECT_OPTIONS = {"psycopg", "psycopg2", "pymysql", "mysqldb", "mariadbconnector"}
"""Drivers that know connect_timeout."""

_LATE, _LOCKED, _UNKNOWN_NAME = ("57014", 1969, 3024), ("55P03", 1205), ("42P01", "42703", 1146, 1054, 1356)
"""What PostgreSQL (SQLSTATE), MariaDB and MySQL (error numbers) call a query that took too long, one that waited for a
lock, and names that are not there."""

_UNAVAILABLE = re.compile("42501|(08|40|53|55|57|58|XX)...|10(21|30|4[01459])|11(14|4[23]|94)|1213|1317|20(06|13)")
"""What they call a missing right, and a server or table that is lost, full or crashed."""

_LOCK_SECONDS = 5.0
"""How long another session's lock is waited for at most: who has one for longer may have it for hours."""

_TOO_LARGE = "the query takes too much memory"
_NO_MEMORY = re.compile("cannot allocate memory for input buffer|out of memory for query result")
"""What libpq says where this process gets no memory for a row."""

_FIRST_FETCH = 16  # rows of the first fetch; its first row is fetched alone
_FETCH = 4_000_000  # bytes of each fetch after it, if rows go on as they began

_MODES = {
    *("ONLY_FULL_GROUP_BY", "STRICT_TRANS_TABLES", "STRICT_ALL_TABLES", "NO_ZERO_IN_DATE", "NO_ZERO_DATE"),
    *("ERROR_FOR_DIVISION_BY_ZERO", "NO_ENGINE_SUBSTITUTION", "NO_UNSIGNED_SUBTRACTION", "PAD_CHAR_TO_FULL_LENGTH"),
    *("ALLOW_INVALID_DATES", "TIME_ROUND_FRACTIONAL", "TIME_TRUNCATE_FRACTIONAL"),
}
"""Modes of MariaDB and MySQL that change no query's words: others say where a text ends or what || is."""


def _postgres(seconds: float, _: int, version: str, __: str) -> list[str]:
    return [
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
        *_limits(seconds, "postgres", version),
        "SET standard_conforming_strings = on",  # a backslash is a character, as the parser has it
    ]


def _mysql(seconds: float, max_rows: int, version: str, modes: str) -> list[str]:
    kept = ",".join(mode for mode in modes.split(",") if mode in _MODES)
    # drivers read every row that the server sends, wanted or not
    return [
        "SET SESSION TRANSACTION READ ONLY",
        *_limits(seconds, "mysql", version),
        f"SET SESSION sql_select_limit = {max_rows + 1}, sql_mode = '{kept}'",
    ]


def _limits(seconds: float, dialect: str, version: str) -> list[str]:
    """Return what limits each query and each wait for a lock, which ends sooner, so that it is told from the other."""
    wait = min(seconds, _LOCK_SECONDS)
    if dialect == "postgres":
        return [_limit(seconds, dialect), f"SET lock_timeout = {math.ceil(wait * 900)}"]
    whole = max(1, math.ceil(wait) - 1)
    locks = f"SET SESSION lock_wait_timeout = {whole}, innodb_lock_wait_timeout = {whole}"
    return [_limit(seconds, dialect, version), locks]


def limit_reading(engine: Engine, seconds: float) -> None:
    """Have no statement of an engine that reads a schema take longer than so many seconds, or wait long for a lock."""
    dialect = _SESSIONS[engine.dialect.name][1] if engine.dialect.name in _SESSIONS else ""

    def prepare(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("SELECT version()")
        for statement in _limits(seconds, dialect, str(cursor.fetchone()[0])):
            cursor.execute(statement)
        cursor.close()
        connection.commit()

    if dialect:  # others are refused when they are opened
        event.listen(engine, "connect", prepare)


def is_locked(raised: Exception) -> bool:
    """Say whether a driver raised an error because another session has locked what was to be read."""
    return bool({*_codes(getattr(raised, "orig", None) or raised)} & {*_LOCKED})


def _limit(seconds: float, dialect: str, version: str = "") -> str:
    """Return what limits each query; a mysql:// URL may lead to MariaDB, which names the limit otherwise."""
    if "mariadb" in version.lower():
        return f"SET SESSION max_statement_time = {seconds:g}"
    name = "statement_timeout" if dialect == "postgres" else "MAX_EXECUTION_TIME"
    return f"SET SESSION {name} = {math.ceil(seconds * 1000)}"


_SCHEMA_STATES = {
    "postgres": """
        SELECT COUNT(*), SUM(hashtext(concat_ws('.', n.nspname, c.relname, a.attname, a.atttypid))::bigint)
        FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND a.attnum > 0 AND NOT a.attisdropped
            AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    """,
    "mysql": """
        SELECT COUNT(*), SUM(CRC32(CONCAT_WS('.', table_name, column_name, column_type)))
        FROM information_schema.columns WHERE table_schema = DATABASE()
    """,
}
"""Numbers that tell a server's tables from those of before: neither counts what changes them."""

_Settings = Callable[[float, int, str, str], list[str]]
# What makes a session of each dialect read-only and impatient, and sqlglot's name of the dialect.
_SESSIONS: dict[str, tuple[_Settings, str]] = {
    "postgresql": (_postgres, "postgres"),
    "mysql": (_mysql, "mysql"),
    "mariadb": (_mysql, "mysql"),
}


class ServerSession:
    """What runs queries behind a SQLAlchemy engine.

    Every connection is made read-only and given time limits when it is opened. What somebody else has written goes
    through `checked` first, which returns what is known to only read (`reading`) of the tables that were read; `send`
    is for that, and for what this package writes itself. The server has the last word, so connect as a user who may
    only read.

    Attributes:
        name: the URL without password.
        dialect: sqlglot's name of it.
        version: what the server says of itself.
        rights: what its user may do beside reading.
    """

    def __init__(self, engine: Engine, *, timeout: float, max_rows: int) -> None:
        self.name = shown_url(engine.url.render_as_string(hide_password=False))
        self._engine = engine
        self._timeout = self._begun_with = timeout
        if engine.dialect.name not in _SESSIONS:
            known = ", ".join(sorted(_SESSIONS))
            raise DatabaseError(
                f"{self.name}: cannot open {engine.dialect.name} for reading only", hint=f"use one of {known}"
            )
        session, self.dialect = _SESSIONS[engine.dialect.name]

        def prepare(connection: Any, _: Any) -> None:
            cursor = connection.cursor()
            cursor.execute(f"SELECT version(), {'@@sql_mode' if self.dialect == 'mysql' else 0}")
            for statement in session(timeout, max_rows, *map(str, cursor.fetchone())):
                cursor.execute(statement)
            cursor.close()
            connection.commit()

        event.listen(engine, "connect", prepare)
        self._tables: list[str] | None = None
        self._functions: list[str] = []
        self._readable: Readable | None = None
        try:
            self.version = str(self._ask("SELECT version()")[0][0])
        except DatabaseError as error:
            if not isinstance(error.__cause__, TypeError):  # what stands behind the URL's ? goes to connect()
                raise
            raise DatabaseError(error.problem, hint="mend what stands behind the question mark") from error
        try:
            self.rights = rights_of(self._ask, self.dialect)
        except DatabaseError as error:
            self.rights = Rights.unknown(error.problem)

    def close(self) -> None:
        """Close every connection of the engine."""
        self._engine.dispose()

    def define(self, functions: Iterable[Function]) -> None:
        """Let queries call functions, which the server has in itself; see `readable_on`."""
        self._functions += [function.name for function in functions]
        self._readable = None

    def confine(self, schema: Schema) -> None:
        """Let queries read the tables of a schema alone."""
        self._tables = [table.name for table in schema.tables]
        self._readable = None

    @property
    def readable(self) -> Readable:
        """What `checked` lets queries name, asked of the server once."""
        if self._readable is None:
            known = readable_on(self._ask, self.dialect, tables=self._tables, functions=self._functions)
            self._readable = known
        return self._readable

    def checked(self, sql: str) -> str:
        """Return somebody else's query as it may be sent; see `Database.query`.

        Raises:
            DatabaseError: it is not known to only read, or the server does not tell what it may name.
        """
        from ..sql.reading import as_read  # needs sqlglot, see `Database`

        known = self.readable
        try:
            return as_read(sql, self.dialect, known)
        except DatabaseError as error:
            raise DatabaseError(f"{self.name}: refused, {error.problem}", hint=error.hint) from error

    def send(self, sql: str, cap: int, *, timeout: float = 0.0, until: float = float("inf")) -> Rows:
        """Run one query that is known to only read, and return ``cap`` rows of it at most, in the server's time.

        Args:
            timeout: seconds that it may take; 0 for as many as the query before.
            until: as of `SqliteSession.send`; what is left is told the server in tenths of the timeout.
        """
        self._timeout = timeout or self._timeout
        share = max(0.1, math.ceil(10 * min((until - time.monotonic()) / self._timeout, 1.0)) / 10)
        with self._connected() as connection:
            if connection.info.get("seconds", self._begun_with) != (seconds := share * self._timeout):
                connection.exec_driver_sql(_limit(seconds, self.dialect, self.version))
                connection.commit()  # a connection keeps it, whatever becomes of its next query
                connection.info["seconds"] = seconds
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
        """Return what is another one when a table, view or column was made, renamed or dropped.

        Raises:
            DatabaseError: it cannot be read at present.
        """
        return self._ask(_SCHEMA_STATES[self.dialect])

    def _ask(self, sql: str) -> list[tuple[Any, ...]]:
        """Return all rows of a query of ours."""
        return self.send(sql, 10**9).rows

    @contextmanager
    def _connected(self) -> Generator[Connection]:
        """Yield a connection; whatever a driver raises, at a cell that it cannot hold as well, is a DatabaseError."""
        try:
            with self._engine.connect() as connection:
                yield connection
        except DatabaseError:
            raise
        except Exception as error:
            raise self._explained(error) from error

    def _explained(self, error: Exception) -> DatabaseError:
        codes = {code for code in _codes(getattr(error, "orig", None) or error) if code}
        if codes & {*_LATE}:
            return TimeLimitError(f"{self.name}: the query took longer than {self._timeout:g} s")
        if codes & {*_LOCKED}:
            return TimeLimitError(f"{self.name}: another session has locked what the query reads")
        if _NO_MEMORY.search(str(error)):  # of this process, says the driver
            return UnavailableError(f"{self.name}: {_TOO_LARGE}", hint="ask for less")
        kind = UnknownNameError if codes & {*_UNKNOWN_NAME} else DatabaseError
        if getattr(error, "connection_invalidated", False) or any(_UNAVAILABLE.fullmatch(str(code)) for code in codes):
            kind = UnavailableError
        return kind(f"{self.name}: {told(error, self._engine)}")


def engine_of(url: str) -> Engine:
    """Return the engine of a URL, not connected yet; it gives up after ten seconds without an answer.

    On PostgreSQL ``?role=NAME`` has every session begin under SET ROLE, which no query that may be sent takes back.

    Raises:
        DatabaseError: it is no URL, its dialect is unknown, or the driver is not installed; it is a file's.
    """
    if sqlite_file(url) is not None:  # SQLAlchemy would make a file that is not there
        raise DatabaseError("a SQLite file is no server", hint="give the file to what reads files")
    try:
        place = make_url(url)
        driver, host = place.get_driver_name(), place.host or ""
        options = {"connect_timeout": _CONNECT} if driver in _CONNECT_OPTIONS and "connect_timeout=" not in url else {}
        if "@" in host or url.partition("?")[0].count("@") > 1:
            raise DatabaseError("an @ in the password of this URL ends it", hint="write %40 in its place")
        if place.get_backend_name() == "postgresql" and (role := place.query.get("role")):
            written = re.sub(r"([\\\s])", r"\\\1", str(role))
            place = place.difference_update_query(["role"])
            place = place.update_query_dict({"options": f"{place.query.get('options', '')} -c role={written}".strip()})
        engine = create_engine(place, connect_args=options, pool_pre_ping=True)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError, ValueError) as error:
        hint = "write dialect+driver://user@host/database, and install the driver"
        raise DatabaseError(f"cannot open this URL: {scrubbed(str(error), url)}", hint=hint) from error
    hold_any_time(engine)
    return engine


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
    """Let go of a connection and what it would still send, which PyMySQL would read when the cursor is closed."""
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


def told(raised: Exception, engine: Engine) -> str:
    """Return a driver's message in one line, without the number before it and the excerpt of the query behind it.

    A password with signs that should have been escaped is taken for part of the host, and told as one: it is hidden.
    """
    error: Any = getattr(raised, "orig", None) or raised
    details: Any = error.args[-1] if error.args else str(error)
    primary = getattr(getattr(error, "diag", None), "message_primary", None)
    if isinstance(details, dict):  # pg8000 gives the server's fields
        primary = details.get("M")
    text = str(primary or (details if len(error.args) == 2 else error)) or type(error).__name__
    return scrubbed(" ".join(text.split()), engine.url.render_as_string(hide_password=False))


def _codes(error: Any) -> Iterator[Any]:
    """Yield what may be the server's code of an error, each driver keeping it elsewhere."""
    yield getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    for first in error.args[:1]:
        yield first.get("C") if isinstance(first, dict) else first
