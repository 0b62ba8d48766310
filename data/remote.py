"""Databases that SQLAlchemy reaches by a URL, opened for reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from .database import Database, Rows
from .errors import DatabaseError
from .metrics import parse

__all__ = ["RemoteDatabase"]


def _postgres(seconds: float) -> list[str]:
    return [
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
        f"SET statement_timeout = {int(seconds * 1000)}",
    ]


def _mysql(seconds: float) -> list[str]:
    return ["SET SESSION TRANSACTION READ ONLY", f"SET SESSION MAX_EXECUTION_TIME = {int(seconds * 1000)}"]


def _mariadb(seconds: float) -> list[str]:
    return ["SET SESSION TRANSACTION READ ONLY", f"SET SESSION max_statement_time = {seconds:g}"]


def _sqlite(seconds: float) -> list[str]:
    return ["PRAGMA query_only = ON", f"PRAGMA busy_timeout = {int(seconds * 1000)}"]


# What makes a session of each dialect read-only and impatient, and sqlglot's name of the dialect.
_SESSIONS: dict[str, tuple[Callable[[float], list[str]], str]] = {
    "postgresql": (_postgres, "postgres"),
    "mysql": (_mysql, "mysql"),
    "mariadb": (_mariadb, "mysql"),
    "sqlite": (_sqlite, "sqlite"),
}


class RemoteDatabase(Database):
    """A database behind a SQLAlchemy engine.

    Every session is made read-only and given a statement timeout when it connects; of what is
    asked only a text that parses as one query is sent. The server has the last word, so connect
    as a user who may only read.
    """

    def __init__(self, engine: Engine, *, timeout: float = 5.0, max_rows: int = 1000) -> None:
        name = engine.url.render_as_string(hide_password=True)
        super().__init__(name, timeout=timeout, max_rows=max_rows)
        self._engine = engine
        if engine.dialect.name not in _SESSIONS:
            known = ", ".join(sorted(_SESSIONS))
            raise DatabaseError(
                f"{name}: cannot open {engine.dialect.name} for reading only", hint=f"use one of {known}"
            )
        session, self._dialect = _SESSIONS[engine.dialect.name]
        statements = session(timeout)

        def prepare(connection: Any, _: Any) -> None:
            cursor = connection.cursor()
            for statement in statements:
                cursor.execute(statement)
            cursor.close()
            connection.commit()

        event.listen(engine, "connect", prepare)
        self._run("SELECT 1", 1)

    @classmethod
    def connect(cls, url: str, *, timeout: float = 5.0, max_rows: int = 1000) -> RemoteDatabase:
        """Open ``url``; see `Database.open`."""
        try:
            engine = create_engine(url)
        except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
            hint = "write dialect+driver://user@host/database, and install the driver"
            raise DatabaseError(f"cannot open this URL: {error}", hint=hint) from error
        return cls(engine, timeout=timeout, max_rows=max_rows)

    def close(self) -> None:
        """Close every connection of the engine."""
        self._engine.dispose()

    def _run(self, sql: str, cap: int) -> Rows:
        if parse(sql, self._dialect) is None:
            raise DatabaseError(f"{self.name}: refused, this is not one query", hint="write one SELECT")
        try:
            with self._engine.connect() as connection:
                # no_parameters keeps drivers from reading the % of a LIKE as a placeholder
                found = connection.execution_options(no_parameters=True, stream_results=True).exec_driver_sql(sql)
                rows = [tuple(row) for row in found.fetchmany(cap + 1)]
                columns = tuple(found.keys())
        except SQLAlchemyError as error:
            cause = getattr(error, "orig", None) or error
            raise DatabaseError(f"{self.name}: {cause}") from error
        return Rows(columns, rows[:cap], truncated=len(rows) > cap)

    def _quote(self, name: str) -> str:
        return self._engine.dialect.identifier_preparer.quote_identifier(name)
