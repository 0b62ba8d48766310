"""The questions themselves: their databases load, and their gold queries tell right answers from nearly right ones."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing

import pytest
from asked_questions import (
    DATABASES,
    SCRIPTS,
    SETS,
    Question,
    databases,
    expected,
    in_order,
    questions,
    right,
    run,
    same,
)
from sqlglot import exp, parse_one

from querent.data.domains.loading import load_domain

ALL = [question for name in SETS for question in questions(name)]
ANSWERABLE = [question for question in ALL if question.gold is not None]


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return databases(tmp_path_factory.mktemp("answers"))


def named(question: Question) -> str:
    return question.id


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_load(paths, name):
    with closing(sqlite3.connect(paths[name])) as database:
        tables = [table for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        sizes = {table: database.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] for table in tables}
        assert not database.execute("PRAGMA foreign_key_check").fetchall()
        assert all(database.execute(f"PRAGMA table_info({table})").fetchall()[0][5] == 1 for table in tables)
    assert 7 <= len(tables) <= 9
    assert all(5 <= size <= 60 for size in sizes.values()), sizes


def test_ids_and_questions_are_unique():
    assert len({question.id for question in ALL}) == len(ALL)
    assert len({question.question.lower() for question in ALL}) == len(ALL)


@pytest.mark.parametrize(("name", "asked"), [("questions", DATABASES), ("probe", SCRIPTS)])
def test_sixteen_of_twenty_can_be_answered(name, asked):
    read = questions(name)
    assert Counter(question.database for question in read) == dict.fromkeys(asked, 20)
    answerable = Counter(question.database for question in read if question.gold is not None)
    assert answerable == dict.fromkeys(asked, 16)
    assert not any(question.also for question in read if question.gold is None)


def test_none_is_a_pair_of_the_plant():
    trained = {example.question.lower() for example in load_domain("plant", language="en").examples}
    assert not trained & {question.question.lower() for question in ALL}


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


@pytest.mark.parametrize("question", ANSWERABLE, ids=named)
def test_nearly_right_answers_are_wrong(question):
    rows = expected(question.database, question.queries[0])
    assert not right(question, None)
    assert not right(question, rows[1:])
    assert not right(question, [*rows, rows[0]])
    assert not right(question, [(*row, "more") for row in rows])
    assert right(question, rows[::-1]) == (len(rows) == 1 or not in_order(question.queries[0]))


@pytest.mark.parametrize("question", ANSWERABLE, ids=named)
def test_no_condition_can_be_left_out(question):
    """A query that forgets a filter, one of two conditions, the order or the limit is not right by luck."""
    for sql in shortened(question.queries[0]):
        assert not right(question, expected(question.database, sql)), sql


def shortened(sql: str) -> list[str]:
    """Return a query without each of its filters, orders and limits, each side of AND, and sorted the other way."""
    found: list[str] = []
    for place, node in enumerate(parse_one(sql, read="sqlite").walk()):
        if isinstance(node, (exp.Where, exp.Having, exp.Limit, exp.Order)):
            found.append(without(sql, place, None))
        elif isinstance(node, exp.And):
            found += [without(sql, place, side) for side in ("this", "expression")]
        elif isinstance(node, exp.Ordered):
            found.append(without(sql, place, "turned"))
    return found


def without(sql: str, place: int, side: str | None) -> str:
    """Return a query without its node at ``place``, or with what ``side`` says instead of it."""
    query = parse_one(sql, read="sqlite")
    node = list(query.walk())[place]
    if side is None:
        node.pop()
    elif side == "turned":
        node.set("desc", not node.args.get("desc"))
    else:
        node.replace(node.args[side].copy())
    return query.sql("sqlite")


@pytest.mark.parametrize("question", [question for question in ALL if question.gold is None], ids=named)
def test_only_declining_is_right_without_an_answer(question):
    assert right(question, None)
    assert not right(question, [])
    assert not right(question, [("somebody",)])


def test_same():
    table = [("a", 1, 2.5), ("b", 2, None)]
    assert same(table, [(2, None, "b"), (1.0, 2.5000000000001, "a")], ordered=False)
    assert not same(table, [(2, None, "b"), (1.0, 2.5, "a")], ordered=True)
    assert same(table, [(2.5, "a", 1), (None, "b", 2)], ordered=True)
    assert not same(table, [("a", 2, 2.5), ("b", 1, None)], ordered=False)  # same columns, other rows
    assert not same(table, [("a", 1), ("b", 2)], ordered=False)
    assert not same([("a", "a"), ("b", "b")], [("a", "b"), ("b", "a")], ordered=False)
    assert not same([("a",)], [("a",), ("a",)], ordered=False)
    assert not same([(1,)], [("1",)], ordered=False)
    assert same([], [], ordered=False)
