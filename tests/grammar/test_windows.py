"""Window functions at random: whatever words are at hand, a query ends in time, and SQLite runs it.

Single queries are in sql/windows.sql; python -m bench.fuzz --windows draws many more, on each engine.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from draws import draws
from grammar_cases import walk
from rule_cases import LAND, check_that_it_runs, filled_land

from querent.grammar import EOS, Constraint, Grammar, Vocabulary

DIALECTS = ("sqlite", "mysql", "postgres")
SEED = 3
WINDOWS = {"RANKING", "SHIFTED", "OVER_COUNT", "OVER_AGG"}
WORDS = (
    "SELECT name, RANK() OVER (PARTITION BY state_id ORDER BY people DESC) AS r FROM city ORDER BY r",
    "SELECT d.r, SUM(d.r) FROM (SELECT LAG(area) OVER (ORDER BY founded) AS r FROM state) AS d WHERE d.r > 1",
    "SELECT COUNT(*) OVER (), LEAD(source) OVER (ORDER BY length), COUNT(*) FROM river GROUP BY 2",
)


def constraint_of(dialect: str) -> Constraint:
    return Constraint(Vocabulary.build(Grammar.for_schema(LAND, dialect=dialect, wide=True), WORDS))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_window_without_columns_ends_in_time(dialect: str) -> None:
    constraint = constraint_of(dialect)
    words = constraint.vocabulary.words
    able = np.array([w.kind in {"keyword", "operator", "function", "constant"} for w in words])
    rng = random.Random(SEED)
    texts = [
        constraint.vocabulary.decode(walk(constraint, rng, available=able, budget=n % 9 + 12))
        for n in range(draws(100))
    ]
    assert sum(" OVER (" in text for text in texts) > draws(5)


def windowed(constraint: Constraint, rng: random.Random, budget: int) -> list[int]:
    """Write a query at random that likes window functions and clauses."""
    words = constraint.vocabulary.words
    liked = [word.terminal in WINDOWS or word.text in {"FROM", "PARTITION", "GROUP", "WHERE"} for word in words]
    state, ids = constraint.start(None, budget), list[int]()
    while True:
        allowed = np.flatnonzero(state.allowed()).tolist()
        assert allowed, "an empty mask"
        chosen = rng.choice([n for n in allowed if liked[n] and rng.random() < 0.4] or allowed)
        if chosen == EOS:
            return ids
        ids.append(chosen)
        state = state.advance(chosen)


def test_random_queries_of_windows_run() -> None:
    database, constraint, rng = filled_land(), constraint_of("sqlite"), random.Random(SEED)
    found: set[str] = set()
    for _ in range(draws(100)):
        sql = constraint.vocabulary.decode(windowed(constraint, rng, rng.choice([20, 40, 60])))
        check_that_it_runs(database, sql)
        found |= {name for name in ("PARTITION BY", "ORDER BY", "LAG(", "RANK(", "COUNT(") if name in sql}
    assert len(found) == 5
