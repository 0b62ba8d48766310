"""Questions on times of native types (native_times.toml) have the rows of queries that are written by hand."""

import tomllib
from datetime import date, datetime, timedelta
from pathlib import Path

from draws import some
from servers import execute

import querent
from querent.evaluation.metrics import execution_match

NOW = datetime(2024, 5, 15, 10, 30)
CASES = tomllib.loads(Path(__file__).with_name("native_times.toml").read_text("utf-8"))["case"]


def tables(moment: str) -> list[str]:
    """Return statements that make two tables: a moment a row and a day a row, most of them distinct."""
    opened = [datetime(2022, 3, 5, 8, 15) + timedelta(hours=121 * n) for n in range(160)]
    sent = [date(2022, 5, 1) + timedelta(days=5 * n) for n in range(160)]
    return [
        f"CREATE TABLE ticket (ticket_id INTEGER PRIMARY KEY, title VARCHAR(40), opened_at {moment}, minutes INTEGER)",
        "CREATE TABLE parcel (parcel_id INTEGER PRIMARY KEY, courier VARCHAR(40), sent_on DATE, weight INTEGER)",
        *(f"INSERT INTO ticket VALUES ({n}, 'title {n}', '{at}', {n % 17})" for n, at in enumerate(opened)),
        *(f"INSERT INTO parcel VALUES ({n}, 'courier {n % 7}', '{on}', {n % 13})" for n, on in enumerate(sent)),
    ]


def test_periods_and_parts_of_native_times(dialect: str, scratch: str) -> None:
    execute(scratch, *tables("DATETIME" if dialect == "mysql" else "TIMESTAMP"))
    wrong = []
    with querent.connect(scratch, now=NOW, language="en") as connection:
        for case in some(CASES, 2):
            answer = connection.ask(case["question"])
            gold = connection.database.fetch(case.get("sql") or case[dialect]).rows
            if not execution_match([*answer.rows], gold, any_columns=True):
                wrong.append((case["question"], answer.sql))
    assert wrong == []
