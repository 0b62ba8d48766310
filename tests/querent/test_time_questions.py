"""What analysts ask of the shipped databases about time: each answer has the rows of a query written by hand."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest
from draws import some

import querent as face
from querent.data.databases.database import Database
from querent.data.databases.schema_places import database_place
from querent.evaluation.metrics import execution_match

TEXT = Path(__file__).with_name("time_questions.txt").read_text("utf-8")
CASES = re.findall(r"^# (\w+) at (.+)\n((?:[^#].*\n)+)", TEXT, re.MULTILINE)


@pytest.mark.parametrize(("name", "now", "lines"), CASES, ids=[name for name, *_ in CASES])
def test_questions_on_time_have_their_rows(name: str, now: str, lines: str) -> None:
    asked = [line.split(" | ", 1) for line in lines.splitlines()]
    assert len(asked) >= 11
    moment = datetime.fromisoformat(now)
    with face.connect(name, now=moment) as connection, Database.open(database_place(name)) as database:
        for question, gold in some(asked, 2):
            answer, rows = connection.ask(question), database.fetch(gold).rows
            assert rows and rows[0][-1]
            assert execution_match(list(answer.rows), rows, ordered=False, any_columns=True), (question, answer.sql)


@pytest.mark.xfail(reason="the network takes readings for what they read", strict=True)
@pytest.mark.parametrize("question", ["how many readings per day?", "how many readings in the last 8 hours?"])
def test_readings_are_counted(question: str) -> None:
    with face.connect("plant", now=datetime(2024, 3, 31, 8)) as connection:
        assert "COUNT(*)" in str(connection.ask(question).sql)
