"""Conditions on times are read whatever way they are written in: as `meaning.sql` writes them, and as people do."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
import sqlglot
from written_times import SERVER_STORAGES

from querent.data.errors import QueryError
from querent.data.schema.schema import Column, Schema, Table
from querent.data.sql.sources import Stored
from querent.meaning.profile import ColumnProfile, DatabaseProfile, TimeStorage
from querent.meaning.reading import ConditionReader, Interval, Profiled, Recurring, in_one_way, profiled_by, time_part
from querent.meaning.sql import patterns_of, recurring, rounded, within

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


YEAR, MONTH = ("opened", "2024-01-01", "2025-01-01"), ("opened", "2024-02-01", "2024-03-01")


@pytest.mark.parametrize(
    ("dialect", "condition", "wanted"),
    [
        ("sqlite", "strftime('%Y', opened) = '2024'", YEAR),
        ("sqlite", "CAST(strftime('%Y', visit.opened) AS INT) = 2024", YEAR),
        ("sqlite", "SUBSTR(opened, 1, 4) = '2024'", YEAR),
        ("sqlite", "opened LIKE '2024%'", YEAR),
        ("sqlite", "opened LIKE '%2024%'", YEAR),
        ("sqlite", "opened LIKE '2024-02-%'", MONTH),
        ("sqlite", "strftime('%Y-%m', opened) = '2024-02'", MONTH),
        ("sqlite", "opened BETWEEN '2024-02-01' AND '2024-02-29'", MONTH),
        ("sqlite", "strftime('%Y', opened) = '2024' AND strftime('%m', opened) = '02'", MONTH),
        ("sqlite", "opened >= '2024-02-01' AND opened < '2024-03-01'", MONTH),
        ("sqlite", "opened >= '2024-02-01' AND member = 'Y'", None),
        ("sqlite", "strftime('%Y', opened) > '1990'", ("opened", "1991-01-01", None)),
        ("sqlite", "DATE(opened) <= '2024-02-29'", ("opened", None, "2024-03-01")),
        ("sqlite", "'2024-02-29' < born", ("born", "2024-03-01", None)),
        ("sqlite", "born >= '2024-02'", ("born", "2024-02-01", None)),
        ("sqlite", "born = '2024-02'", None),
        ("sqlite", "season > 1990", ("season", "1991-01-01", None)),
        ("sqlite", "season LIKE '2024%'", ("season", "2024-01-01", "2025-01-01")),
        ("sqlite", "seen >= 1704067200", ("seen", "2024-01-01", None)),
        ("sqlite", "weighed LIKE '202402%'", ("weighed", "2024-02-01", "2024-03-01")),
        ("sqlite", "fasted LIKE '2024年2月%'", ("fasted", "2024-02-01", "2024-03-01")),
        ("sqlite", "paid = '2/15/2024'", ("paid", "2024-02-15", "2024-02-16")),
        ("sqlite", "paid LIKE '2/15/2024%'", ("paid", "2024-02-15", "2024-02-16")),
        ("sqlite", "paid LIKE '%/2024'", ("paid", "2024-01-01", "2025-01-01")),
        ("sqlite", "paid > '2/15/2024'", None),
        ("sqlite", "paid LIKE '2/%'", ("paid", "month", (2,))),
        ("sqlite", "fed LIKE '%February%'", ("fed", "month", (2,))),
        ("sqlite", "opened LIKE '%-02-%'", ("opened", "month", (2,))),
        ("sqlite", "strftime('%m', opened) = '02'", ("opened", "month", (2,))),
        ("sqlite", "CAST(strftime('%m', opened) AS INTEGER) IN (6, 8)", ("opened", "month", (6, 8))),
        ("sqlite", "SUBSTR(opened, 6, 2) BETWEEN '10' AND '12'", ("opened", "month", (10, 11, 12))),
        ("sqlite", "opened LIKE '%cub%'", None),
        ("mysql", "YEAR(opened) = 2024", YEAR),
        ("mysql", "DATE_FORMAT(opened, '%Y-%m') = '2024-02'", MONTH),
        ("postgres", "EXTRACT(YEAR FROM opened) = 2024", YEAR),
        ("postgres", "opened >= DATE '2024-02-01'", ("opened", "2024-02-01", None)),
    ],
)
def test_conditions_as_people_write_them(dialect: str, condition: str, wanted: Any) -> None:
    assert read(known(**TIMES), dialect, condition) == wanted


@pytest.mark.parametrize(
    ("dialect", "value", "wanted"),
    [
        ("sqlite", "SUBSTR(born, 6, 2)", ("born", "month of year")),
        ("sqlite", "SUBSTR(paid, -4)", ("paid", "year")),
        ("sqlite", "SUBSTR(member, 1, 4)", None),
        ("sqlite", "strftime('%H', born)", None),
        ("sqlite", "strftime('%H', opened)", ("opened", "hour")),
        ("mysql", "MONTH(opened)", ("opened", "month of year")),
        ("postgres", "DATE_PART('month', opened)", ("opened", "month of year")),
        ("postgres", "DATE_TRUNC('quarter', opened)", ("opened", "quarter")),
    ],
)
def test_parts_as_people_write_them(dialect: str, value: str, wanted: tuple[str, str] | None) -> None:
    tree = sqlglot.parse_one(f"SELECT {value} FROM visit", dialect=dialect).expressions[0]
    found = time_part(tree, known(**TIMES), dialect)
    assert (found and (found[0].name, found[1])) == wanted


def test_durations_have_the_spellings_of_people() -> None:
    said = patterns_of(TIMES["born"], "sqlite").spellings("days between", "a", start="a", end="b")
    assert {"JULIANDAY(b) - JULIANDAY(a)", "DATEDIFF(b, a)"} <= {*said}


@pytest.mark.parametrize(
    ("condition", "one_way"),
    [
        ("strftime('%Y', opened) = '2024'", "(opened >= '2024-01-01' AND opened < '2025-01-01')"),
        (
            "member = 'Y' AND opened < '2024-03-01' AND opened >= '2024-02-01'",
            "(opened >= '2024-02-01' AND opened < '2024-03-01') AND member = 'Y'",
        ),
        (
            "member = 'Y' OR NOT born LIKE '2024-02%'",
            "member = 'Y' OR NOT (born >= '2024-02-01' AND born < '2024-03-01')",
        ),
    ],
)
def test_what_means_the_same_is_written_one_way(condition: str, one_way: str) -> None:
    tree = sqlglot.parse_one(f"SELECT 1 FROM visit WHERE {condition}", dialect="sqlite")
    assert in_one_way(tree, known(**TIMES), "sqlite").sql("sqlite") == f"SELECT 1 FROM visit WHERE {one_way}"
