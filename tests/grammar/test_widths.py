"""Stars show no more columns than the engine takes, and a column that they show twice is known to be there twice."""

from __future__ import annotations

import random
import sqlite3

import numpy as np
import pytest
from draws import draws
from rule_cases import judge, reason, stop, typed

from querent.grammar import EOS, Constraint

SCHEMA = typed(
    wide=", ".join(f"c{i} INTEGER" for i in range(700)),
    half=", ".join(f"h{i} INTEGER" for i in range(300)),
    small="id INTEGER, name TEXT",
)
SEED = 23


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM wide, wide x",
        "SELECT id, * FROM wide, small",
        "SELECT x.* FROM (SELECT * FROM wide, wide y) x, wide",
        "SELECT c1, c2, c3, c4, c5 FROM wide",
        "SELECT name FROM small WHERE EXISTS (SELECT * FROM wide)",
    ],
)
def test_what_fits_is_admitted(dialect: str, sql: str) -> None:
    assert stop(judge((sql,), dialect, schema=SCHEMA), sql) is None


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM wide, wide x», wide y",
        "SELECT *», *, * FROM wide",
        "SELECT * FROM wide, wide x», (SELECT * FROM wide) y",
        "SELECT * FROM wide x, wide y »JOIN wide z ON 1 = 1",
    ],
)
def test_what_is_too_wide_is_stopped(dialect: str, sql: str) -> None:
    assert "columns" in str(reason(judge((sql,), dialect, schema=SCHEMA), sql))


def test_the_terms_of_windows_are_columns_to_postgres() -> None:
    sql = "SELECT RANK() OVER (ORDER BY id + 1), * FROM small, wide, wide x"
    assert stop(judge((sql,), "sqlite", schema=SCHEMA, wide=True), sql) is None
    assert "columns" in str(
        reason(judge((sql,), "postgres", schema=SCHEMA, wide=True), sql.replace(", wide x", "», wide x"))
    )


def starry(constraint: Constraint, rng: random.Random) -> str:
    """Write a query that likes stars, commas and derived tables."""
    words = constraint.vocabulary.words
    liked = {n for n, word in enumerate(words) if word.text in {"SELECT", "FROM", "(", ",", "*", "x.*"}}
    state = constraint.start(None, 70)
    ids: list[int] = []
    while True:
        allowed = np.flatnonzero(state.allowed()).tolist()
        assert allowed, "an empty mask"
        chosen = rng.choice([n for n in allowed if n in liked and rng.random() < 0.9] or allowed)
        if chosen == EOS:
            return constraint.vocabulary.decode(ids)
        ids.append(chosen)
        state = state.advance(chosen)


def test_every_query_full_of_stars_runs() -> None:
    database = sqlite3.connect(":memory:")
    for table in SCHEMA.tables:
        database.execute(f"CREATE TABLE {table.name} ({', '.join(c.name for c in table.columns)})")
    words = ("SELECT *, x.* FROM small x, (SELECT * FROM half) y, wide",)

    def said(*without: str) -> set[str]:
        rng, found = random.Random(SEED), set[str]()
        constraint = judge(words, "sqlite", without=without, schema=SCHEMA)
        for _ in range(draws(20)):
            try:
                database.execute(f"EXPLAIN {starry(constraint, rng)}")
            except sqlite3.Error as error:
                found.add(str(error))
                break
        return found

    assert said() == set()
    assert said("width") == {"too many columns in result set"}
