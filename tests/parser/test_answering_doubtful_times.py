"""A period beside cells that say times in no one way: the answer is shown, and told to be unsure."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

import querent


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
