"""Conditions on times are read whatever way they are written in: as `meaning.sql` writes them, and as people do."""

import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from cases import cases
from written_times import SERVER_STORAGES

from querent.data.errors import QueryError
from querent.data.schema.schema import Column, Schema, Table
from querent.data.sql.sources import Stored
from querent.meaning.profile import ColumnProfile, DatabaseProfile, TimeStorage
from querent.meaning.reading import ConditionReader, Interval, Profiled, Recurring, in_one_way, profiled_by, time_part
from querent.meaning.sql import elapsed, patterns_of, recurring, rounded, within

READINGS = Path(__file__).with_name("readings.toml")
TIMES = {
    "opened": TimeStorage("iso", "second", text=True),
    "born": TimeStorage("iso", "day", text=True),
    "left_on": TimeStorage("iso", "day", text=True),
    "paid": TimeStorage("month first", "day", text=True, separator="/", padded=False),
    "fed": TimeStorage("month name", "day", text=True, separator=", ", padded=False),
    "season": TimeStorage("year", "year", text=False),
    "fasted": TimeStorage("year first", "day", text=True, separator="年", padded=False),
    "weighed": TimeStorage("digits", "day", text=False),
    "seen": TimeStorage("unix", "second", text=False),
}


def known(**times: TimeStorage) -> Profiled:
    """Return what is known of the columns of a zoo's visits."""
    columns = {("visit", name): ColumnProfile("time", time=storage) for name, storage in times.items()}
    schema = Schema((Table("visit", (*map(Column, times), Column("member"))),))
    return profiled_by(DatabaseProfile(columns), Stored(schema))


def read(profiled: Profiled, dialect: str, condition: str) -> Any:
    """Return what a condition means as a short tuple: column and days, or column, part and numbers."""
    tree = sqlglot.parse_one(f"SELECT 1 FROM visit WHERE {condition}", dialect=dialect)
    match ConditionReader(profiled, dialect).read(tree.args["where"].this):
        case Interval(column, start, end):
            return column.name, *(None if moment is None else moment.isoformat()[:10] for moment in (start, end))
        case Recurring(column, part, numbers):
            return column.name, part, numbers
        case None:
            return None


INTERVALS = [
    (datetime(2024, 1, 1), datetime(2025, 1, 1)),
    (datetime(2024, 2, 1), datetime(2024, 3, 1)),
    (datetime(2024, 2, 3), datetime(2024, 2, 4)),
    (datetime(2022, 7, 1), datetime(2024, 3, 1)),
    (datetime(2024, 2, 5, 10), datetime(2024, 2, 5, 12)),
    (datetime(2024, 2, 3), None),
    (None, datetime(2024, 2, 3)),
]


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
@pytest.mark.parametrize("name", SERVER_STORAGES)
def test_what_is_written_is_read(dialect: str, name: str) -> None:
    if name.startswith("native") and dialect == "sqlite":
        return
    storage = SERVER_STORAGES[name]
    profiled = known(c=storage)
    for start, end in INTERVALS:
        days = [None if one is None else one.isoformat()[:10] for one in rounded(storage, start, end)]
        condition = within("c", storage, dialect, start, end)
        assert read(profiled, dialect, condition) == ("c", *days), condition
    for part, numbers in (("month", (12,)), ("month", (2, 5)), ("weekday", (1, 2, 3, 4, 5)), ("hour", (9,))):
        try:
            condition = recurring("c", storage, dialect, part, numbers)
        except QueryError:
            continue
        assert read(profiled, dialect, condition) == ("c", part, numbers), condition


@pytest.mark.parametrize("case", cases(READINGS))
def test_what_people_write_is_read(case: dict[str, Any]) -> None:
    dialect, profiled = case.get("dialect", "sqlite"), known(**TIMES)
    if "is" in case:
        tree = sqlglot.parse_one(f"SELECT {case['name']} FROM visit", dialect=dialect).expressions[0]
        part = time_part(tree, profiled, dialect)
        assert (part and (part[0].name, part[1])) == ((case["column"], case["is"]) if case["is"] else None)
        return
    wanted: Any = None
    if "since" in case:
        wanted = (case["column"], case["since"] or None, case["before"] or None)
    elif "part" in case:
        wanted = (case["column"], case["part"], tuple(case["numbers"]))
    assert read(profiled, dialect, case["name"]) == wanted


def test_durations_have_the_spellings_of_people() -> None:
    said = patterns_of(TIMES["born"], "sqlite").spellings("days between", "a", start="a", end="b")
    assert {"JULIANDAY(b) - JULIANDAY(a)", "DATEDIFF(b, a)"} <= {*said}


@pytest.mark.parametrize("case", cases(READINGS, "one_way"))
def test_what_means_the_same_is_written_one_way(case: dict[str, str]) -> None:
    tree = sqlglot.parse_one(f"SELECT 1 FROM visit WHERE {case['name']}", dialect="sqlite")
    assert in_one_way(tree, known(**TIMES), "sqlite").sql("sqlite") == f"SELECT 1 FROM visit WHERE {case['becomes']}"


def test_hours_between_times_of_several_offsets_count_from_utc() -> None:
    at, plain = TimeStorage("iso", "second", text=True, offset=True), TIMES["opened"]
    hours = elapsed("at", at, "'2024-03-02T08:00:00+00:00'", plain, "sqlite", "hours")
    for cell, wanted in (("2024-03-01T00:30:00+02:00", 33.5), ("2024-03-01T23:30:00-05:00", 3.5)):
        sql = f"SELECT {hours} FROM (SELECT '{cell}' AS at)"
        assert sqlite3.connect(":memory:").execute(sql).fetchone() == (wanted,)
