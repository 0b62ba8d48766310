"""Walks at random over every schema there is: what the constraint promises, held at every step."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
import sqlglot
from draws import draws
from grammar_cases import ODD, SETS, read_gold, rich_vocabulary, some_words
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lark import Lark
from lark import Token as LarkToken

from querent.data.domains.loading import load_domain
from querent.grammar import EOS, Constraint, Grammar
from querent.grammar.lr.build import lark_parser
from querent.grammar.lr.tables import DIALECTS, load_tables


@lru_cache
def constraint_on(name: str, dialect: str, shared: Path | None) -> Constraint:
    if name == "odd":
        schema = ODD
    elif name == "plant":
        schema = load_domain("plant").schema
    else:
        assert shared is not None
        schema = read_gold(shared, name).schema
    grammar = Grammar.for_schema(schema, dialect=dialect)
    return Constraint(rich_vocabulary(grammar), level="grammar")


@lru_cache
def lark_of(dialect: str) -> Lark:
    return lark_parser(load_tables(dialect).source)


@pytest.fixture(params=[*SETS, "plant", "odd"])
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def shared(request: pytest.FixtureRequest, name: str) -> Path | None:
    return request.getfixturevalue("shared_data") if name in SETS else None


@settings(
    max_examples=draws(15), deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    dialect=st.sampled_from(DIALECTS),
    seed=st.integers(0, 2**32),
    budget=st.integers(6, 60),
    kept=st.sampled_from([1.0, 1.0, 0.8]),
)
def test_a_walk_ends_in_time_parses_and_never_leaves_lark(
    name: str, shared: Path | None, dialect: str, seed: int, budget: int, kept: float
) -> None:
    constraint = constraint_on(name, dialect, shared)
    words, rng = constraint.vocabulary.words, random.Random(seed)
    available = some_words(constraint.vocabulary, rng, kept)
    state = constraint.start(available, budget)
    oracle = lark_of(dialect).parse_interactive("")
    ids: list[int] = []
    while True:
        allowed = np.flatnonzero(state.allowed()).tolist()
        terminals = {words[i].terminal for i in allowed}
        assert allowed
        assert terminals <= oracle.accepts()
        assert (EOS in allowed) == state.complete == ("$END" in oracle.accepts())
        # a word owes five more at most, as does the bracket before an operand: so far the grammar alone binds
        if kept == 1.0 and 6 * (budget - state.left) + 7 <= budget:
            assert terminals == oracle.accepts() & {w.terminal for w in words}
        word = rng.choice(allowed)
        if word == EOS:
            break
        ids.append(word)
        oracle.feed_token(LarkToken(words[word].terminal, ""))
        state = state.advance(word)
    assert len(ids) <= budget
    assert available[ids].all()
    sql = constraint.vocabulary.decode(ids).replace("{number0}", "7")
    sqlglot.parse_one(sql, dialect=dialect, error_level=sqlglot.ErrorLevel.RAISE)
