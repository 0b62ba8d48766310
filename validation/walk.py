"""A query's words held against the constraint one by one, every way to read them together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..grammar import EOS, State

__all__ = ["Walk", "after", "walk"]

_READINGS = 16
"""Ways to read what has been read so far that are followed together, at most."""


@dataclass(frozen=True)
class Walk:
    """How far a query came.

    Attributes:
        before: the states before each word that was reached, the end as the last; one for each way to read it.
        stopped: the place of the word that may not come, that of the end if it may not; None if all may.
    """

    before: tuple[tuple[State, ...], ...]
    stopped: int | None


def walk(states: Sequence[State], choices: Iterable[Sequence[int]]) -> Walk:
    """Return how far a query comes: ``choices`` are the words that each of its lexemes may be."""
    before = [tuple(states)]
    for place, words in enumerate([*choices, (EOS,)]):
        following = after(before[-1], [words])
        if not following:
            return Walk(tuple(before), place)
        before.append(following)
    return Walk(tuple(before[:-1]), None)


def after(states: Iterable[State], choices: Iterable[Sequence[int]]) -> tuple[State, ...]:
    """Return the states after some lexemes, none if they may not come; of those that nothing tells apart, one."""
    reached = tuple(states)
    for words in choices:
        found: dict[object, State] = {}
        for state in reached:
            for word in words:
                following = state.advance(word) if state.admits(word) else None
                if following is not None:
                    found.setdefault(following.next_words, following)
        reached = tuple(found.values())[:_READINGS]
    return reached
