"""Databases that SQLAlchemy reaches by a URL, opened for reading."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from .errors import DatabaseError, TimeLimitError
from .reading import refusal
from .rows import Rows
from .urls import scrubbed, shown_url

__all__ = ["Session", "engine_of", "told"]

_CONNECT = 10  # seconds to wait for a server
_CONNECT_OPTIONS = {"psycopg", "psycopg2", "pymysql", "mysqldb", "mariadbconnector"}
"""Drivers that know connect_timeout."""

_LATE = ("57014", 1969, 3024)
"""What PostgreSQL (SQLSTATE), MariaDB and MySQL (error numbers) call a query that took too long."""


def _postgres(seconds: float, _: int, __: str) -> list[str]:
    return [
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
        f"SET statement_timeout = {math.ceil(seconds * 1000)}",
    ]


def _mysql(seconds: float, max_rows: int, version: str) -> list[str]:
    """A mysql:// URL may lead to MariaDB, which names the limit otherwise."""
    mariadb = "mariadb" in version.lower()
    limit = f"max_statement_time = {seconds:g}" if mariadb else f"MAX_EXECUTION_TIME = {math.ceil(seconds * 1000)}"
    # drivers read every row that the server sends, wanted or not
    return ["SET SESSION TRANSACTION READ ONLY", f"SET SESSION {limit}, sql_select_limit = {max_rows + 1}"]


def _sqlite(seconds: float, _: int, __: str) -> list[str]:
    return ["PRAGMA query_only = ON", f"PRAGMA busy_timeout = {math.ceil(seconds * 1000)}"]


# What makes a session of each dialect read-only and impatient, and sqlglot's name of the dialect.
_SESSIONS: dict[str, tuple[Callable[[float, int, str], list[str]], str]] = {
    "postgresql": (_postgres, "postgres"),
    "mysql": (_mysql, "mysql"),
    "mariadb": (_mysql, "mysql"),
    "sqlite": (_sqlite, "sqlite"),
}


class Session:
    """What runs queries behind a SQLAlchemy engine.

    Every connection is made read-only and given a statement timeout when it is opened; of what is asked only a text
    that parses as one query, and calls nothing that does more than read (`reading`), is sent. The server has the last
    word, so connect as a user who may only read.
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
        session, self._dialect = _SESSIONS[engine.dialect.name]

        def prepare(connection: Any, _: Any) -> None:
            cursor = connection.cursor()
            cursor.execute("SELECT sqlite_version()" if self._dialect == "sqlite" else "SELECT version()")
            for statement in session(timeout, max_rows, str(cursor.fetchone()[0])):
                cursor.execute(statement)
            cursor.close()
            connection.commit()

        event.listen(engine, "connect", prepare)
        try:
            self.run("SELECT 1", 1)
        except TypeError as error:  # what stands behind the URL's ? goes to the driver's connect()
            raise DatabaseError(f"{self.name}: {error}", hint="mend what stands behind the question mark") from error

    def close(self) -> None:
        """Close every connection of the engine."""
        self._engine.dispose()

    def run(self, sql: str, cap: int) -> Rows:
        """Run one query and return ``cap`` rows of it at most; see `Database.query`."""
        if problem := refusal(sql, self._dialect):
            raise DatabaseError(f"{self.name}: refused, {problem}", hint="write one SELECT")
        try:
            with self._engine.connect() as connection:
                # no_parameters keeps drivers from reading the % of a LIKE as a placeholder; all rows come in one fetch,
                # which is one statement to the server's clock
                options = connection.execution_options(no_parameters=True, yield_per=cap + 1)
                with options.exec_driver_sql(sql) as found:
                    rows = [tuple(map(_hashable, row)) for row in found.fetchmany(cap + 1)]
                    columns = tuple(found.keys())
        except SQLAlchemyError as error:
            raise self._explained(error) from error
        return Rows(columns, rows[:cap], truncated=len(rows) > cap)

    def quote(self, name: str) -> str:
        """Return a name in the quotes of the dialect."""
        mark = "`" if self._dialect == "mysql" else '"'
        return f"{mark}{name.replace(mark, mark * 2)}{mark}"

    def _explained(self, error: SQLAlchemyError) -> DatabaseError:
        cause: Any = getattr(error, "orig", None) or error
        if any(code in _LATE for code in _codes(cause)):
            return TimeLimitError(f"{self.name}: the query took longer than {self._timeout:g} s")
        return DatabaseError(f"{self.name}: {told(cause, self._engine)}")


def engine_of(url: str) -> Engine:
    """Return the engine of a URL, not connected yet; it gives up after ten seconds without an answer.

    Raises:
        DatabaseError: it is no URL, its dialect is unknown, or the driver is not installed.
    """
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
