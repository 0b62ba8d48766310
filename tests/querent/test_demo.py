"""The demo: questions on two shipped databases, answered at once."""

from __future__ import annotations

import pytest

from querent import connect
from querent.commands.ask import SHOWN, demo_questions
from querent.data.domains.shipped import DATABASES

pytestmark = pytest.mark.slow


def test_it_answers_every_example_question_surely_but_for_one(querent):
    shown = querent("demo")
    assert shown.code == 0
    flat = " ".join(shown.out.split())
    questions = [question for name in SHOWN for question in demo_questions(name)]
    assert [question for question in questions if " ".join(question.split()) not in flat] == []
    assert flat.count("SELECT") >= len(questions)
    assert flat.count(" ok confidence ") >= len(questions) - 1
    assert "querent ask" in flat


@pytest.mark.parametrize("name", sorted({*DATABASES} - {*SHOWN}))
def test_those_of_other_shipped_databases_are_answered_surely_but_for_one(name):
    with connect(name) as database:
        found = {question: database.ask(question).status for question in demo_questions(name)}
    assert {*found.values()} <= {"ok", "unsure"}, found
    assert [*found.values()].count("unsure") <= 1, found


def test_the_shop_has_as_many_customers_as_it_says():
    with connect("shop") as database:
        (count,) = database.ask("how many customers are there?").rows[0]
        assert count == len(database.ask("list the names of all customers").rows)
