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
from querent.data.sql.query import Query
from querent.meaning.profiling import profile_of
from querent.parser.learning.samples import sampled_pairs
from querent.parser.normal_form import NormalForm, ShortForm
from querent.parser.normal_form.rewriting import JoinRewriter
from querent.parser.reader.context import DatabaseContext
from querent.sampler import STRUCTURE_KINDS

TEACHING = """
CREATE TABLE trainer (trainer_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE class (class_id INTEGER PRIMARY KEY, trainer_id INTEGER REFERENCES trainer (trainer_id), topic TEXT);
CREATE TABLE exam (exam_id INTEGER PRIMARY KEY, trainer_id INTEGER REFERENCES trainer (trainer_id), hall TEXT);
"""


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


def test_counts_with_those_that_have_none_are_written_in_short_and_meant_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "school.sqlite"
    with closing(sqlite3.connect(file)) as database, database:
        database.executescript(TEACHING)
        database.executemany("INSERT INTO trainer VALUES (?, ?)", [(n, f"Ann {chr(65 + n)}") for n in range(12)])
        for table in ("class", "exam"):
            rows = [(n, n * n % 9, f"{table} {chr(65 + n)}") for n in range(20)]
            database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", rows)
    schema = from_sqlite(file)
    with Database.open(file) as opened:
        known = profile_of(opened, schema)
    context = DatabaseContext.of(schema, None, dialect="sqlite", language="en", profile=known)
    found = {
        pair.sql
        for pair in sampled_pairs("school", context, file, count=60, seed=1, structures=STRUCTURE_KINDS["with-none"])
    }
    assert {sql.count("LEFT JOIN") for sql in found} == {1, 2}
    normal, short = NormalForm(context.grammar), ShortForm(context.grammar)
    meant = JoinRewriter(context.grammar, known)
    for sql in found:
        assert normal.of(sql) == sql
        assert short.sql(short.words(sql)) == sql
        assert meant.of(query := Query(sql, "sqlite")) is query
