"""A date that is compared with a year alone: SQLite would compare a text with a number."""

from __future__ import annotations

import sqlite3
from functools import cache

import pytest

from querent.data.schema.schema import Column, Schema, Table
from querent.grammar import Constraint, Grammar
from querent.parser.decoding.bare_years import with_whole_dates
from querent.parser.normal_form import vocabulary

SCHEMA = Schema((Table("loan", (Column("day", "DATE"), Column("note", "TEXT"), Column("year", "INTEGER"))),))
VALUES = {"text0": "2018", "text1": "2019", "text2": "2018-06-12", "number0": "2018"}
DAYS = ["2017-12-31", "2018-01-01", "2018-12-31", "2019-12-31", "2020-01-01"]


def written(condition: str, dialect: str = "sqlite") -> str:
    sql = f"SELECT loan.day FROM loan WHERE {condition}"
    return with_whole_dates(sql, VALUES, constraint(dialect)).removeprefix("SELECT loan.day FROM loan WHERE ")


@cache
def constraint(dialect: str) -> Constraint:
    """Return what the queries are written under."""
    grammar = Grammar.for_schema(SCHEMA, dialect=dialect)
    return Constraint(vocabulary(grammar, texts=3, numbers=1))


@pytest.mark.parametrize(
    ("condition", "becomes", "days"),
    [
        ("loan.day >= '{text0}'", "loan.day >= '{text0}-01-01'", DAYS[1:]),
        ("loan.day < '{text0}'", "loan.day < '{text0}-01-01'", DAYS[:1]),
        ("loan.day > '{text0}'", "loan.day > '{text0}-12-31'", DAYS[3:]),
        ("loan.day <= '{text0}'", "loan.day <= '{text0}-12-31'", DAYS[:3]),
        ("loan.day = '{text0}'", "loan.day LIKE '{text0}%'", DAYS[1:3]),
        (
            "loan.day BETWEEN '{text0}' AND '{text1}'",
            "loan.day BETWEEN '{text0}-01-01' AND '{text1}-12-31'",
            DAYS[1:4],
        ),
        (
            "loan.day >= '{text0}' AND loan.day < '{text1}'",
            "loan.day >= '{text0}-01-01' AND loan.day < '{text1}-01-01'",
            DAYS[1:3],
        ),
    ],
)
def test_a_year_becomes_its_first_or_last_day(condition: str, becomes: str, days: list[str]) -> None:
    assert written(condition) == becomes
    filled = becomes.replace("{text0}", "2018").replace("{text1}", "2019")
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE loan (day DATE)")
    database.executemany("INSERT INTO loan VALUES (?)", [(day,) for day in DAYS])
    assert [row[0] for row in database.execute(f"SELECT day FROM loan WHERE {filled}")] == days


@pytest.mark.parametrize(
    "condition",
    [
        "loan.day >= '{text2}'",
        "loan.day LIKE '{text0}%'",
        "loan.note = '{text0}'",
        "loan.year = {number0}",
        "loan.day IN ('{text0}')",
    ],
)
def test_whatever_else_stays(condition: str) -> None:
    assert written(condition) == condition


def test_what_the_constraint_would_not_let_come_stays() -> None:
    """A pattern of any length is more than SQLite takes."""
    put_together = "loan.day = '{text0}' || REPLACE(loan.note, '{text1}', '{text2}')"
    assert constraint("sqlite").admits(f"SELECT loan.day FROM loan WHERE {put_together}", VALUES)
    assert written(put_together) == put_together


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
def test_servers_say_themselves_what_is_no_date(dialect: str) -> None:
    assert written("loan.day >= '{text0}'", dialect) == "loan.day >= '{text0}'"
