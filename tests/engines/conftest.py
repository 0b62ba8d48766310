"""Servers that the environment names; without them these tests skip."""

from collections.abc import Iterator

import pytest
from servers import VARIABLES, execute, fresh, script

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import read_schema
from querent.data.schema.schema import Schema


@pytest.fixture(scope="module", params=sorted(VARIABLES))
def dialect(request: pytest.FixtureRequest) -> str:
    """Return each server's dialect in turn, as sqlglot calls it."""
    return request.param


@pytest.fixture(scope="module")
def scratch(dialect: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the URL of an empty database on the server of `dialect`."""
    with fresh(dialect, tmp_path_factory.mktemp("scratch")) as url:
        yield url


@pytest.fixture(scope="module")
def url(scratch: str, dialect: str, request: pytest.FixtureRequest) -> str:
    """Return the URL of a database that is filled by the scripts of the module's ``DATABASE``."""
    execute(scratch, *script(request.module.DATABASE, dialect))
    return scratch


@pytest.fixture(scope="module")
def schema(url: str) -> Schema:
    """Return the schema of that database."""
    return read_schema(url)


@pytest.fixture(scope="module")
def database(url: str) -> Iterator[Database]:
    """Return that database, which gives up after five seconds and a hundred rows."""
    with Database.open(url, timeout=5, max_rows=100) as opened:
        yield opened
