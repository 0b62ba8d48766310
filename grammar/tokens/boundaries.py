"""What may begin where a word has ended, by the constraint on words; kept for the next time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..decoding.continuations import NextWords
from ..decoding.state import State
from ..vocabulary.vocabulary import EOS
from .reading import Reading
from .spelling import Spelling

__all__ = ["Boundaries", "Boundary"]


class Boundary(NamedTuple):
    """What may begin where a word has ended.

    Attributes:
        words: those that may come, shape (words,), bool.
        alive: the nodes of the lexicon that lead to one of them, shape (nodes,), bool.
        slots: of each slot, whether it may be written as an alias, and whether a column of it may.
        text: whether any text may be written.
        end: whether the query may end.
    """

    words: NDArray[np.bool_]
    alive: NDArray[np.bool_]
    slots: tuple[tuple[bool, bool], ...]
    text: bool
    end: bool


class Boundaries:
    """The boundaries of one constraint, and the states behind their words.

    Args:
        spelling: of the words.
        size: how many words there are.
    """

    def __init__(self, spelling: Spelling, size: int) -> None:
        self._spelling = spelling
        words, nodes = spelling.lexicon.reach(size)
        # names that derived tables make up are spelled nowhere, and yet a point may lead to them
        shown = [(w, node) for of, node in zip(spelling.shown, spelling.columns, strict=True) for w in of]
        self._words = np.concatenate([words, [word for word, _ in shown]])
        self._nodes = np.concatenate([nodes, [node for _, node in shown]])
        self._known: dict[tuple[NextWords, int], Boundary] = {}
        self._after: dict[tuple[NextWords, int, int], State] = {}
        self._capped: dict[tuple[NextWords, int], State] = {}

    def __len__(self) -> int:
        """Return how many boundaries are kept."""
        return len(self._known)

    def clear(self) -> None:
        """Forget all; states in use stay valid."""
        self._known.clear()
        self._after.clear()
        self._capped.clear()

    def at(self, state: State) -> Boundary:
        """Return what may begin after the words of a state."""
        key = (state.next_words, min(state.left, state.next_words.most))
        found = self._known.get(key)
        if found is None:
            spelling, words = self._spelling, state.allowed()
            alive = np.zeros(len(spelling.lexicon), np.bool_)
            alive[self._nodes[words[self._words]]] = True
            slots = tuple(
                (bool(words[word]), bool(alive[node]))
                for word, node in zip(spelling.slots, spelling.columns, strict=True)
            )
            text = spelling.free is not None and bool(words[spelling.free])
            found = self._known[key] = Boundary(words, alive, slots, text, bool(words[EOS]))
        return found

    def advance(self, state: State, word: int) -> State:
        """Return the state after one more word; equal states are one object."""
        key = (state.next_words, state.left, word)
        found = self._after.get(key)
        if found is None:
            found = self._after[key] = state.advance(word)
        return found

    def capped(self, readings: Iterable[Reading], words: Callable[[Reading], int]) -> tuple[Reading, ...]:
        """Return the readings with so many words left at most as are told of each."""
        return tuple(r._replace(state=self._with(r.state, min(words(r), r.state.left))) for r in readings)

    def _with(self, state: State, left: int) -> State:
        if left == state.left:
            return state
        key = (state.next_words, left)
        found = self._capped.get(key)
        if found is None:
            found = self._capped[key] = State(state.allowed_words, state.next_words, left)
        return found
