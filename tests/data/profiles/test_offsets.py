"""Times with an offset from UTC are read as they stand, whatever is asked of them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
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


def test_it_is_told(profiled):
    profile = profiled(SCRIPT)
    found = profile.column("call", "at")
    assert found.time.offset
    assert found.doubt == "of several time zones: +02:00, -05:00; each is read as it stands"
    assert not profile.column("call", "ended").time.offset  # no offset but UTC


@pytest.mark.parametrize(
    ("part", "values"),
    [("day", ["2024-03-01", "2024-03-01", "2024-02-29"]), ("hour", [0, 23, 10]), ("weekday", [5, 5, 4])],
)
def test_parts(storage, part, values):
    assert rows(part_of("call.at", storage, "sqlite", part)) == values


@pytest.mark.parametrize(
    ("start", "end", "lies"),
    [
        (datetime(2024, 3, 1), datetime(2024, 3, 2), [1, 1, 0]),
        (datetime(2024, 3, 1), datetime(2024, 3, 1, 1), [1, 0, 0]),
        (datetime(2024, 3, 1, 23, 30, 10), datetime(2024, 3, 1, 23, 30, 20), [0, 1, 0]),
    ],
)
def test_intervals(storage, start, end, lies):
    assert rows(within("call.at", storage, "sqlite", start, end)) == lies


def test_hours_between_two_offsets(profiled, storage):
    ended = profiled(SCRIPT).column("call", "ended").time
    assert [round(hours, 1) for hours in rows(elapsed("call.at", storage, "call.ended", ended, "sqlite", "hours"))] == [
        33.5,
        3.5,
        48.0,
    ]


def test_mysql_reads_it_without(storage):
    assert part_of("call.at", storage, "mysql", "day") == "DATE(LEFT(call.at, 16))"
