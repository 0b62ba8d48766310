"""After each word a query can be finished in the words that were promised; test_random_queries.py has more."""

import numpy as np
import pytest
from rule_cases import judge, stop

from querent.grammar import LEVELS, Constraint
from querent.grammar.completion.shortest import NEVER
from querent.grammar.lr.tables import DIALECTS

WORDS = (
    "SELECT c.people, MAX(area), 2 FROM city AS c, state AS c, state AS s WHERE c.name = 'x' OR s.area > 1.5 LIMIT 1",
    "SELECT *, t.n, city.id, c.*, ABS(id) FROM city AS c, (SELECT COUNT(*) AS n FROM river) AS t ORDER BY n",
)


def constraint_of(dialect: str, level: str) -> Constraint:
    return judge(WORDS, dialect, level)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "prefix", ["SELECT", "SELECT c.name ,", "SELECT t.n , s.area ,", "SELECT 1 FROM ( SELECT s.area ,"]
)
def test_columns_that_are_reckoned_as_one_need_what_each_of_them_takes(dialect: str, prefix: str) -> None:
    """Aliases that nothing names yet are as good as one another, those in use are not."""
    constraint = constraint_of(dialect, "types")
    words = constraint.vocabulary.words
    state = constraint.start()
    for text in prefix.split():
        state = state.advance(next(i for i, w in enumerate(words) if w.text == text and state.allowed()[i]))
    named = [i for i in np.flatnonzero(state.allowed()).tolist() if words[i].terminal in {"COLUMN", "QCOLUMN", "QSTAR"}]
    promised = {words[i].text: state.need(i) - 1 for i in named}
    assert promised == {words[i].text: state.advance(i).least for i in named}
    assert len(named) > 10


@pytest.mark.parametrize(
    ("dialect", "prefix", "missing"),
    [
        ("sqlite", "SELECT area FROM", "state"),
        ("mysql", "SELECT c.people", "c"),
        ("postgres", "SELECT city.id", "city"),
        ("sqlite", "SELECT c.*", "c"),
        ("mysql", "SELECT t.n", "n"),
        ("postgres", "SELECT 1 LIMIT", "1 2"),
        ("mysql", "SELECT 1 FROM city AS", "c n s t"),
    ],
)
def test_no_word_is_a_dead_end_where_another_is_missing(dialect: str, prefix: str, missing: str) -> None:
    constraint = constraint_of(dialect, "types")
    words = constraint.vocabulary.words
    state = constraint.start(np.array([w.text not in missing.split() for w in words]))
    for text in prefix.split():
        able = [i for i, w in enumerate(words) if w.text == text and state.allowed()[i]]
        if not able:
            return
        state = state.advance(able[0])
        assert state.allowed().any(), f"nothing may follow {text}"
    pytest.fail(f"{missing} is not at hand")


def test_a_column_of_a_single_row_leaves_room_for_its_limit() -> None:
    constraint = constraint_of("mysql", "runs")
    state = constraint.start()
    for word in constraint.vocabulary.encode("SELECT (SELECT c.people FROM city c)")[:4]:
        promised, state = state.need(word), state.advance(word)
    assert promised == 1 + len(["FROM", "city", "c", "LIMIT", "1", ")"])


SHORTEST = [
    ("SELECT c.people FROM city AS c", 1),
    ("SELECT c.people FROM city c", 0),
    ("SELECT area FROM state", 0),
    ("SELECT c.people, s.area FROM city AS c, state AS s", 1),
    ("SELECT c.people, s.area FROM city c, state s", 0),
    ("SELECT t.n FROM (SELECT 1 n) t", 0),
    ("SELECT city.id FROM city JOIN state AS s ON s.area > 1", 0),
    ("SELECT * FROM city", 0),
]
"""Queries, each with the words that are counted twice: above the grammar the alias after AS, while it is owed."""


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("sql", "twice"), SHORTEST)
def test_a_query_is_admitted_with_hardly_more_than_its_words(dialect: str, level: str, sql: str, twice: int) -> None:
    constraint = constraint_of(dialect, level)
    ids = constraint.vocabulary.encode(sql)
    state = constraint.start(budget=len(ids) + twice)
    for word in ids:
        assert state.allowed()[word], state.explain(word)
        state = state.advance(word)
    assert state.complete


@pytest.mark.parametrize("sql", [sql for sql, _ in SHORTEST if " AS " not in sql and sql != "SELECT area FROM state"])
def test_a_prefix_is_finished_in_the_words_that_its_names_need(sql: str) -> None:
    """Nothing shorter begins like these, and one word of the budget less refuses the last word that is free."""
    constraint = constraint_of("postgres", "scope")
    ids = constraint.vocabulary.encode(sql)
    state = constraint.start()
    for word in ids[: [constraint.vocabulary.words[i].text for i in ids].index("FROM")]:
        state = state.advance(word)
    written = constraint.budget - state.left
    assert written + state.least == len(ids)


@pytest.mark.parametrize("level", LEVELS)
def test_without_tables_no_column_can_come(level: str) -> None:
    constraint = constraint_of("sqlite", level)
    words = constraint.vocabulary.words
    available = np.array([w.kind != "table" for w in words])
    state = constraint.start(available)
    state = state.advance(constraint.vocabulary.index("SELECT", "SELECT"))
    area = constraint.vocabulary.index("area", "COLUMN")
    assert not state.allowed()[area]
    assert state.need(area) >= NEVER
    assert stop(constraint, "SELECT area FROM state") is None
