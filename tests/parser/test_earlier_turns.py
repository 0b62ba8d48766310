"""What the query before says in the words of its question: periods and flags are carried as what they mean."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from querent.data.databases.schema_readers import read_schema
from querent.meaning.profiling import open_profile
from querent.ner.index import ValueIndex
from querent.parser.decoding.earlier_turns import history_of
from querent.parser.reader.context import DatabaseContext

TOWNS = ("Faro", "Lagos")
TRIPS = [(n, f"202{n % 3}-{1 + n % 12:02}-{1 + n % 28:02}", "YN"[n % 2], TOWNS[n % 2]) for n in range(1, 61)]
IN_2021 = "SELECT COUNT(*) FROM trip WHERE trip.begun >= '2021-01-01' AND trip.begun < '2022-01-01'"


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> DatabaseContext:
    """Return trips with days, a flag of letters, and towns."""
    file: Path = tmp_path_factory.mktemp("trips") / "trips.sqlite"
    with closing(sqlite3.connect(file)) as made, made:
        made.execute("CREATE TABLE trip (id INTEGER PRIMARY KEY, begun TEXT, paid TEXT, town TEXT)")
        made.executemany("INSERT INTO trip VALUES (?, ?, ?, ?)", TRIPS)
    schema = read_schema(file)
    profile = open_profile(file, schema, cache=file.parent)
    index = ValueIndex.open(file, schema, cache=file.parent)
    now = datetime(2022, 12, 1)
    return DatabaseContext.of(schema, index, profile=profile, dialect="sqlite", language="en", now=now)


def test_a_period_is_one_value(context: DatabaseContext) -> None:
    history = history_of(["how many trips begun in 2021?"], IN_2021, context)
    (value,) = history.values
    assert (value.value, value.how, value.columns) == ("2021", "earlier", (("trip", "begun"),))
    assert value.span is not None
    assert (value.span.start, value.span.end) == (datetime(2021, 1, 1), datetime(2022, 1, 1))
    assert [text for text, _ in history.words][-3:] == ["trip.begun", "=", "'2021'"]


def test_a_period_said_two_turns_before_is_one_still(context: DatabaseContext) -> None:
    sql = IN_2021.replace("COUNT(*)", "trip.town")
    history = history_of(["trips begun in 2021", "which towns?", "sorted"], f"{sql} ORDER BY trip.town", context)
    assert [value.span is not None for value in history.values] == [True]


def test_a_period_that_nobody_said_stays_two_days(context: DatabaseContext) -> None:
    history = history_of(["how many trips?"], IN_2021, context)
    assert [value.value for value in history.values] == ["2021-01-01", "2022-01-01"]


def test_cells_and_numbers_are_values_of_their_columns_once(context: DatabaseContext) -> None:
    sql = "SELECT trip.town FROM trip WHERE trip.town = 'Faro' AND trip.id > 7 AND trip.town <> 'Faro' LIMIT 3"
    found = history_of(["trips to Faro"], sql, context).values
    assert [(one.value, one.kind, one.columns) for one in found] == [
        ("Faro", "cell", (("trip", "town"),)),
        ("7", "number", (("trip", "id"),)),
    ]


@pytest.mark.parametrize("sql", [None, "SELECT nothing FROM nowhere", "DROP TABLE trip", ""])
def test_without_a_query_there_are_utterances_alone(context: DatabaseContext, sql: str | None) -> None:
    history = history_of(["good morning", "trips?"], sql, context)
    assert history.utterances == ("trips?", "good morning")
    assert (history.words, history.values) == ((), ())
