"""Prefixes side by side against the states that they are, row for row."""

from __future__ import annotations

import random

import numpy as np
import pytest
from grammar_cases import ODD, rich_vocabulary, some_words

from querent.data.errors import ConstraintError
from querent.grammar import EOS, LEVELS, Batch, Constraint, Grammar, State
from querent.grammar.tables import DIALECTS


def small() -> Constraint:
    grammar = Grammar.for_schema(ODD, dialect="sqlite")
    return grammar.constraint(rich_vocabulary(grammar))


def beginnings(constraint: Constraint, rng: random.Random) -> list[State]:
    """Return the empty queries of several questions, with words, budgets and values of their own."""
    names = np.array([word.kind in {"keyword", "operator"} for word in constraint.vocabulary.words])
    words = [names | some_words(constraint.vocabulary, rng, share) for share in (0.7, 0.9, 1.0)]
    return [constraint.start(), constraint.start(budget=25), *(constraint.start(w, rng.randint(40, 60)) for w in words)]


@pytest.mark.parametrize("level", [LEVELS[0], LEVELS[-1]])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_batch_is_its_states(dialect: str, level: str) -> None:
    rng = random.Random(f"{dialect} {level}")
    grammar = Grammar.for_schema(ODD, dialect=dialect)
    constraint = grammar.constraint(rich_vocabulary(grammar), level=level)
    brackets = {i for i, word in enumerate(constraint.vocabulary.words) if word.text in {"(", "CASE", "NOT"}}
    states = beginnings(constraint, rng)
    batch, ends = Batch.of(states), 0
    while states:
        mask = batch.allowed()
        assert mask.shape == (len(states), len(constraint.vocabulary))
        for row, (state, allowed) in enumerate(zip(states, mask, strict=True)):
            assert (allowed == state.allowed()).all()
            same = batch.state(row)
            assert (same.left, same.depth, same.least, same.ended) == (
                state.left,
                state.depth,
                state.least,
                state.ended,
            )
        going = [row for row, state in enumerate(states) if not state.ended]
        ends += len(states) - len(going)
        # some go on twice, as beams do, and their order changes
        rows = rng.sample(going + going[:1], len(going + going[:1]))[:8]
        words = [_drawn(rng, np.flatnonzero(mask[row]).tolist(), brackets) for row in rows]
        batch, states = batch.advance(rows, words), [states[r].advance(w) for r, w in zip(rows, words, strict=True)]
    assert ends > 4


def _drawn(rng: random.Random, allowed: list[int], eager: set[int]) -> int:
    some = [word for word in allowed if word in eager]
    return rng.choice(some if some and rng.random() < 0.7 else allowed)


def test_after_the_end_only_the_end_may_come() -> None:
    constraint = small()
    batch = Batch.of([constraint.start()])
    for word in [*constraint.vocabulary.encode("SELECT 1"), EOS, EOS]:
        batch = batch.advance([0], [word])
    assert np.flatnonzero(batch.allowed()).tolist() == [EOS]
    assert batch.state(0).ended
    assert len(batch.advance([], []).allowed()) == 0


@pytest.mark.parametrize(
    ("word", "message"),
    [("FROM", "'FROM' cannot come next: the grammar expects"), (10_000, "no word has number 10000")],
)
def test_an_illegal_word_is_refused_with_the_reason(word: str | int, message: str) -> None:
    constraint = small()
    select = constraint.vocabulary.index("SELECT", "SELECT")
    batch = Batch.of([constraint.start()] * 2)
    number = constraint.vocabulary.index(word, word) if isinstance(word, str) else word
    with pytest.raises(ConstraintError, match=message):
        batch.advance([1, 0], [select, number])
    with pytest.raises(ValueError, match="read-only"):
        batch.allowed()[0, 0] = True
