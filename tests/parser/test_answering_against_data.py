"""What profiles say against an answer: times told in no one way, cells that are not there, times of another event."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

import querent
from querent.data.profiles.column_profile import ColumnProfile, TimeStorage
from querent.data.profiles.database_profile import DatabaseProfile
from querent.ner.index import FoundValue
from querent.ner.spans.time_span import TimeSpan
from querent.parser.answering.against_data import cells_misplaced, times_misplaced
from querent.parser.decoding.comparisons import Comparison
from querent.parser.reader.naming import stem


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> querent.Connection:
    file = tmp_path_factory.mktemp("against") / "yard.sqlite"
    writer = sqlite3.connect(file)
    writer.executescript(
        "CREATE TABLE move (move_id INTEGER PRIMARY KEY, crane TEXT, moved_on TEXT);"
        "INSERT INTO move VALUES (1, 'A', '31/12/2023'), (2, 'B', '12/31/2023'), (3, 'A', '01/02/2024');"
        "CREATE TABLE lift (lift_id INTEGER PRIMARY KEY, crane TEXT, lifted_on TEXT);"
        "INSERT INTO lift VALUES (1, 'A', '31/12/2023'), (2, 'B', '30/12/2023'), (3, 'A', '01/02/2024');"
    )
    writer.close()
    return querent.connect(file, language="en", now=datetime(2024, 5, 1))


def test_a_period_beside_doubtful_times_is_unsure(connection: querent.Connection) -> None:
    answer = connection.ask("How many moves were moved in December 2023?")
    assert answer.status == "unsure" and answer.sql is not None
    assert answer.reason is not None and "move.moved_on: 31/12 and 12/31 in one column" in answer.reason


def test_a_period_beside_times_of_one_form_is_not(connection: querent.Connection) -> None:
    answer = connection.ask("How many lifts were lifted in December 2023?")
    assert (answer.status, answer.rows, answer.reason) == ("ok", ((2,),), None)


def found(text: str, *columns: tuple[str, str], span: TimeSpan | None = None) -> FoundValue:
    return FoundValue(0, len(text), text, text, "time" if span else "cell", "exact", columns, 1.0, span=span)


PROFILE = DatabaseProfile(
    {
        ("move", "shipped_on"): ColumnProfile("time", time=TimeStorage("iso", "day", True, first="2023-01-09")),
        ("move", "ordered_on"): ColumnProfile("time", time=TimeStorage("iso", "day", True, first="2023-01-02")),
    }
)
MAY = TimeSpan(0, 8, "May 2023", datetime(2023, 5, 1), datetime(2023, 6, 1), "month")


def test_cells_beside_columns_that_have_them_not_are_counted() -> None:
    crane = found("A", ("move", "crane"))
    said = [Comparison("move", "crane", crane), Comparison("move", "port", crane)]
    assert [cells_misplaced([one]) for one in said] == [0, 1]


@pytest.mark.parametrize(
    ("column", "stems", "times"),
    [
        ("ordered_on", ["order"], 0),
        ("shipped_on", ["order"], 1),
        ("shipped_on", [stem("shipped")], 0),
        ("crane", ["order"], 0),
    ],
)
def test_a_period_beside_a_later_time_that_nobody_named_is_counted(column: str, stems: list[str], times: int) -> None:
    compared = [Comparison("move", column, found("May 2023", span=MAY))]
    assert times_misplaced(compared, stems, PROFILE) == times
