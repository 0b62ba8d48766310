"""Gold queries say the same in many ways: what they mean is found, and written in one."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
import sqlglot

from querent.data.schema.schema import Column, Schema, Table
from querent.data.sql.sources import Stored
from querent.meaning.profile import ColumnProfile, DatabaseProfile, FlagCells, NumberText, TimeStorage
from querent.meaning.queries.meant import (
    Meant,
    MeantDuration,
    MeantFlag,
    MeantInterval,
    MeantNumber,
    MeantPart,
    MeantRecurring,
    Profiled,
)
from querent.meaning.queries.reading import meaning_of, profiled_by, said_one_way

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
TYPES = {"season": "INTEGER", "weighed": "INTEGER", "seen": "INTEGER"}
ROWS = [
    (
        "2023-12-31 23:10:00",
        "2019-02-28",
        "2024-03-01",
        "12/31/2023",
        "Dec 31, 2023",
        2023,
        "2023年12月31日",
        20231231,
        1704063600,
        "Y",
        "$1,200",
    ),
    (
        "2024-01-01 00:00:00",
        "2020-02-29",
        "2024-02-29",
        "1/1/2024",
        "Jan 1, 2024",
        2024,
        "2024年1月1日",
        20240101,
        1704067200,
        "N",
        "$90",
    ),
    (
        "2024-02-15 09:30:00",
        "2021-07-04",
        "2024-07-03",
        "2/15/2024",
        "February 15, 2024",
        2024,
        "2024年2月15日",
        20240215,
        1707989400,
        "Y",
        "$5",
    ),
    (
        "2025-02-03 12:00:00",
        "2022-11-30",
        "2025-11-30",
        "2/3/2025",
        "Feb 3, 2025",
        2025,
        "2025年2月3日",
        20250203,
        1738584000,
        None,
        None,
    ),
]


@pytest.fixture(scope="module")
def profiled() -> Profiled:
    """Return what is known of the columns of a zoo's visits."""
    columns = {("visit", name): ColumnProfile("time", time=storage) for name, storage in TIMES.items()}
    columns["visit", "member"] = ColumnProfile("flag", flag=FlagCells("Y", "N", "text"))
    columns["visit", "price"] = ColumnProfile("amount", number=NumberText(("$", ",")))
    schema = Schema((Table("visit", tuple(Column(name) for _, name in columns)),))
    return profiled_by(DatabaseProfile(columns), Stored(schema))


def said(meant: Meant | None) -> Any:
    """Return what is meant as a short tuple."""
    match meant:
        case MeantInterval(column, start, end):
            return column.name, *(None if moment is None else moment.isoformat()[:10] for moment in (start, end))
        case MeantRecurring(column, part, numbers):
            return column.name, part, numbers
        case MeantPart(column, part):
            return column.name, part
        case MeantDuration(start, end, unit):
            return start.name, end.name, unit
        case MeantNumber(column):
            return (column.name, "number")
        case MeantFlag(column, yes):
            return column.name, yes
        case None:
            return None


YEAR, MONTH = ("opened", "2024-01-01", "2025-01-01"), ("opened", "2024-02-01", "2024-03-01")
MEANT = [
    ("sqlite", "strftime('%Y', opened) = '2024'", YEAR),
    ("sqlite", "CAST(strftime('%Y', visit.opened) AS INT) = 2024", YEAR),
    ("sqlite", "SUBSTR(opened, 1, 4) = '2024'", YEAR),
    ("sqlite", "opened LIKE '2024%'", YEAR),
    ("sqlite", "opened LIKE '2024-02-%'", MONTH),
    ("sqlite", "strftime('%Y-%m', opened) = '2024-02'", MONTH),
    ("sqlite", "opened BETWEEN '2024-02-01' AND '2024-02-29'", MONTH),
    ("sqlite", "DATE(opened) <= '2024-02-29'", ("opened", None, "2024-03-01")),
    ("sqlite", "'2024-02-29' < born", ("born", "2024-03-01", None)),
    ("sqlite", "born >= '2024-02'", ("born", "2024-02-01", None)),
    ("sqlite", "born = '2024-02'", None),
    ("sqlite", "strftime('%Y', opened) > '1990'", ("opened", "1991-01-01", None)),
    ("sqlite", "season > 1990", ("season", "1991-01-01", None)),
    ("sqlite", "seen >= 1704067200", ("seen", "2024-01-01", None)),
    ("sqlite", "strftime('%m', opened) = '02'", ("opened", "month", (2,))),
    ("sqlite", "CAST(strftime('%m', opened) AS INTEGER) IN (6, 8)", ("opened", "month", (6, 8))),
    ("sqlite", "opened LIKE '%-02-%'", ("opened", "month", (2,))),
    ("sqlite", "paid = '2/15/2024'", ("paid", "2024-02-15", "2024-02-16")),
    ("sqlite", "paid > '2/15/2024'", None),
    ("sqlite", "paid LIKE '%/2024'", ("paid", "2024-01-01", "2025-01-01")),
    ("sqlite", "paid LIKE '2/%'", ("paid", "month", (2,))),
    ("sqlite", "fed LIKE '%February%'", ("fed", "month", (2,))),
    ("sqlite", "opened LIKE '%2024%'", YEAR),
    ("sqlite", "paid LIKE '2/15/2024%'", ("paid", "2024-02-15", "2024-02-16")),
    ("sqlite", "fasted LIKE '2024年2月%'", ("fasted", "2024-02-01", "2024-03-01")),
    ("sqlite", "weighed LIKE '202402%'", ("weighed", "2024-02-01", "2024-03-01")),
    ("sqlite", "season LIKE '2024%'", ("season", "2024-01-01", "2025-01-01")),
    ("sqlite", "opened LIKE '%cub%'", None),
    ("sqlite", "strftime('%Y', opened)", ("opened", "year")),
    ("sqlite", "SUBSTR(born, 6, 2)", ("born", "month of year")),
    ("sqlite", "SUBSTR(paid, -4)", ("paid", "year")),
    ("sqlite", "SUBSTR(member, 1, 4)", None),
    ("sqlite", "strftime('%H', born)", None),
    ("sqlite", "julianday(left_on) - julianday(born)", ("born", "left_on", "days")),
    ("sqlite", "strftime('%J', left_on) - strftime('%J', born)", ("born", "left_on", "days")),
    ("sqlite", "CAST(REPLACE(REPLACE(price, '$', ''), ',', '') AS REAL)", ("price", "number")),
    ("sqlite", "member = 'Y'", ("member", True)),
    ("sqlite", "member <> 'Y'", ("member", False)),
    ("sqlite", "member = 'X'", None),
    ("mysql", "YEAR(opened) = 2024", YEAR),
    ("mysql", "DATE_FORMAT(opened, '%Y-%m') = '2024-02'", MONTH),
    ("mysql", "MONTH(opened)", ("opened", "month of year")),
    ("mysql", "DATEDIFF(left_on, born)", ("born", "left_on", "days")),
    ("mysql", "TIMESTAMPDIFF(YEAR, born, left_on)", ("born", "left_on", "years")),
    ("postgres", "EXTRACT(YEAR FROM opened) = 2024", YEAR),
    ("postgres", "DATE_PART('month', opened)", ("opened", "month of year")),
    ("postgres", "DATE_TRUNC('quarter', opened)", ("opened", "quarter")),
    ("postgres", "opened >= DATE '2024-02-01'", ("opened", "2024-02-01", None)),
    ("postgres", "EXTRACT(YEAR FROM AGE(left_on, born))", ("born", "left_on", "years")),
]


@pytest.mark.parametrize(("dialect", "text", "wanted"), MEANT)
def test_what_is_meant(profiled: Profiled, dialect: str, text: str, wanted: Any) -> None:
    tree = sqlglot.parse_one(f"SELECT {text} FROM visit", dialect=dialect)
    assert said(meaning_of(tree.expressions[0], profiled)) == wanted


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("opened >= '2024-02-01' AND member = 'Y' AND opened < '2024-03-01'", [("member", True), MONTH]),
        ("strftime('%Y', opened) = '2024' AND strftime('%m', opened) = '02'", [MONTH]),
        (
            "born >= '2020-01-01' AND opened >= '2024-02-01'",
            [("born", "2020-01-01", None), ("opened", "2024-02-01", None)],
        ),
        (
            "strftime('%Y', opened) = '2024' OR strftime('%Y', opened) = '2023'",
            [YEAR, ("opened", "2023-01-01", "2024-01-01")],
        ),
        ("strftime('%Y', opened) = strftime('%Y', left_on)", [("opened", "year"), ("left_on", "year")]),
    ],
)
def test_conditions_that_hold_together_are_one(profiled: Profiled, condition: str, wanted: list[Any]) -> None:
    tree = sqlglot.parse_one(f"SELECT 1 FROM visit WHERE {condition}", dialect="sqlite")
    found = [said(meant) for meant in said_one_way(tree, profiled, "sqlite")[1]]
    assert sorted(found, key=repr) == sorted(wanted, key=repr)


QUERIES = [
    "SELECT season FROM visit WHERE fasted LIKE '2024年%' AND weighed LIKE '202402%' AND seen >= 1704067200",
    "SELECT strftime('%Y', opened), COUNT(*) FROM visit GROUP BY strftime('%Y', opened) ORDER BY 1",
    "SELECT born FROM visit AS v WHERE CAST(strftime('%Y', v.opened) AS INT) > 2023 AND v.member = 'Y'",
    "SELECT season FROM visit WHERE opened LIKE '2024-02%' OR NOT strftime('%m', opened) = '02'",
    "SELECT AVG(julianday(left_on) - julianday(born)) FROM visit WHERE SUBSTR(paid, -4) = '2024'",
    "SELECT SUM(CAST(REPLACE(REPLACE(price, '$', ''), ',', '') AS REAL)) FROM visit WHERE season BETWEEN 2023 AND 2024",
    "SELECT season FROM visit WHERE strftime('%Y', opened) IN ('2023', '2025')",
    "SELECT season FROM visit WHERE strftime('%m', opened) <> '02' AND born > '2019-12-31'",
    "SELECT season FROM visit WHERE strftime('%Y', born) = (SELECT MIN(strftime('%Y', born)) FROM visit)",
]


@pytest.mark.parametrize("query", QUERIES)
def test_said_one_way_the_rows_are_the_same(profiled: Profiled, query: str) -> None:
    connection = sqlite3.connect(":memory:")
    names = [*TIMES, "member", "price"]
    columns = ", ".join(f"{name} {TYPES.get(name, 'TEXT')}" for name in names)
    connection.execute(f"CREATE TABLE visit ({columns})")
    connection.executemany(f"INSERT INTO visit VALUES ({', '.join('?' * len(names))})", ROWS)
    tree, found = said_one_way(sqlglot.parse_one(query, dialect="sqlite"), profiled, "sqlite")
    before, after = (connection.execute(text).fetchall() for text in (query, tree.sql("sqlite")))
    connection.close()
    assert found
    assert [tuple(map(str, row)) for row in after] == [tuple(map(str, row)) for row in before]
    assert before


def test_an_interval_is_a_range_that_an_index_serves(profiled: Profiled) -> None:
    tree = sqlglot.parse_one("SELECT 1 FROM visit WHERE strftime('%Y', opened) = '2024'", dialect="sqlite")
    text = said_one_way(tree, profiled, "sqlite")[0].sql("sqlite")
    assert text == "SELECT 1 FROM visit WHERE (opened >= '2024-01-01' AND opened < '2025-01-01')"
    assert meaning_of(tree.expressions[0], profiled) is None
