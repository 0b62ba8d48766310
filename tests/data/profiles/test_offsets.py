"""Times with an offset from UTC are read as they stand, whatever is asked of them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime

import pytest

from querent.meaning.sql import elapsed, part_of, within

CELLS = ["2024-03-01T00:30:00+02:00", "2024-03-01T23:30:15-05:00", "2024-02-29T10:00+02:00"]
SCRIPT = "CREATE TABLE call (id INTEGER PRIMARY KEY, at TEXT, ended TEXT);" + "".join(
    f"INSERT INTO call (at, ended) VALUES ('{cell}', '2024-03-02T08:00:00+00:00');" for cell in CELLS
)


@pytest.fixture
def storage(profiled):
    return profiled(SCRIPT).column("call", "at").time


def rows(expression: str) -> list[object]:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(SCRIPT)
        return [row[0] for row in database.execute(f"SELECT {expression} FROM call ORDER BY id")]


VALUES = [
    (lambda at: part_of("call.at", at, "sqlite", "day"), ["2024-03-01", "2024-03-01", "2024-02-29"]),
    (lambda at: part_of("call.at", at, "sqlite", "hour"), [0, 23, 10]),
    (lambda at: part_of("call.at", at, "sqlite", "weekday"), [5, 5, 4]),
    (lambda at: within("call.at", at, "sqlite", datetime(2024, 3, 1), datetime(2024, 3, 2)), [1, 1, 0]),
    (lambda at: within("call.at", at, "sqlite", datetime(2024, 3, 1), datetime(2024, 3, 1, 1)), [1, 0, 0]),
    (lambda at: elapsed("call.at", at, "call.ended", replace(at, offset=False), "sqlite", "hours"), [33.5, 3.5, 48.0]),
]


@pytest.mark.parametrize(("expression", "values"), VALUES)
def test_times_are_read_as_they_stand(storage, expression, values):
    assert [value if isinstance(value, str) else round(value, 1) for value in rows(expression(storage))] == values


def test_mysql_reads_it_without(storage):
    assert part_of("call.at", storage, "mysql", "day") == "DATE(LEFT(call.at, 16))"
