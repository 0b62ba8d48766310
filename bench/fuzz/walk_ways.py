"""Ways to choose the next word: random logits of several kinds, as networks with any weights have them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from walker import Ids, Walker

from querent.grammar import EOS

__all__ = ["WAYS", "Way"]

SELDOM = 0.8
"""Share of words that `seldom` chooses by the word before."""

Way = Callable[[Walker, Ids], int]


def uniform(walk: Walker, allowed: Ids) -> int:
    """Take any word, mostly after any terminal."""
    walk.weights = None
    return walk.mixed(allowed)


def peaked(walk: Walker, allowed: Ids) -> int:
    """Take words with very uneven chances, some of them favourites all along, as a trained network has them."""
    if walk.generator is None or walk.favourites is None:
        walk.generator = np.random.default_rng(walk.rng.getrandbits(32))
        walk.favourites = walk.generator.normal(0, 3, len(walk.vocabulary))
    noise = walk.generator.normal(0, 2, len(allowed)) + walk.generator.gumbel(0, 1, len(allowed))
    return int(allowed[np.argmax(walk.favourites[allowed] + noise)])


def inclined(walk: Walker, allowed: Ids) -> int:
    """Take terminals with uneven chances that stay the same all along: one walk loves joins, another one CASE."""
    if walk.generator is None:
        walk.generator = np.random.default_rng(walk.rng.getrandbits(32))
        walk.weights = np.exp(walk.generator.normal(0, 2, len(walk.numbers) + 1))
    return walk.by_terminal(allowed)


def clauses(walk: Walker, allowed: Ids) -> int:
    """Write names and go on to the next clause, join or subquery, as people do; expressions stay short."""
    walk.weights = walk.liked
    return walk.by_terminal(allowed)


def rarest(walk: Walker, allowed: Ids) -> int:
    """Take the terminal that leads to the place in the rules where the run has been least, then its rarest word."""
    for word in walk.ids[walk.stepped :]:
        walk.stack = walk.coverage.step(walk.stack, int(walk.terminals[word]))[0]
        walk.here[walk.stack.state] += 1
    walk.stepped = len(walk.ids)
    terminals = walk.terminals[allowed]
    ranks = {t: _rank(walk, t) for t in np.flatnonzero(np.bincount(terminals)).tolist()}
    terminal = min(ranks, key=lambda t: ranks[t])
    words = walk.vocabulary.words
    counts = [(walk.written[words[i].text], walk.rng.random(), int(i)) for i in allowed[terminals == terminal]]
    return min(counts)[2]


def _rank(walk: Walker, terminal: int) -> tuple[int, float]:
    """Return how often the run has come to where a terminal leads, ties broken at random."""
    state = walk.coverage.step(walk.stack, terminal)[0].state
    return walk.coverage.states[state] + walk.here[state], walk.rng.random()


def seldom(walk: Walker, allowed: Ids) -> int:
    """Take the sort of word that the run has written least after the last one, so that calls meet all kinds of words.

    Now and then a word is taken as `clauses` takes it.
    """
    if not walk.ids or walk.rng.random() >= SELDOM:
        return clauses(walk, allowed)
    last = walk.sorts[walk.ids[-1]]
    return min((walk.pairs[last, walk.sorts[i]], walk.rng.random(), int(i)) for i in allowed)[2]


def deepest(walk: Walker, allowed: Ids) -> int:
    """Open whatever can be opened, and end only where nothing else may come."""
    opening = allowed[walk.opens[allowed]]
    if len(opening) and walk.rng.random() < 0.9:
        return walk.by_terminal(opening)
    return longest(walk, allowed)


def shortest(walk: Walker, allowed: Ids) -> int:
    """Go anywhere for some words, then end as soon as one may; the budget leaves no other way."""
    if len(walk.ids) >= walk.free and allowed[0] == EOS:
        return EOS
    return walk.mixed(allowed)


def longest(walk: Walker, allowed: Ids) -> int:
    """Never end by choice."""
    going_on = allowed[allowed != EOS]
    return walk.mixed(going_on) if len(going_on) else EOS


WAYS: dict[str, Way] = {
    f.__name__: f for f in (uniform, peaked, inclined, clauses, rarest, seldom, deepest, shortest, longest)
}
"""Each way by its name."""
