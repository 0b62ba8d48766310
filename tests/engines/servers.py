"""Fresh databases on the servers that the environment names, filled from a SQLite file."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
import sqlglot
from sqlalchemy.engine import URL, make_url
from sqlglot import exp

VARIABLES = {"mysql": "QUERENT_MARIADB_URL", "postgres": "QUERENT_POSTGRES_URL"}
ENGINES = {"sqlite": None, "mariadb": "mysql", "mariadb-loose": "mysql", "postgres": "postgres"}
"""The engines as bench/fuzz calls them, with the dialect by which the server of each is found; SQLite has none."""

DATABASES = Path(__file__).with_name("databases")


def url_of(dialect: str) -> str:
    """Return the URL of a server, or skip the test that wants it."""
    if VARIABLES[dialect] not in os.environ:
        pytest.skip(f"set {VARIABLES[dialect]} to a SQLAlchemy URL, or run `.ci/engines .venv/bin/pytest`")
    return os.environ[VARIABLES[dialect]]


def script(name: str, dialect: str) -> list[str]:
    """Return the statements of ``databases/NAME.sql`` and ``databases/NAME.DIALECT.sql``; a line ends each."""
    files = (DATABASES / f"{name}.sql", DATABASES / f"{name}.{dialect}.sql")
    texts = [file.read_text("utf-8") for file in files if file.exists()]
    return [statement for text in texts for statement in text.split(";\n") if statement.strip()]


@contextmanager
def fresh_database(server: str, options: str = "") -> Generator[str]:
    """Make a database with a name of its own; its URL, password included, is good until the end of the block.

    Args:
        server: SQLAlchemy URL of a user who may create databases.
        options: of CREATE DATABASE.
    """
    url, name = make_url(server), f"querent_test_{secrets.token_hex(5)}"
    _execute(url, f"CREATE DATABASE {name} {options}")
    try:
        yield url.set(database=name).render_as_string(hide_password=False)
    finally:
        force = " WITH (FORCE)" if url.get_backend_name() == "postgresql" else ""
        _execute(url, f"DROP DATABASE {name}{force}")


@contextmanager
def fresh(dialect: str, folder: Path) -> Generator[str]:
    """Make a database on the server of a dialect, or in a folder for SQLite; its URL is good until the block ends."""
    if dialect == "sqlite":
        yield f"sqlite:///{folder / 'fresh.sqlite'}"
    else:
        with fresh_database(url_of(dialect)) as url:
            yield url


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
    kind, login = ("ROLE", "LOGIN PASSWORD") if postgres else ("USER", "IDENTIFIED BY")
    execute(url, f"CREATE {kind} {name} {login} '{password}'", *(f"GRANT {grant} TO {name}" for grant in grants))
    try:
        yield make_url(url).set(username=name, password=password).render_as_string(hide_password=False)
    finally:
        execute(url, *[f"DROP OWNED BY {name}"] * postgres, f"DROP {kind} {name}")


def copy_sqlite(file: str | Path, script: str, url: str) -> None:
    """Create the tables of ``script`` (SQLite's dialect) and fill them with the rows of a SQLite file."""
    engine = sqlalchemy.create_engine(url)
    dialect = "postgres" if engine.dialect.name == "postgresql" else "mysql"
    with closing(engine.raw_connection()) as connection, closing(sqlite3.connect(file)) as source:
        cursor: Any = connection.cursor()
        for tree in (tree for tree in sqlglot.parse(script, dialect="sqlite") if isinstance(tree, exp.Create)):
            name = tree.this.this.name
            cursor.execute(_typed(tree).sql(dialect=dialect, comments=False))
            rows = source.execute(f'SELECT * FROM "{name}"').fetchall()
            if dialect == "postgres":
                with cursor.copy(f"COPY {name} FROM STDIN") as copy:
                    for row in rows:
                        copy.write_row(row)
            elif rows:
                cursor.executemany(f"INSERT INTO {name} VALUES ({', '.join(['%s'] * len(rows[0]))})", rows)
            connection.commit()
            cursor.execute(f"ANALYZE {'TABLE ' * (dialect == 'mysql')}{name}")
        connection.commit()
    engine.dispose()


def _typed(tree: exp.Create) -> exp.Create:
    """Times are neither shifted by MySQL's time zone nor given one by PostgreSQL's writer."""
    tree = tree.copy()
    for kind in tree.find_all(exp.DataType):
        if kind.this in {exp.DType.TIMESTAMP, exp.DType.TIMESTAMPTZ}:
            kind.set("this", exp.DType.DATETIME)
    return tree
