"""Fresh databases on the servers that the environment names, filled from a SQLite file."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy
import sqlglot
from sqlalchemy.engine import URL, make_url
from sqlglot import exp

VARIABLES = {"mysql": "QUERENT_MARIADB_URL", "postgres": "QUERENT_POSTGRES_URL"}
ENGINES = {"sqlite": None, "mariadb": "mysql", "mariadb-loose": "mysql", "postgres": "postgres"}
"""The engines as bench/fuzz calls them, with the dialect by which the server of each is found; SQLite has none."""


_BATCH = 5000


def url_of(dialect: str) -> str:
    """Return the URL of a server, or skip the test that wants it."""
    if VARIABLES[dialect] not in os.environ:
        pytest.skip(f"set {VARIABLES[dialect]} to a SQLAlchemy URL, or run `.ci/engines .venv/bin/pytest`")
    return os.environ[VARIABLES[dialect]]


@contextmanager
def fresh_database(server: str) -> Generator[str]:
    """Make a database with a name of its own; its URL, password included, is good until the end of the block.

    Args:
        server: SQLAlchemy URL of a user who may create databases.
    """
    url, name = make_url(server), f"querent_test_{secrets.token_hex(5)}"
    _execute(url, f"CREATE DATABASE {name}")
    try:
        yield url.set(database=name).render_as_string(hide_password=False)
    finally:
        force = " WITH (FORCE)" if url.get_backend_name() == "postgresql" else ""
        _execute(url, f"DROP DATABASE {name}{force}")


@contextmanager
def postgres_connection() -> Generator[psycopg.Connection]:
    """Open psycopg's own connection to a fresh database of PostgreSQL."""
    with fresh_database(url_of("postgres")) as url:
        plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        with closing(psycopg.connect(plain, autocommit=True)) as connection:
            yield connection


def _execute(url: URL, *statements: str) -> None:
    """Run statements that no transaction may hold."""
    engine = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement, execution_options={"no_parameters": True})
    finally:
        engine.dispose()


def execute(url: str, *statements: str) -> None:
    """Run statements, each in a transaction of its own."""
    _execute(make_url(url), *statements)


@contextmanager
def reader(url: str, *grants: str) -> Generator[str]:
    """Make a user who has these grants and no others, ``SELECT ON t``; the URL is good until the end of the block."""
    name, password = f"querent_{secrets.token_hex(4)}", secrets.token_hex(6)
    postgres = make_url(url).get_backend_name() == "postgresql"
    kind, told = ("ROLE", "LOGIN PASSWORD") if postgres else ("USER", "IDENTIFIED BY")
    execute(url, f"CREATE {kind} {name} {told} '{password}'", *(f"GRANT {grant} TO {name}" for grant in grants))
    try:
        yield make_url(url).set(username=name, password=password).render_as_string(hide_password=False)
    finally:
        execute(url, *[f"DROP OWNED BY {name}"] * postgres, f"DROP {kind} {name}")


def copy_sqlite(file: str | Path, script: str, url: str) -> None:
    """Create the tables of ``script`` (SQLite's dialect) and fill them with the rows of a SQLite file."""
    dialect = "postgres" if make_url(url).get_backend_name() == "postgresql" else "mysql"
    tables = [tree for tree in sqlglot.parse(script, dialect="sqlite") if isinstance(tree, exp.Create)]
    execute(url, *(_typed(tree).sql(dialect=dialect, comments=False) for tree in tables))
    load = _copy if dialect == "postgres" else _insert
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as source:
        for name in (tree.this.this.name for tree in tables):
            load(url, name, source.execute(f'SELECT * FROM "{name}"').fetchall())
    execute(url, "ANALYZE" if dialect == "postgres" else f"ANALYZE TABLE {', '.join(t.this.this.name for t in tables)}")


def _typed(tree: exp.Create) -> exp.Create:
    """Times are neither shifted by MySQL's time zone nor given one by PostgreSQL's writer."""
    tree = tree.copy()
    for kind in tree.find_all(exp.DataType):
        if kind.this in {exp.DType.TIMESTAMP, exp.DType.TIMESTAMPTZ}:
            kind.set("this", exp.DType.DATETIME)
    return tree


def _copy(url: str, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    engine = sqlalchemy.create_engine(url)
    with closing(engine.raw_connection()) as connection:
        cursor: Any = connection.cursor()
        with cursor.copy(f"COPY {table} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        connection.commit()
    engine.dispose()


def _insert(url: str, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    engine = sqlalchemy.create_engine(url)
    places = ", ".join(["%s"] * len(rows[0])) if rows else ""
    with closing(engine.raw_connection()) as connection:
        cursor: Any = connection.cursor()
        for start in range(0, len(rows), _BATCH):
            cursor.executemany(f"INSERT INTO {table} VALUES ({places})", rows[start : start + _BATCH])
        connection.commit()
    engine.dispose()
