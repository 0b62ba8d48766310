"""Databases that SQLAlchemy reaches by a URL, opened for reading."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from ..errors import DatabaseError, TimeLimitError, UnavailableError, UnknownNameError
from ..schema.schema import Function, Schema
from ..sql.readable import Readable, readable_on
from ..sql.reading import as_read
from .rights import rights_of
from .rows import Rows
from .sqlite_urls import sqlite_file
from .urls import scrubbed, shown_url

__all__ = ["ServerSession", "engine_of", "told"]

_CONNECT = 10  # seconds to wait for a server
_CONNECT_OPTIONS = {"psycopg", "psycopg2", "pymysql", "mysqldb", "mariadbconnector"}
"""Drivers that know connect_timeout."""

_LATE, _LOCKED, _UNKNOWN_NAME = ("57014", 1969, 3024), ("55P03", 1205), ("42P01", "42703", 1146, 1054, 1356)
"""What PostgreSQL (SQLSTATE), MariaDB and MySQL (error numbers) call a query that took too long, one that waited for a
lock, and names that are not there."""

_UNAVAILABLE = re.compile("42501|(08|40|53|55|57|58|XX)...|10(21|30|4[01459])|11(14|4[23]|94)|1213|1317|20(06|13)")
"""What they call a missing right, and a server or table that is lost, full or crashed."""

_MODES = {
    *("ONLY_FULL_GROUP_BY", "STRICT_TRANS_TABLES", "STRICT_ALL_TABLES", "NO_ZERO_IN_DATE", "NO_ZERO_DATE"),
    *("ERROR_FOR_DIVISION_BY_ZERO", "NO_ENGINE_SUBSTITUTION", "NO_UNSIGNED_SUBTRACTION", "PAD_CHAR_TO_FULL_LENGTH"),
    *("ALLOW_INVALID_DATES", "TIME_ROUND_FRACTIONAL", "TIME_TRUNCATE_FRACTIONAL"),
}
"""Modes of MariaDB and MySQL that change no query's words: others say where a text ends or what || is."""


def _postgres(seconds: float, _: int, __: str, ___: str) -> list[str]:
    return [
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
        _limit(seconds, "postgres"),
        f"SET lock_timeout = {math.ceil(seconds * 900)}",  # sooner, so that a wait is told from a slow query
        "SET standard_conforming_strings = on",  # a backslash is a character, as the parser has it
    ]


def _mysql(seconds: float, max_rows: int, version: str, modes: str) -> list[str]:
    wait = max(1, math.ceil(seconds) - 1)  # sooner than the limit, likewise
    kept = ",".join(mode for mode in modes.split(",") if mode in _MODES)
    # drivers read every row that the server sends, wanted or not
    return [
        "SET SESSION TRANSACTION READ ONLY",
        _limit(seconds, "mysql", version),
        f"SET SESSION lock_wait_timeout = {wait}, innodb_lock_wait_timeout = {wait}",
        f"SET SESSION sql_select_limit = {max_rows + 1}, sql_mode = '{kept}'",
    ]


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
        self._timeout = timeout
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
        except TypeError as error:  # what stands behind the URL's ? goes to the driver's connect()
            raise DatabaseError(f"{self.name}: {error}", hint="mend what stands behind the question mark") from error
        self.rights = rights_of(self._ask, self.dialect)

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
        known = self.readable
        try:
            return as_read(sql, self.dialect, known)
        except DatabaseError as error:
            raise DatabaseError(f"{self.name}: refused, {error.problem}", hint=error.hint) from error

    def send(self, sql: str, cap: int, *, until: float = float("inf"), **_: float) -> Rows:
        """Run one query that is known to only read, and return ``cap`` rows of it at most, in the server's time.

        Args:
            until: as of `SqliteSession.send`; what is left is told the server in tenths of the timeout.
        """
        left = max(0.1, math.ceil(10 * min((until - time.monotonic()) / self._timeout, 1.0)) / 10)
        try:
            with self._engine.connect() as connection:
                if connection.info.get("left", 1.0) != left:
                    connection.exec_driver_sql(_limit(left * self._timeout, self.dialect, self.version))
                    connection.commit()  # a connection keeps it, whatever becomes of its next query
                    connection.info["left"] = left
                # no_parameters keeps drivers from reading the % of a LIKE as a placeholder; all rows come in one fetch,
                # which is one statement to the server's clock
                options = connection.execution_options(no_parameters=True, yield_per=cap + 1)
                with options.exec_driver_sql(sql) as found:
                    rows = [tuple(map(_hashable, row)) for row in found.fetchmany(cap + 1)]
                    columns = tuple(found.keys())
        except SQLAlchemyError as error:
            raise self._explained(error) from error
        return Rows(columns, rows[:cap], truncated=len(rows) > cap)

    def schema_state(self) -> object:
        """Return what is another one when a table, view or column was made, renamed or dropped.

        Raises:
            DatabaseError: it cannot be read at present.
        """
        return self._ask(_SCHEMA_STATES[self.dialect])

    def quote(self, name: str) -> str:
        """Return a name in the quotes of the dialect."""
        mark = "`" if self.dialect == "mysql" else '"'
        return f"{mark}{name.replace(mark, mark * 2)}{mark}"

    def _ask(self, sql: str) -> list[tuple[Any, ...]]:
        """Return all rows of a query of ours."""
        try:
            with self._engine.connect() as connection:
                options = connection.execution_options(no_parameters=True)
                return [tuple(row) for row in options.exec_driver_sql(sql)]
        except SQLAlchemyError as error:
            raise self._explained(error) from error

    def _explained(self, error: SQLAlchemyError) -> DatabaseError:
        cause: Any = getattr(error, "orig", None) or error
        codes = {code for code in _codes(cause) if code}
        if codes & {*_LATE}:
            return TimeLimitError(f"{self.name}: the query took longer than {self._timeout:g} s")
        if codes & {*_LOCKED}:
            return TimeLimitError(f"{self.name}: another session has locked what the query reads")
        kind = UnknownNameError if codes & {*_UNKNOWN_NAME} else DatabaseError
        if getattr(error, "connection_invalidated", False) or any(_UNAVAILABLE.fullmatch(str(code)) for code in codes):
            kind = UnavailableError
        return kind(f"{self.name}: {told(cause, self._engine)}")


def engine_of(url: str) -> Engine:
    """Return the engine of a URL, not connected yet; it gives up after ten seconds without an answer.

    Raises:
        DatabaseError: it is no URL, its dialect is unknown, or the driver is not installed; it is a file's.
    """
    if sqlite_file(url) is not None:  # SQLAlchemy would make a file that is not there
        raise DatabaseError("a SQLite file is no server", hint="give the file to what reads files")
    try:
        driver, host = make_url(url).get_driver_name(), make_url(url).host or ""
        options = {"connect_timeout": _CONNECT} if driver in _CONNECT_OPTIONS and "connect_timeout=" not in url else {}
        if "@" in host or url.partition("?")[0].count("@") > 1:
            raise DatabaseError("an @ in the password of this URL ends it", hint="write %40 in its place")
        return create_engine(url, connect_args=options, pool_pre_ping=True)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError, ValueError) as error:
        hint = "write dialect+driver://user@host/database, and install the driver"
        raise DatabaseError(f"cannot open this URL: {scrubbed(str(error), url)}", hint=hint) from error


def _hashable(value: Any) -> Any:
    """Return arrays and JSON as JSON text, as MySQL does, so that rows can be compared as bags."""
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else value


def told(error: Any, engine: Engine) -> str:
    """Return a driver's message in one line, without the number before it and the excerpt of the query behind it.

    A password with signs that should have been escaped is taken for part of the host, and told as one: it is hidden.
    """
    details: Any = error.args[-1] if error.args else str(error)
    primary = getattr(getattr(error, "diag", None), "message_primary", None)
    if isinstance(details, dict):  # pg8000 gives the server's fields
        primary = details.get("M")
    text = primary or (details if len(error.args) == 2 else error)
    return scrubbed(" ".join(str(text).split()), engine.url.render_as_string(hide_password=False))


def _codes(error: Any) -> Iterator[Any]:
    """Yield what may be the server's code of an error, each driver keeping it elsewhere."""
    yield getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    for first in error.args[:1]:
        yield first.get("C") if isinstance(first, dict) else first
