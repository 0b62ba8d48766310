"""The questions themselves: their databases load, and their gold queries tell right answers from nearly right ones."""

import pytest
from asked_questions import SETS, Question, databases, in_order, questions, right, run

ALL = [question for name in SETS for question in questions(name)]
ANSWERABLE = [question for question in ALL if question.gold is not None]


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return databases(tmp_path_factory.mktemp("answers"))


def named(question: Question) -> str:
    return question.id


@pytest.mark.parametrize("question", ANSWERABLE, ids=named)
def test_queries_run_and_their_answers_are_right(paths, question):
    assert len(set(question.queries)) == len(question.queries)
    for sql in question.queries:
        rows = run(paths[question.database], sql)
        assert rows, sql
        assert any(value is not None for row in rows for value in row), sql
        assert right(question, rows), sql
        assert right(question, [row[::-1] for row in rows]), sql
        assert in_order(sql) == in_order(question.queries[0]), sql
