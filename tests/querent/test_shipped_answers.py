"""What is asked of the databases that ship, by the demo and by analysts, and what it answers."""

import re
from datetime import datetime
from pathlib import Path

import pytest
from draws import some
from pages import Page

import querent as face
from querent.commands.ask import DEMO, demo_questions
from querent.data.databases.database import Database
from querent.data.domains.schema_places import database_place
from querent.data.shipped import DATABASES
from querent.evaluation.metrics import execution_match


@pytest.mark.slow
def test_it_answers_every_example_question_surely_but_for_one(querent):
    shown = querent("demo")
    assert shown.code == 0
    flat = " ".join(shown.out.split())
    questions = [question for name in DEMO for question in demo_questions(name)]
    assert [question for question in questions if " ".join(question.split()) not in flat] == []
    assert flat.count("SELECT") >= len(questions)
    assert flat.count(" ok confidence ") >= len(questions) - 1
    assert "querent ask" in flat


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*DATABASES} - {*DEMO}))
def test_those_of_other_shipped_databases_are_answered_surely_but_for_one(name):
    with face.connect(name) as database:
        found = {question: database.ask(question).status for question in demo_questions(name)}
    assert {*found.values()} <= {"ok", "unsure"}, found
    assert [*found.values()].count("unsure") <= 1, found


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


ROW = re.compile(r"^\| ([^|]+[?？a-z1]) \| ([^|]*) \| ([^|]+) \|$", re.MULTILINE)


def told(answer: face.Answer) -> str:
    """Return an answer as the page prints it: its first row, and how many there are."""
    if answer.sql is None:
        return f"no answer: {str(answer.reason).partition(': ')[2].partition(';')[0]}"
    row = ", ".join(f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in answer.rows[0])
    return f"{row} … {len(answer.rows)} rows" if len(answer.rows) > 1 else row


def test_the_plant_answers_as_the_page_says(monkeypatch):
    monkeypatch.delenv("QUERENT_CACHE", raising=False)  # the plant is there already
    page = Page("knowledge.md").section("Asked of a plant").replace("`", "")
    rows = [row for row in ROW.findall(page) if row[0] != "question"]
    assert len(rows) == 5
    rows += some(ROW.findall(Path(__file__).with_name("plant_formulas.txt").read_text("utf-8")), 4)
    with face.connect("plant", knowledge="process") as plant:
        for question, formula, shown in rows:
            answer = plant.ask(question)
            assert (told(answer), ", ".join(one.name for one in answer.knowledge)) == (shown, formula.strip()), question
            assert (answer.status == "no_answer") == (answer.sql is None)
