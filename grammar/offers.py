"""What may be written upon a place, and how it is left again: all of a plan that needs no look further down the stack.

A place is the state below a symbol with the values that the items of this state look at (`Completion.place`). Stacks
that differ only below it share one offer: the fewest words from each class of words to each way out. What is added
for a stack is the cost of these few ways, in one step for all classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .completion import NEVER, Completion, Place, Way
from .nodes import Node
from .stacks import Stacks
from .tables import END

__all__ = ["Classes", "Offer"]

Classes = Sequence[tuple[int, Any]]
"""The classes of words: (terminal, value)."""

Ints = NDArray[np.int64]


class Rows(NamedTuple):
    """Some classes of words at a place.

    Attributes:
        words: the fewest words from each class to each way out, shape (classes, ways).
        classes: their numbers, shape (classes,).
        places: where the scope sees them stand.
        of: which of these places each class stands in, shape (classes,).
        deeper: whether they open a bracket, a CASE or a negation, shape (classes,).
        higher: the symbols of the engine's parser that they add, shape (classes,).
    """

    words: Ints
    classes: Ints
    places: Sequence[str]
    of: Ints
    deeper: NDArray[np.bool_]
    higher: Ints


class Offer:
    """The classes of words that can be shifted at a place.

    Attributes:
        told: terminals whose value is read from the stack, and so no part of the arrays.
    """

    def __init__(self, stacks: Stacks, completion: Completion, place: Place, classes: Classes) -> None:
        shifts = stacks.shifts[place[0]]
        self._completion = completion
        self.told = frozenset(t for t, state in shifts.items() if stacks.tells(state))
        rows = [(t, n, v) for n, (t, v) in enumerate(classes) if t in shifts and t not in self.told and t != END]
        numbers: dict[Way, int] = {}
        words: list[dict[int, int]] = []
        for terminal, _, value in rows:
            ways = completion.exits(self._settled(stacks, place, terminal), shifts[terminal], value)
            words.append({numbers.setdefault((*way[:-1], 0), len(numbers)): way[-1] for way in ways})
        self._exits = list(numbers)
        self._words: Ints = np.full((len(rows), len(numbers)), NEVER, np.int64)
        for row, found in zip(self._words, words, strict=True):
            row[list(found)] = list(found.values())
        self._rows = [(t, n) for t, n, _ in rows]
        self._stacks = stacks
        self._shifts = shifts
        self._some: dict[frozenset[int], Rows] = {}

    @staticmethod
    def _settled(stacks: Stacks, place: Place, terminal: int) -> Place:
        state, values = place
        return (state, (*values[:-1], stacks.settled(state, terminal, values))) if values else place

    def rows(self, terminals: frozenset[int], places: Mapping[int, str]) -> Rows:
        """Return the rows of the classes of some terminals, which stand in these places of the scope."""
        found = self._some.get(terminals)
        if found is None:
            found = self._some[terminals] = self._chosen(terminals, places)
        return found

    def _chosen(self, terminals: frozenset[int], places: Mapping[int, str]) -> Rows:
        chosen = [(i, t, n) for i, (t, n) in enumerate(self._rows) if t in terminals]
        asked = list(dict.fromkeys(places.get(t, "") for _, t, _ in chosen))
        states, automaton = [self._shifts[t] for _, t, _ in chosen], self._stacks.automaton
        return Rows(
            self._words[[i for i, _, _ in chosen]],
            np.array([n for _, _, n in chosen], np.int64),
            asked,
            np.array([asked.index(places.get(t, "")) for _, t, _ in chosen], np.int64),
            np.array([state in automaton.opened for state in states], np.bool_),
            np.array([automaton.rise(state) for state in states], np.int64),
        )

    def least(self, top: Node, rows: Rows) -> Ints:
        """Return the fewest words that finish the query from ``top`` with a word of each of some classes first."""
        if not self._exits:
            return np.full(len(rows.classes), NEVER, np.int64)
        completion = self._completion
        lefts = (completion.left(top, way) for way in self._exits)
        costs = np.array([0 if left is None else completion.cost(left) for left in lefts], np.int64)
        return (rows.words + costs).min(axis=1) + 1
