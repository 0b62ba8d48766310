"""MariaDB and PostgreSQL for walks: one session makes the tables, another one only reads."""

from __future__ import annotations

import secrets
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import sqlalchemy
from sqlalchemy.engine import URL, make_url
from walk_engines import FETCHED, TIME_OUT, Problem, Quote, ddl, kind_of, whole

from querent.data.databases.postgres_times import hold_any_time
from querent.data.databases.schema_readers import read_schema
from querent.data.schema.schema import Schema, Table

Rows = Mapping[str, Sequence[tuple[Any, ...]]]

VARIABLES = {"mariadb": "QUERENT_MARIADB_URL", "postgres": "QUERENT_POSTGRES_URL"}
"""Where each server's URL stands if it is not given."""

MODES = (
    "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,"
    "NO_ENGINE_SUBSTITUTION"
)
"""MySQL 8's own."""


@contextmanager
def fresh_databases(server: str, count: int) -> Generator[list[str]]:
    """Make databases with names of their own; their URLs are good until the end of the block."""
    url = make_url(server)
    with ExitStack() as stack:
        yield [stack.enter_context(_fresh_database(url)) for _ in range(count)]


@contextmanager
def _fresh_database(url: URL) -> Generator[str]:
    name = f"querent_walks_{secrets.token_hex(5)}"
    force = " WITH (FORCE)" if url.get_backend_name() == "postgresql" else ""
    on_server(url, f"CREATE DATABASE {name}")
    try:
        yield url.set(database=name).render_as_string(hide_password=False)
    finally:
        on_server(url, f"DROP DATABASE {name}{force}")


def on_server(url: URL | str, statement: str) -> None:
    """Run one statement outside of any transaction."""
    engine = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(statement)
    engine.dispose()


class Server:
    """What both servers share: two sessions of one database."""

    def __init__(self, url: str, timeout: float) -> None:
        self._url = url
        self._engine = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sqlalchemy.NullPool)
        hold_any_time(self._engine)
        self._opened = [self._engine.raw_connection() for _ in range(2)]
        self._maker, self._reader = (opened.driver_connection for opened in self._opened)
        self.version = str(self._ask(self._maker, "SELECT version()"))
        for statement in self.session(timeout):
            self._run(self._reader, statement)

    def session(self, timeout: float) -> list[str]:
        """Return what makes a session read-only and impatient."""
        raise NotImplementedError

    def emptied(self) -> list[str]:
        """Return what takes all tables and views away."""
        raise NotImplementedError

    def restored(self, statements: Sequence[str]) -> Schema:
        """Make what statements make in place of all that is there, and return the schema that is read of it."""
        for statement in (*self.emptied(), *statements):
            self.make(statement)
        return read_schema(self._url)

    def literal(self, value: Any) -> str:
        """Return a value as SQL writes it."""
        if value is None or isinstance(value, bool):
            return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
        return str(value)

    def inserts(self, schema: Schema, quote: Quote, rows: Rows) -> list[str]:
        """Return a statement for each table that has rows."""
        return [self._insert(table, quote, rows[table.name]) for table in schema.tables if rows[table.name]]

    def make(self, statement: str) -> None:
        """Run a statement in the session that makes the tables."""
        self._run(self._maker, statement)

    def close(self) -> None:
        """Let go of the server."""
        for opened in self._opened:
            opened.close()
        self._engine.dispose()

    def _insert(self, table: Table, quote: Quote, rows: Sequence[tuple[Any, ...]]) -> str:
        lines = ", ".join("(" + ", ".join(map(self.literal, row)) + ")" for row in rows)
        return f"INSERT INTO {whole(table, quote)} VALUES {lines}"

    def _run(self, connection: Any, sql: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql)

    def _ask(self, connection: Any, sql: str) -> Any:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchone()[0]


_DROP_ALL = """
DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
        EXECUTE format('DROP SCHEMA %I CASCADE', name);
    END LOOP;
END $$
"""


class Postgres(Server):
    """PostgreSQL by psycopg."""

    def __init__(self, url: str, timeout: float) -> None:
        super().__init__(url, timeout)
        self._reader.prepare_threshold = None  # the tables behind a query's text change

    def session(self, timeout: float) -> list[str]:
        """Return what makes a session read-only and impatient."""
        return [
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
            f"SET statement_timeout = {int(timeout * 1000)}",
        ]

    def emptied(self) -> list[str]:
        """Return what takes all tables and views away."""
        return [_DROP_ALL, "CREATE SCHEMA public"]

    def create(self, schema: Schema, quote: Quote, rows: Rows) -> None:
        """Make everything in one transaction and one message."""
        others = sorted({quote(table.namespace) for table in schema.tables if table.qualified} - {"public"})
        made = [*self.emptied(), *(f"CREATE SCHEMA {name}" for name in others), ddl(schema, quote).rstrip(";\n")]
        self._run(self._maker, ";\n".join(["ROLLBACK", "BEGIN", *made, *self.inserts(schema, quote, rows), "COMMIT"]))

    def problem(self, sql: str) -> Problem | None:
        """Run a query; what the driver cannot read is a problem of its own."""
        import psycopg

        try:
            with self._reader.cursor() as cursor:
                cursor.execute(sql)
                cursor.fetchmany(FETCHED)
        except psycopg.errors.QueryCanceled:
            return TIME_OUT
        except psycopg.Error as error:
            text = str(error.diag.message_primary or error)
            return Problem(f"{error.sqlstate or 'driver'} {kind_of(text)}", text)
        return None

    def literal(self, value: Any) -> str:
        """Return a value as SQL writes it; backslashes are plain characters."""
        if isinstance(value, bytes):
            return f"'\\x{value.hex()}'"
        return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else super().literal(value)


class MariaDB(Server):
    """MariaDB, or MySQL, by PyMySQL."""

    def __init__(self, url: str, timeout: float, *, loose: bool = False) -> None:
        self._modes = MODES.replace("ONLY_FULL_GROUP_BY,", "") if loose else MODES
        super().__init__(url, timeout)

    def session(self, timeout: float) -> list[str]:
        """Return what makes a session read-only, impatient, and as strict as MySQL 8."""
        limit = f"max_statement_time = {timeout}"
        if "mariadb" not in self.version.lower():
            limit = f"MAX_EXECUTION_TIME = {int(timeout * 1000)}"
        return [f"SET SESSION {limit}, sql_mode = '{self._modes}'", "SET SESSION TRANSACTION READ ONLY"]

    def emptied(self) -> list[str]:
        """Return what takes all tables and views away."""
        with self._maker.cursor() as cursor:
            cursor.execute("SHOW FULL TABLES")
            old = [("VIEW" if kind == "VIEW" else "TABLE", quoted(name)) for name, kind in cursor.fetchall()]
        return ["SET foreign_key_checks = 0", *(f"DROP {kind} {name}" for kind, name in old)]

    def create(self, schema: Schema, quote: Quote, rows: Rows) -> None:
        """Drop the last schema's tables and make those of this one; names stand in quotes, plain or not."""
        for statement in self.emptied():
            self._run(self._maker, statement)
        for statement in ddl(schema, quoted).split(";\n"):
            if statement.strip():
                self._run(self._maker, statement)
        for statement in ["BEGIN", *self.inserts(schema, quoted, rows), "COMMIT"]:
            self._run(self._maker, statement)

    def problem(self, sql: str) -> Problem | None:
        """Run a query; rows beyond the first are read off the line and not looked at."""
        import pymysql

        try:
            with self._reader.cursor(pymysql.cursors.SSCursor) as cursor:
                cursor.execute(sql)
                cursor.fetchmany(FETCHED)
        except pymysql.Error as error:
            code, text = error.args[0], str(error.args[-1])
            return TIME_OUT if _stopped(code, text) else Problem(f"{code} {kind_of(text)}", text)
        return None

    def literal(self, value: Any) -> str:
        """Return a value as SQL writes it; backslashes are doubled."""
        if isinstance(value, bytes):
            return f"X'{value.hex()}'"
        if isinstance(value, str):
            return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
        return super().literal(value)


def _stopped(code: int, text: str) -> bool:
    """Say whether MariaDB gave up for time, or for the size of a temporary table while it did not hear of the time."""
    large = (code in {126, 175} and "#sql-temptable" in text) or (code == 1030 and "error 27" in text)
    return large or code in {1969, 3024}


def quoted(name: str) -> str:
    """Return a name of MariaDB's in quotes."""
    return "`" + name.replace("`", "``") + "`"
