"""The engines that random queries run on: SQLite in memory, MariaDB and PostgreSQL by a URL of a server."""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import sqlalchemy
from sqlalchemy.engine import make_url

from querent.data.databases.schema_readers import from_sqlite, read_schema
from querent.data.databases.shared_server import hold_any_time
from querent.data.schema.ddl_writer import to_ddl
from querent.data.schema.schema import Schema, Table

Rows = Mapping[str, Sequence[tuple[Any, ...]]]
Quote = Callable[[str], str]

EngineName = Literal["sqlite", "mariadb", "mariadb-loose", "postgres"]
DIALECTS = {"sqlite": "sqlite", "mariadb": "mysql", "mariadb-loose": "mysql", "postgres": "postgres"}
"""The dialect of each engine; a loose MariaDB runs without ONLY_FULL_GROUP_BY."""

VARIABLES = {"mysql": "QUERENT_MARIADB_URL", "postgres": "QUERENT_POSTGRES_URL"}
"""The environment variable that holds each server's URL."""

FETCHED = 1000  # rows that are turned into Python values; the engine computes the others, too
MODES = (
    "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,"
    "NO_ENGINE_SUBSTITUTION"
)
"""The SQL mode of MySQL 8."""

_DROP_ALL = """
DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
        EXECUTE format('DROP SCHEMA %I CASCADE', name);
    END LOOP;
END $$
"""
_READ_ONLY = "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"


@dataclass(frozen=True)
class Problem:
    """The objection of an engine to a query: its message, and its kind, which is the message without names."""

    kind: str
    message: str


TIME_OUT = Problem("time-out", "the time is up")


@contextmanager
def open_engine(name: str, url: str | None, *, timeout: float) -> Generator[Engine]:
    """Open SQLite in memory, or connect to a server's empty database."""
    if name == "sqlite":
        engine: Engine = Sqlite(timeout)
    else:
        assert url is not None, "a server needs a URL"
        engine = Server(url, timeout, loose=name.endswith("-loose"))
    try:
        yield engine
    finally:
        engine.close()


@contextmanager
def databases(engine: str, count: int, url: str | None) -> Generator[list[str | None]]:
    """Create empty databases on the server of an engine, and drop them at the end; SQLite needs none.

    Args:
        url: the server's, of a user who may create databases; None for that of the environment.

    Raises:
        SystemExit: no URL is known.
    """
    if engine == "sqlite":
        yield [None] * count
        return
    variable = VARIABLES[DIALECTS[engine]]
    server = url or os.environ.get(variable)
    if server is None:
        raise SystemExit(f"give --url or set {variable}; .ci/engines COMMAND starts a server")
    names = [f"querent_walks_{secrets.token_hex(5)}" for _ in range(count)]
    force = " WITH (FORCE)" if engine == "postgres" else ""
    maker = sqlalchemy.create_engine(server, isolation_level="AUTOCOMMIT", poolclass=sqlalchemy.NullPool)
    try:
        with maker.connect() as connection:
            for name in names:
                connection.exec_driver_sql(f"CREATE DATABASE {name}")
        yield [make_url(server).set(database=name).render_as_string(hide_password=False) for name in names]
    finally:
        with maker.connect() as connection:
            for name in names:
                connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {name}{force}")


def ddl(schema: Schema, quote: Quote) -> str:
    """Return the statements that create the tables, without references: rows are random."""
    return to_ddl(Schema(tuple(replace(t, foreign_keys=(), description="") for t in schema.tables), schema.name), quote)


def whole(table: Table, quote: Quote) -> str:
    """Return the name of a table with its schema before it, where that must be written."""
    return ".".join(map(quote, table.path))


def kind_of(message: str) -> str:
    """Strip the first line of a message of names, values and numbers."""
    return re.sub(r"\"[^\"]*\"|`[^`]*`|'[^']*'|\b\d[\d.]*\b", "…", message.partition("\n")[0])[:120]


class Sqlite:
    """SQLite in memory, with a time limit in seconds for each query."""

    def __init__(self, timeout: float) -> None:
        self.version = sqlite3.sqlite_version
        self.connection = sqlite3.connect(":memory:")
        self._timeout = timeout

    def create(self, schema: Schema, quote: Quote, rows: Rows) -> None:
        """Replace the database by the tables of a schema, without its foreign keys, and fill them."""
        self._begin([])
        self.connection.executescript(ddl(schema, quote))
        for table in schema.tables:
            marks = ", ".join("?" * len(table.columns))
            filled = [tuple(float(v) if isinstance(v, Decimal) else v for v in row) for row in rows[table.name]]
            self.connection.executemany(f"INSERT INTO {whole(table, quote)} VALUES ({marks})", filled)
        self._only_read()

    def restored(self, statements: Sequence[str]) -> Schema:
        """Replace the database by what statements create, and return the schema that is read of it."""
        self._begin(statements)
        self.connection.commit()
        with TemporaryDirectory() as folder:
            file = Path(folder) / "objects.sqlite"
            with closing(sqlite3.connect(file)) as copy:
                self.connection.backup(copy)
            schema = from_sqlite(file)
        self._only_read()
        return schema

    def _begin(self, statements: Sequence[str]) -> None:
        self.connection.close()
        self.connection = sqlite3.connect(":memory:")
        for statement in statements:
            self.connection.execute(statement)

    def _only_read(self) -> None:
        self.connection.commit()
        self.connection.text_factory = lambda data: data.decode("utf-8", "replace")
        self.connection.execute("PRAGMA query_only = ON")

    def problem(self, sql: str) -> Problem | None:
        """Run a query to its last row, or until the time is up; return the objection to it."""
        end = time.monotonic() + self._timeout
        self.connection.set_progress_handler(lambda: time.monotonic() > end, 10_000)
        try:
            cursor = self.connection.execute(sql)
            while cursor.fetchmany(FETCHED):
                if time.monotonic() > end:
                    return TIME_OUT
        except (sqlite3.Error, sqlite3.Warning) as error:
            text = str(error)
            return TIME_OUT if text == "interrupted" else Problem(kind_of(re.sub(": .*", "", text)), text)
        return None

    def close(self) -> None:
        """Forget the database."""
        self.connection.close()


class Server:
    """Two sessions of one database on MariaDB (or MySQL) or PostgreSQL: one creates the tables, the other only reads.

    Args:
        timeout: the time limit of a query, in seconds.
        loose: without ONLY_FULL_GROUP_BY.

    Attributes:
        driver: the module of the driver, psycopg or PyMySQL.
        maker: the driver's connection that creates the tables.
    """

    def __init__(self, url: str, timeout: float, *, loose: bool = False) -> None:
        self.url, self.postgres = url, make_url(url).get_backend_name() == "postgresql"
        self._engine = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sqlalchemy.NullPool)
        hold_any_time(self._engine)
        self.driver: Any = self._engine.dialect.dbapi
        self._opened = [self._engine.raw_connection() for _ in range(2)]
        self.maker, self._reader = (opened.driver_connection for opened in self._opened)
        self.version = str(self.fetched("SELECT version()")[0][0])
        if self.postgres:
            self.maker.prepare_threshold = self._reader.prepare_threshold = None  # tables behind a statement change
            read_only, limit = _READ_ONLY, f"SET statement_timeout = {int(timeout * 1000)}"
        else:
            mariadb = "mariadb" in self.version.lower()
            limit = f"max_statement_time = {timeout}" if mariadb else f"MAX_EXECUTION_TIME = {int(timeout * 1000)}"
            modes = MODES.replace("ONLY_FULL_GROUP_BY,", "") if loose else MODES
            read_only, limit = "SET SESSION TRANSACTION READ ONLY", f"SET SESSION {limit}, sql_mode = '{modes}'"
        for statement in (limit, read_only):
            with self._reader.cursor() as cursor:
                cursor.execute(statement)

    def create(self, schema: Schema, quote: Quote, rows: Rows) -> None:
        """Replace the database by the tables of a schema, without its foreign keys, and fill them."""
        quote = quote if self.postgres else quoted  # names of MariaDB stand in quotes, plain or not
        others = sorted({quote(t.namespace) for t in schema.tables if t.qualified and self.postgres} - {"public"})
        made = [*self._emptied(), *(f"CREATE SCHEMA {name}" for name in others), *ddl(schema, quote).split(";\n")]
        for statement in ("ROLLBACK", "BEGIN", *filter(str.strip, made)):
            self.fetched(statement)
        with self.maker.cursor() as cursor:
            for table in (table for table in schema.tables if rows[table.name]):
                marks = ", ".join(["%s"] * len(table.columns))
                insert = f"INSERT INTO {whole(table, quote)}".replace("%", "%%")
                cursor.executemany(f"{insert} VALUES ({marks})", rows[table.name])
        self.fetched("COMMIT")

    def restored(self, statements: Sequence[str]) -> Schema:
        """Replace the database by what statements create, and return the schema that is read of it."""
        for statement in (*self._emptied(), *statements):
            self.fetched(statement)
        return read_schema(self.url)

    def problem(self, sql: str) -> Problem | None:
        """Run a query and return the objection to it, which may be the driver's; few rows are turned into values."""
        streamed = () if self.postgres else (self.driver.cursors.SSCursor,)
        try:
            with self._reader.cursor(*streamed) as cursor:
                cursor.execute(sql)
                cursor.fetchmany(FETCHED)
        except self.driver.Error as error:
            if self.postgres:
                code, text = error.sqlstate or "driver", str(error.diag.message_primary or error)
                late = code == "57014"
            else:
                code, text = error.args[0], str(error.args[-1])
                # MariaDB gives up for the size of a temporary table while it does not hear of the time
                large = (code in {126, 175} and "#sql-temptable" in text) or (code == 1030 and "error 27" in text)
                late = large or code in {1969, 3024}
            return TIME_OUT if late else Problem(f"{code} {kind_of(text)}", text)
        return None

    def close(self) -> None:
        """Disconnect."""
        for opened in self._opened:
            opened.close()
        self._engine.dispose()

    def _emptied(self) -> list[str]:
        """Return the statements that drop all tables and views."""
        if self.postgres:
            return [_DROP_ALL, "CREATE SCHEMA public"]
        old = [("VIEW" if kind == "VIEW" else "TABLE", quoted(name)) for name, kind in self.fetched("SHOW FULL TABLES")]
        return ["SET foreign_key_checks = 0", *(f"DROP {kind} {name}" for kind, name in old)]

    def fetched(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """Run a statement in the session that creates the tables, and return its rows, if it has any."""
        with self.maker.cursor() as cursor:
            cursor.execute(sql)
            return [] if cursor.description is None else [tuple(row) for row in cursor.fetchall()]


Engine = Sqlite | Server


@contextmanager
def reader(server: Server, rights: Sequence[str]) -> Generator[str]:
    """Create a user who has some rights, ``SELECT ON t``, and no others; the URL is good until the end of the block."""
    name, password = f"querent_{secrets.token_hex(5)}", secrets.token_hex(12)
    kind, given = ("ROLE", "LOGIN PASSWORD") if server.postgres else ("USER", "IDENTIFIED BY")
    server.fetched(f"CREATE {kind} {name} {given} '{password}'")
    try:
        for right in rights:
            server.fetched(f"GRANT {right} TO {name}")
        yield make_url(server.url).set(username=name, password=password).render_as_string(hide_password=False)
    finally:
        for statement in (*[f"DROP OWNED BY {name}"] * server.postgres, f"DROP {kind} {name}"):
            server.fetched(statement)


def quoted(name: str) -> str:
    """Return a name of MariaDB in quotes."""
    return "`" + name.replace("`", "``") + "`"
