"""Questions on time over native types of MariaDB and PostgreSQL: the rows are those of queries written by hand."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import sqlalchemy
from draws import some

import querent
from querent.data.databases.database import Database
from querent.evaluation.metrics import execution_match

NOW = datetime(2024, 5, 15, 10, 30)  # a Wednesday

SPANS = [
    ("in 2023", "'2023-01-01'", "'2024-01-01'"),
    ("in February 2024", "'2024-02-01'", "'2024-03-01'"),
    ("in Q4 2023", "'2023-10-01'", "'2024-01-01'"),
    ("in the first half of 2023", "'2023-01-01'", "'2023-07-01'"),
    ("between March and June 2023", "'2023-03-01'", "'2023-07-01'"),
    ("before 2023", None, "'2023-01-01'"),
    ("after March 2024", "'2024-04-01'", None),
    ("since 2024-04-20", "'2024-04-20'", None),
    ("until the end of 2022", None, "'2023-01-01'"),
    ("last month", "'2024-04-01'", "'2024-05-01'"),
    ("this year", "'2024-01-01'", "'2025-01-01'"),
    ("last year", "'2023-01-01'", "'2024-01-01'"),
    ("in the last 30 days", "'2024-04-15'", "'2024-05-16'"),
    ("yesterday", "'2024-05-14'", "'2024-05-15'"),
    ("last week", "'2024-05-06'", "'2024-05-13'"),
    ("on 14 May 2024", "'2024-05-14'", "'2024-05-15'"),
]
"""What is said, and the interval that is meant."""

TABLES = {"ticket": ("opened_at", "tickets", "opened"), "parcel": ("sent_on", "parcels", "sent")}
"""Of each table its time, and how its rows are called."""


def script(dialect: str) -> list[str]:
    """Return the statements that make and fill both tables: a moment a row, a day a row, most of them distinct."""
    moment = "DATETIME" if dialect == "mysql" else "TIMESTAMP"
    made = [
        f"CREATE TABLE ticket (ticket_id INTEGER PRIMARY KEY, title VARCHAR(40), opened_at {moment}, minutes INTEGER)",
        "CREATE TABLE parcel (parcel_id INTEGER PRIMARY KEY, courier VARCHAR(40), sent_on DATE, weight INTEGER)",
    ]
    first = datetime(2022, 3, 5, 8, 15)
    for n in range(160):
        opened = first + timedelta(hours=121 * n)
        sent = date(2022, 5, 1) + timedelta(days=5 * n)
        made.append(f"INSERT INTO ticket VALUES ({n}, 'title {n}', '{opened}', {n % 17})")
        made.append(f"INSERT INTO parcel VALUES ({n}, 'courier {n % 7}', '{sent}', {n % 13})")
    return made


def questions(dialect: str) -> list[tuple[str, str]]:
    """Return questions with their gold queries: each period of one table, in turn, and parts of the times of both."""
    found: list[tuple[str, str]] = []
    for turn, (table, (column, rows, verb)) in enumerate(TABLES.items()):
        for said, low, high in SPANS[turn :: len(TABLES)]:
            ends = [f"{column} >= {low}"] * (low is not None) + [f"{column} < {high}"] * (high is not None)
            found.append(
                (f"how many {rows} were {verb} {said}?", f"SELECT COUNT(*) FROM {table} WHERE " + " AND ".join(ends))
            )
        for said, part in _parts(column, dialect).items():
            found.append((f"how many {rows} were {verb} {said}?", f"SELECT {part}, COUNT(*) FROM {table} GROUP BY 1"))
    return found


def _parts(column: str, dialect: str) -> dict[str, str]:
    if dialect == "mysql":
        return {
            "per month": f"DATE_FORMAT({column}, '%Y-%m')",
            "per year": f"YEAR({column})",
            "per quarter": f"CONCAT(YEAR({column}), '-Q', QUARTER({column}))",
            "per weekday": f"WEEKDAY({column}) + 1",
        }
    return {
        "per month": f"TO_CHAR({column}, 'YYYY-MM')",
        "per year": f"DATE_PART('year', {column})",
        "per quarter": f"CONCAT(DATE_PART('year', {column}), '-Q', DATE_PART('quarter', {column}))",
        "per weekday": f"DATE_PART('isodow', {column})",
    }


def test_periods_and_parts_of_native_times(dialect: str, scratch: str) -> None:
    engine = sqlalchemy.create_engine(scratch, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in script(dialect):
            connection.exec_driver_sql(statement)
    engine.dispose()
    asked = some(questions(dialect), 2)
    with querent.connect(scratch, now=NOW, language="en") as connection, Database.open(scratch) as database:
        wrong = [
            (question, answer.sql)
            for question, gold in asked
            if not execution_match(
                list((answer := connection.ask(question)).rows),
                database.fetch(gold).rows,
                ordered=False,
                any_columns=True,
            )
        ]
    assert wrong == []
