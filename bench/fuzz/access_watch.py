"""Databases that tell when a query reads what its role may not: by an authorizer, by what comes out, by rights."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from access_roles import forbidden, unsteady
from walk_engines import FETCHED, TIME_OUT, Quote, Sqlite, open_engine, whole

from querent.data.schema.schema import Schema, Table
from querent.grammar import Access

__all__ = ["READS", "opened"]

Rows = Mapping[str, Sequence[tuple[Any, ...]]]
READS = ("reads", "answers", "fails on other cells")
"""How problems begin that tell of a read."""

_PLAIN = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION}


@contextmanager
def opened(engine: str, timeout: float, url: str | None) -> Generator[Watched | Limited]:
    """Open what watches an engine."""
    if engine == "sqlite":
        yield Watched(timeout)
        return
    assert url is not None, "a server needs a URL"
    with open_engine(engine, timeout=timeout, url=url) as server:
        watch = Limited(server, url, timeout)
        try:
            yield watch
        finally:
            watch.close()


class _Seen(Sqlite):
    @property
    def connection(self) -> sqlite3.Connection:
        """Return the database."""
        return self._connection

    def rows(self, sql: str) -> str:
        """Return what a query that runs returns, as text, which tells 1 from 1.0."""
        self._connection.set_progress_handler(None, 0)  # the deadline is that of the run before
        return repr(self._connection.execute(sql).fetchmany(FETCHED))


class Watched:
    """Two SQLite databases that differ in nothing but what a role may not read; `compared` counts equal answers.

    The first has an authorizer, which refuses and notes what is forbidden. It does not see the columns that NATURAL
    and USING join on, so the second is asked the same: where what comes out differs, something was read. Their tables
    have no keys, so that rows keep their order whatever is in them.
    """

    def __init__(self, timeout: float) -> None:
        self.compared = 0
        self._first, self._second = _Seen(timeout), _Seen(timeout)
        self._reads: list[str] = []

    def create(self, schema: Schema, access: Access, quote: Quote, rows: Rows) -> None:
        """Make and fill both."""
        hidden = forbidden(schema, access)
        plain = replace(schema, tables=tuple(replace(t, primary_key=(), unique=()) for t in schema.tables))
        self._first.create(plain, quote, rows)
        self._second.create(plain, quote, {t.name: _changed(t, rows[t.name], hidden) for t in schema.tables})

        def authorize(action: int, one: str | None, two: str | None, database: str | None, view: str | None) -> int:
            place = ((one or "").lower(), (two or "").lower())
            if action in _PLAIN or (action == sqlite3.SQLITE_READ and place not in hidden):
                return sqlite3.SQLITE_OK
            self._reads.append(f"{action} {one} {two}")
            return sqlite3.SQLITE_DENY

        self._first.connection.set_authorizer(authorize)

    def problem(self, sql: str) -> str | None:
        """Run a query on both; say what it read, or what else is wrong with it."""
        self._reads.clear()
        problem = self._first.problem(sql)
        if self._reads:
            return f"reads: {self._reads[0]}"
        if problem is not None:
            return problem.kind
        if unsteady(sql):
            return None
        if self._second.problem(sql) is not None:
            return "fails on other cells of what is hidden"
        self.compared += 1
        return None if self._first.rows(sql) == self._second.rows(sql) else "answers by what is hidden"


def _changed(
    table: Table, rows: Sequence[tuple[Any, ...]], hidden: frozenset[tuple[str, str]]
) -> list[tuple[Any, ...]]:
    """Return rows with other cells where they are hidden; none at all of a hidden table."""
    name = table.name.lower()
    if (name, "") in hidden:
        return []
    out = [(name, column.name.lower()) in hidden for column in table.columns]
    return [tuple(f"#{n}" if gone else cell for gone, cell in zip(out, row, strict=True)) for n, row in enumerate(rows)]


class Limited:
    """A server's database, asked by a user who has rights on what a role may read and on nothing else."""

    def __init__(self, server: Any, url: str, timeout: float) -> None:
        from sqlalchemy.engine import make_url  # takes a while to import; SQLite needs it not

        self.compared = 0
        self._server = server
        self._timeout = timeout
        self._user, self._password = f"querent_{secrets.token_hex(5)}", secrets.token_hex(12)
        self._mysql = make_url(url).get_backend_name() != "postgresql"
        self._at = "@'%'" if self._mysql else ""
        given = f"IDENTIFIED BY '{self._password}'" if self._mysql else f"LOGIN PASSWORD '{self._password}'"
        server.make(f"CREATE USER {self._user}{self._at} {given}")
        self._url = make_url(url).set(username=self._user, password=self._password)
        self._reader: Any = None

    def create(self, schema: Schema, access: Access, quote: Quote, rows: Rows) -> None:
        """Make and fill the tables, and give the user its rights on them."""
        from walk_servers import quoted

        self._hang_up()
        self._server.create(schema, quote, rows)
        self._server.make(f"GRANT USAGE ON {'*.*' if self._mysql else 'SCHEMA public'} TO {self._user}{self._at}")
        for right in _rights(schema, access, quoted if self._mysql else quote):
            self._server.make(f"GRANT {right} TO {self._user}{self._at}")
        self._reader = type(self._server)(self._url.render_as_string(hide_password=False), self._timeout)

    def problem(self, sql: str) -> str | None:
        """Run a query as the user."""
        problem = self._reader.problem(sql)
        return None if problem is None else problem.kind if problem is TIME_OUT else problem.message

    def close(self) -> None:
        """Take the user away."""
        self._hang_up()
        if self._mysql:
            self._server.make(f"DROP USER {self._user}{self._at}")
        else:
            self._server.make(f"DROP OWNED BY {self._user}; DROP USER {self._user}")

    def _hang_up(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None
            if self._mysql:
                self._server.make(f"REVOKE ALL PRIVILEGES, GRANT OPTION FROM {self._user}{self._at}")


def _rights(schema: Schema, access: Access, quote: Quote) -> list[str]:
    """Return the rights of a role, each as ``SELECT … ON …``."""
    part = {name.lower(): columns for name, columns in access.columns.items()}
    readable = {name.lower() for name in access.tables}
    told: list[str] = []
    for table in schema.tables:
        if (columns := part.get(table.name.lower())) is not None:
            told.append(f"SELECT ({', '.join(quote(table.column(c).name) for c in columns)}) ON {whole(table, quote)}")
        elif table.name.lower() in readable:
            told.append(f"SELECT ON {whole(table, quote)}")
    return told
