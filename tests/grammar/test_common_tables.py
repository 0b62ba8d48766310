"""WITH in masks: whatever words are at hand, a query that begins so ends within its budget, and SQLite runs it.

Single queries are in sql/common_tables.sql; python -m bench.fuzz --common draws many more, on each engine.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from draws import draws
from rule_cases import LAND, check_that_it_runs, filled_land

from querent.grammar import EOS, Constraint, Grammar, Vocabulary, Word

DIALECTS = ("sqlite", "mysql", "postgres")
WORDS = (
    "SELECT name AS n, 1 FROM city UNION SELECT d.name FROM (SELECT name FROM city) AS d",
    "SELECT d.n, d.* FROM (SELECT COUNT(*) AS n FROM city) AS d WHERE d.n > 3 ORDER BY d.n",
    "SELECT e.n FROM (SELECT people AS n FROM city GROUP BY people) AS e JOIN state ON e.n = state.id",
)
SHORTEST = {"sqlite": 9, "mysql": 10, "postgres": 9}
"""Words of ``WITH d AS (SELECT 1) SELECT 1``; MariaDB's is called by a name."""
BEGUN = (
    "WITH",
    "WITH d AS ( SELECT people n FROM city ) SELECT n FROM",
    "WITH d AS ( SELECT * FROM state ) SELECT d.* FROM",
)


def constraint_of(dialect: str) -> Constraint:
    found = Vocabulary.build(Grammar.for_schema(LAND, dialect=dialect, wide=True), WORDS)
    return Constraint(Vocabulary(found.grammar, (*found.words, Word("n", "COLUMN", "column", column="n"))))


def written(constraint: Constraint, rng: random.Random, budget: int, begun: str) -> list[int]:
    """Write a query at random that begins with some words of WITH and likes what it shows."""
    words = constraint.vocabulary.words
    shown = [w.terminal in {"COLUMN", "QCOLUMN", "QSTAR"} and not w.tables for w in words]
    liked = [w.terminal == "ALIAS" or w.text == "FROM" or shown[n] for n, w in enumerate(words)]
    number = {(word.text, word.terminal): n for n, word in enumerate(words)}
    state, ids = constraint.start(None, budget), list[int]()
    for text in begun.split():
        ids += [n for (word, _), n in number.items() if word == text and state.admits(n)][:1]
        state = state.advance(ids[-1])
    while True:
        allowed = np.flatnonzero(state.allowed()).tolist()
        assert allowed, constraint.vocabulary.decode(ids)
        chosen = rng.choice([n for n in allowed if liked[n] and rng.random() < 0.4] or allowed)
        if chosen == EOS:
            return ids
        ids.append(chosen)
        state = state.advance(chosen)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_shortest_query_of_with_takes_its_budget_and_no_less_does(dialect: str) -> None:
    constraint, rng = constraint_of(dialect), random.Random(1)
    with_ = constraint.vocabulary.index("WITH", "WITH")
    most = SHORTEST[dialect]
    assert not constraint.start(None, most - 1).admits(with_)
    for _ in range(5):
        assert len(written(constraint, rng, most, "WITH")) == most


def test_random_queries_of_with_run() -> None:
    database, constraint, rng = filled_land(), constraint_of("sqlite"), random.Random(2)
    used = 0
    for _ in range(draws(30)):
        sql = constraint.vocabulary.decode(written(constraint, rng, rng.choice([20, 30, 40]), rng.choice(BEGUN)))
        check_that_it_runs(database, sql)
        used += "FROM d" in sql or "FROM e" in sql
    assert used > draws(10)
