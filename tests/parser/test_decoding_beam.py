"""Beam search: the best queries where all can be listed, with a network that says what it is told to."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from draws import draws

from querent.classifiers.heads import Classes
from querent.data.errors import ConstraintError
from querent.grammar import EOS
from querent.parser.decoding.beam import Prefix, Unconstrained, beam_search
from querent.parser.network.network import States

WORDS = 7
ROW = 11
PLACES = np.array([-1, -1, 4, 9, 3, 8, 5])  # of the vocabulary's words, of which EOS is 2
NONE = np.zeros((1, 1), np.float32)
STATES = States(1, Classes(NONE, NONE, 1.0), NONE > 0, NONE, NONE, NONE, [NONE])

Says = Callable[[tuple[int, ...]], np.ndarray]
"""Places of the words so far -> logits of the row."""


class Scripted:
    """A network that scores by a script; its past is the words that it has read."""

    def __init__(self, says: Says) -> None:
        self.says = says
        self.read: list[tuple[int, ...]] = []

    def start(self) -> list[tuple[int, ...]]:
        return [()]

    def write(
        self, places: np.ndarray, rows: np.ndarray, states: States, past: list[tuple[int, ...]]
    ) -> tuple[np.ndarray, list[tuple[int, ...]]]:
        assert places.shape == rows.shape
        assert states is STATES
        grown = [(*past[int(row)], int(place)) for row, place in zip(rows, places, strict=True)]
        self.read += grown
        logits = np.stack([self.says(one[1:]) for one in grown]).astype(np.float32)
        return logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True), grown


@dataclass(frozen=True)
class Rule:
    """A constraint that closes some words by chance, and ends queries at ``most`` words."""

    seed: int
    most: int
    words: tuple[int, ...] = ()

    def allowed(self) -> np.ndarray:
        mask = np.arange(WORDS) == EOS
        if len(self.words) < self.most:
            draw = np.random.default_rng([self.seed, *self.words])
            mask = PLACES >= 0
            mask[draw.permutation(np.flatnonzero(mask))[:2]] = False
            mask[EOS] |= not mask.any()
        return mask

    def advance(self, token_id: int) -> Rule:
        if not self.allowed()[token_id]:
            raise ConstraintError("not allowed")
        return Rule(self.seed, self.most, (*self.words, token_id))


def by_chance(seed: int, spread: float = 1.5) -> Says:
    def says(places: tuple[int, ...]) -> np.ndarray:
        return np.random.default_rng([seed, *places]).normal(size=ROW) * spread

    return says


def costs(says: Says, words: tuple[int, ...]) -> np.ndarray:
    """Return the log-probabilities of the vocabulary's words after some, among all of the row."""
    logits = says(tuple(int(PLACES[word]) for word in words))
    logs = logits - math.log(np.exp(logits).sum())
    return np.where(PLACES >= 0, logs[PLACES], -np.inf)


def search(says: Says, rule: Any, **given: Any) -> list[Prefix[Any]]:
    return beam_search(Scripted(says), STATES, [Prefix(rule)], PLACES, **given)[0]


def never_stopping(says: Says, rule: Any, width: int) -> list[tuple[float, tuple[int, ...]]]:
    """Return what a beam finds that goes on until no hypothesis is left.

    It holds the ``width`` best that go on, and each end that is among the ``2 * width`` best continuations.
    """
    alive: list[tuple[float, tuple[int, ...], Any]] = [(0.0, (), rule)]
    done: list[tuple[float, tuple[int, ...]]] = []
    while alive:
        after = [
            (score + costs(says, words)[word], word, words, prefix)
            for score, words, prefix in alive
            for word in np.flatnonzero(prefix.allowed() & (PLACES >= 0)).tolist()
        ]
        best = sorted(after, key=lambda one: -one[0])[: 2 * width]
        done += [(score, words) for score, word, words, _ in best if word == EOS]
        going = [one for one in best if one[1] != EOS]
        alive = [(score, (*words, word), prefix.advance(word)) for score, word, words, prefix in going[:width]]
    return sorted(done, key=lambda one: -one[0])[:width]


@pytest.mark.parametrize(("width", "most"), [(1, 6), (2, 6), (3, 6), (5, 6), (300, 3)])  # the last has room for all
def test_stopping_early_loses_none_that_the_beam_holds(width: int, most: int) -> None:
    shorter = 0
    for seed in range(draws(40)):
        says, rule = by_chance(seed), Rule(seed, most)
        found, due = search(says, rule, width=width), never_stopping(says, rule, width)
        assert [one.ids for one in found] == [words for _, words in due]
        assert [one.score for one in found] == pytest.approx([score for score, _ in due], abs=1e-4)
        assert all(one.constraint.words == (*one.ids, EOS) for one in found)  # the state behind the end
        network = Scripted(says)
        beam_search(network, STATES, [Prefix(rule)], PLACES, width=width)
        shorter += max(map(len, network.read)) <= 6
    assert shorter > draws(15) or width == 300  # it does stop early


@pytest.mark.parametrize("width", [1, 2, 4, 40])
def test_of_ties_the_first_row_and_the_lowest_word_count(width: int) -> None:
    def says(places: tuple[int, ...]) -> np.ndarray:
        return np.zeros(ROW)

    free = Unconstrained(PLACES >= 0, 3)
    first = [one.ids for one in search(says, free, width=width)]
    assert first == [words for _, words in never_stopping(says, free, width)]
    assert first[:4] == [(), (3,), (4,), (3, 3) if width == 4 else (5,)][:width]


@dataclass(frozen=True)
class Closed:
    """A step processor that closes one word."""

    word: int

    def allowed(self) -> np.ndarray:
        return np.arange(WORDS) != self.word

    def advance(self, token_id: int) -> Closed:
        return self


@pytest.mark.parametrize("word", [3, 4, 5])
def test_step_processors_narrow_what_the_constraint_allows(word: int) -> None:
    says, rule = by_chance(5), Rule(5, 4)
    both = beam_search(Scripted(says), STATES, [Prefix(rule, (Closed(word),))], PLACES, width=300)[0]
    allowed = [one for one in search(says, rule, width=300) if word not in one.ids]
    assert [one.ids for one in both] == [one.ids for one in allowed]


def test_a_preferred_one_gives_way_where_nothing_is_left() -> None:
    says = by_chance(5)
    none = Prefix(Rule(5, 4), (Closed(3), Closed(4), Closed(5), Closed(6), Closed(EOS)))
    assert beam_search(Scripted(says), STATES, [none], PLACES) == [[]]
    gives_way = Prefix(Unconstrained(PLACES >= 0, 3), preferred=(Closed(EOS), Closed(3)))
    found = beam_search(Scripted(says), STATES, [gives_way], PLACES, width=300)[0]
    assert {len(one.ids) for one in found} == {3}  # the end comes where nothing else may
    assert not any(3 in one.ids for one in found)


def test_searches_side_by_side_are_those_one_by_one() -> None:
    says = by_chance(9)
    starts = [Prefix(Rule(seed, most)) for seed, most in ((1, 2), (2, 5), (3, 1))]
    together = beam_search(Scripted(says), STATES, starts, PLACES, width=2)
    alone = [search(says, start.constraint, width=2) for start in starts]
    assert [[one.ids for one in some] for some in together] == [[one.ids for one in some] for some in alone]
