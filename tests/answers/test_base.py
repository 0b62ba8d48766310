"""The shipped network on the sixty plain questions: floors under what it reaches, so that it cannot get worse unseen.

docs/base.md has what is reached: 48 questions that the database can answer, 12 that it cannot. A request to change data
is a question like others.
"""

import pytest
from asked_questions import DATABASES, databases, questions, right

import querent

pytestmark = pytest.mark.slow

RIGHT, SURELY_WRONG, REFUSED_RIGHTLY, REFUSED_WRONGLY = 31, 2, 6, 2
DOUBTED = 12  # of what has no answer, refused or unsure


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    found = {}
    for name, path in databases(tmp_path_factory.mktemp("answers")).items():
        with querent.connect(path) as connection:
            for question in questions():
                if question.database == name:
                    found[question.id] = (question, connection.ask(question.question))
    return found


def test_every_question_gets_a_record(asked):
    assert len(asked) == 20 * len(DATABASES)
    assert {answer.status for _, answer in asked.values()} <= {"ok", "unsure", "no_answer"}


def test_enough_answers_are_right(asked):
    count = sum(right(q, answer.rows) for q, answer in asked.values() if q.gold is not None and answer.sql is not None)
    assert count >= RIGHT


def test_few_answers_are_wrong_and_sure(asked):
    wrong = [q.id for q, a in asked.values() if q.gold is not None and a.confidence > 0.8 and not right(q, a.rows)]
    assert len(wrong) <= SURELY_WRONG, wrong


def test_what_has_no_answer_is_refused_and_little_else(asked):
    assert sum(question.gold is None and answer.status != "ok" for question, answer in asked.values()) >= DOUBTED
    refused = {True: 0, False: 0}
    for question, answer in asked.values():
        refused[question.gold is not None] += answer.sql is None
    assert refused[False] >= REFUSED_RIGHTLY
    assert refused[True] <= REFUSED_WRONGLY
