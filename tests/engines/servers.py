"""Fresh databases on the servers that the environment names, filled from a SQLite file."""

import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy
from sqlalchemy.engine import URL, make_url

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
