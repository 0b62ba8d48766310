"""Servers that the environment names; without them these tests skip."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from servers import VARIABLES, fresh_database, url_of


@pytest.fixture(scope="module", params=sorted(VARIABLES))
def dialect(request: pytest.FixtureRequest) -> str:
    """Return each server's dialect in turn, as sqlglot calls it."""
    return request.param


@pytest.fixture(scope="module")
def scratch(dialect: str) -> Iterator[str]:
    """Return the URL of an empty database on the server of `dialect`."""
    with fresh_database(url_of(dialect)) as url:
        yield url
