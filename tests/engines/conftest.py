"""Servers that the environment names; without them these tests skip."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from servers import VARIABLES, fresh_database


def url_of(dialect: str) -> str:
    """Return the URL of a server, or skip the test that wants it."""
    if VARIABLES[dialect] not in os.environ:
        pytest.skip(f"set {VARIABLES[dialect]} to a SQLAlchemy URL, or run `.ci/engines .venv/bin/pytest`")
    return os.environ[VARIABLES[dialect]]


@pytest.fixture(scope="session")
def mariadb() -> str:
    return url_of("mysql")


@pytest.fixture(scope="session")
def postgres() -> str:
    return url_of("postgres")


@pytest.fixture(scope="module", params=sorted(VARIABLES))
def dialect(request: pytest.FixtureRequest) -> str:
    """Return each server's dialect in turn, as sqlglot calls it."""
    return request.param


@pytest.fixture(scope="module")
def scratch(dialect: str) -> Iterator[str]:
    """Return the URL of an empty database on the server of `dialect`."""
    with fresh_database(url_of(dialect)) as url:
        yield url
