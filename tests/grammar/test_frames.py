"""What stacks share at level grammar, against stacks that share nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from grammar_cases import ODD, rich_vocabulary, some_words
from numpy.typing import NDArray

from querent.grammar import EOS, Constraint, Grammar
from querent.grammar.completion import NEVER, Completion
from querent.grammar.constraint import DEPTH, HEIGHT
from querent.grammar.nodes import Node
from querent.grammar.plans import Plan
from querent.grammar.stacks import Stacks
from querent.grammar.state import State
from querent.grammar.tables import DIALECTS

NESTING = (
    {"(", "NOT", "CASE"},
    {"AND", "OR", "+", "-", "*", "||", "("},
    {"SELECT", "(", "IN", "EXISTS", "FROM"},
    set[str](),
)


class Plain:
    """Follows one stack through a query, reckoning each next word by itself."""

    def __init__(self, constraint: Constraint, available: NDArray[np.bool_]) -> None:
        tables = constraint.grammar.tables
        number = {name: i for i, name in enumerate(tables.terminals)}
        self.terminals = [number.get(word.terminal, -1) for word in constraint.vocabulary.words]
        self.stacks = Stacks(tables)
        self.completion = Completion(
            self.stacks, frozenset(t for t, able in zip(self.terminals, available, strict=True) if able)
        )
        self.available = available
        self.height = HEIGHT.get(constraint.grammar.dialect, NEVER)

    def masks(self, node: Node, left: int) -> tuple[NDArray[np.bool_], int]:
        """Return the words that may follow a stack with so many left, and the fewest that finish it."""
        after = self.stacks.following(node)
        costs = np.full(len(self.terminals), NEVER, np.int64)
        deep = np.zeros(len(costs), np.bool_)
        for word, terminal in enumerate(self.terminals):
            if terminal > 0 and terminal in after and self.available[word]:
                costs[word] = 1 + self.completion.cost(after[terminal])
                deep[word] = after[terminal].depth > DEPTH or after[terminal].height > self.height
        if self.stacks.complete(node):
            costs[EOS] = 0
        return (costs <= left) & ~(deep & (costs > costs.min())), int(costs.min())


def side_by_side(
    constraint: Constraint, rng: random.Random, budget: int
) -> Iterator[tuple[State, NDArray[np.bool_], int]]:
    """Walk; yield each state with what a plain stack says of it."""
    names = np.array([word.kind in {"keyword", "operator"} for word in constraint.vocabulary.words])
    words = names | some_words(constraint.vocabulary, rng, rng.choice((0.7, 1.0)))
    plain, state = Plain(constraint, words), constraint.start(words, budget)
    node, nesting = plain.stacks.root, rng.choice(NESTING)
    while True:
        mask, least = plain.masks(node, state.left)
        yield state, mask, least
        allowed = np.flatnonzero(state.allowed()).tolist()
        eager = [i for i in allowed if constraint.vocabulary.words[i].text in nesting]
        word = rng.choice(eager if eager and rng.random() < 0.8 else allowed)
        if word == EOS:
            return
        node, state = plain.stacks.following(node)[plain.terminals[word]], state.advance(word)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_masks_are_those_of_stacks_that_share_nothing(dialect: str) -> None:
    grammar = Grammar.for_schema(ODD, dialect=dialect)
    constraint = grammar.constraint(rich_vocabulary(grammar), level="grammar")
    deep = 0
    for seed in range(24):
        rng = random.Random(seed)
        for state, mask, least in side_by_side(constraint, rng, rng.choice((20, 60, 140))):
            wrong = np.flatnonzero(state.allowed() != mask)
            assert wrong.size == 0, [state.explain(i) for i in wrong.tolist()]
            assert state.least == least
            deep += state.depth >= DEPTH
    assert deep or dialect == "sqlite"  # whose height ends sooner


def after(constraint: Constraint, words: str) -> State:
    """Return the state after words with spaces between them."""
    state = constraint.start()
    for text in words.split():
        able = [i for i, word in enumerate(constraint.vocabulary.words) if word.text == text and state.allowed()[i]]
        state = state.advance(able[0])
    return state


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT ( 1 +", "SELECT 1 * ( ( 1 +"),
        ("SELECT ( 1", "SELECT ( 1 OR 1 AND 1 + 1 * 1"),
        ("SELECT 1", "SELECT ( 1 )"),
        ("SELECT CASE WHEN 1 =", "SELECT 1 - ( CASE WHEN 1 ="),
    ],
)
def test_what_differs_around_brackets_or_on_the_left_is_shared(one: str, other: str) -> None:
    grammar = Grammar.for_schema(ODD, dialect="mysql")
    constraint = grammar.constraint(rich_vocabulary(grammar), level="grammar")
    assert after(constraint, one).plan is after(constraint, other).plan


def test_few_stacks_serve_many_walks() -> None:
    grammar = Grammar.for_schema(ODD, dialect="mysql")
    constraint = grammar.constraint(rich_vocabulary(grammar), level="grammar")
    plans: list[set[Plan]] = []
    words = 0
    for seed in range(60):
        state, rng, seen = constraint.start(budget=60), random.Random(seed), set[Plan]()
        while not state.ended:
            seen.add(state.plan)
            state = state.advance(rng.choice(np.flatnonzero(state.allowed()).tolist()))
            words += 1
        plans.append(seen)
    assert len(set[Plan]().union(*plans)) < 0.4 * words
    known = set[Plan]().union(*plans[:40])
    assert len(set[Plan]().union(*plans[40:]) - known) < 0.4 * len(known)
