"""A database and the index of its values."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest

from querent.data.databases.schema_readers import from_sqlite
from querent.ner.index import ValueIndex


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., ValueIndex]]:
    """Return what makes a database by a script and opens its index."""
    with ExitStack() as stack:

        def made(script: str, **more: Any) -> ValueIndex:
            folder = tmp_path_factory.mktemp("values")
            with closing(sqlite3.connect(folder / "db.sqlite")) as database:
                database.executescript(script)
            schema = from_sqlite(folder / "db.sqlite")
            return stack.enter_context(ValueIndex.open(folder / "db.sqlite", schema, cache=folder / "cache", **more))

        yield made
