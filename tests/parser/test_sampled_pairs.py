"""Queries sampled for training are seen from the clock of the context that reads their questions."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.data.profiles.profiling import profile_of
from querent.parser.learning.samples import sampled_pairs
from querent.parser.reader.context import DatabaseContext


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    file = tmp_path / "orders.sqlite"
    rows = [(n, f"2022-{1 + n % 12:02}-{1 + n % 28:02}", 3 * n) for n in range(80)]
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE orders (order_id INTEGER PRIMARY KEY, placed TEXT, amount INTEGER)")
        database.executemany("INSERT INTO orders VALUES (?, ?, ?)", rows)
    return file


def test_times_are_seen_from_the_clock_of_the_context(orders: Path) -> None:
    schema = from_sqlite(orders)
    with Database.open(orders) as database:
        known = profile_of(database, schema)
    context = DatabaseContext.of(schema, None, dialect="sqlite", language="en", profile=known)
    later = replace(context, now=datetime(2023, 3, 1))
    seen = [pair for pair in sampled_pairs("orders", later, orders, count=150, seed=1) if "last year" in pair.question]
    assert seen
    assert all("placed >= '2022-01-01'" in pair.sql for pair in seen)
    unseen = sampled_pairs("orders", context, orders, count=150, seed=1)
    assert not any("last year" in pair.question for pair in unseen)
