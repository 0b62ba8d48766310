"""What may begin where a word has ended, by the constraint on words; kept for the next time."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from ..decoding.next_words import NextWords
from ..decoding.state import State
from ..decoding.word_costs import SomeWords
from ..vocabulary.vocabulary import EOS
from .reading import At, TextReading
from .spelling.inventory import Inventory
from .spelling.words import Spelling

__all__ = ["Boundaries", "Boundary"]

Mask = NDArray[np.bool_]

_A_BOUNDARY = 1024
"""Bytes of a boundary with its state, beside the nodes that lead on."""


class Boundary:
    """What may begin where a word has ended; each part is worked out when it is first asked for.

    Args:
        state: behind the word.
        nodes: of the lexicon.
    """

    __slots__ = ("_alive", "_nodes", "state")

    def __init__(self, state: State, nodes: Nodes) -> None:
        self.state = state
        self._nodes = nodes
        self._alive: Mask | None = None

    @property
    def words(self) -> Mask:
        """The words that may come, shape (words,), bool."""
        return self.state.allowed()

    @property
    def alive(self) -> Mask:
        """The nodes of the lexicon that lead to a word that may come, shape (nodes,), bool."""
        if self._alive is None:
            self._alive = self._nodes.alive(self.words)
        return self._alive

    @property
    def text(self) -> bool:
        """Whether any text may be written."""
        free = self._nodes.spelling.free
        return free is not None and self.takes(free)

    @property
    def end(self) -> bool:
        """Whether the query may end."""
        return self.takes(EOS)

    def takes(self, word: int) -> bool:
        """Say whether a word may come."""
        return self.state.admits(word)

    def leads(self, node: int) -> bool:
        """Say whether a node of the lexicon leads to a word that may come."""
        if self._alive is None:
            return self.state.admits_any(self._nodes.some(node, self.state))
        return bool(self._alive[node])


class Nodes:
    """Which words the nodes of a lexicon lead to.

    Args:
        spelling: of the words.
        inventory: of the same.

    Attributes:
        spelling: of the words.
        bytes: of the arrays that `alive` has returned.
    """

    def __init__(self, spelling: Spelling, inventory: Inventory) -> None:
        self.spelling = spelling
        words, nodes = spelling.lexicon.reach(len(inventory.vocabulary))
        # names that derived tables make up are spelled nowhere, and yet a point may lead to them
        shown = [(w, node) for of, node in zip(spelling.shown, spelling.columns, strict=True) for w in of]
        at = np.concatenate([nodes, [node for _, node in shown]])
        order = np.argsort(at, kind="stable")
        self._at = at[order]
        self._words = np.concatenate([words, [word for word, _ in shown]])[order]
        self._some: dict[int, SomeWords] = {}
        self.bytes = 0

    def alive(self, words: Mask) -> Mask:
        """Return the nodes that lead to some of the words."""
        alive = np.zeros(len(self.spelling.lexicon), np.bool_)
        alive[self._at[words[self._words]]] = True
        self.bytes += alive.nbytes
        return alive

    def some(self, node: int, state: State) -> SomeWords:
        """Return the words at hand that a node leads to."""
        found = self._some.get(node)
        if found is None:
            first, behind = np.searchsorted(self._at, (node, node + 1))
            words = self._words[first:behind]
            at_hand = words[state.allowed_words.words[words]].tolist()
            found = self._some[node] = state.allowed_words.continuations.some(at_hand)
        return found


class Boundaries:
    """The boundaries of one constraint, and the states behind their words.

    Args:
        spelling: of the words.
        inventory: of the same.
    """

    def __init__(self, spelling: Spelling, inventory: Inventory) -> None:
        self._nodes = Nodes(spelling, inventory)
        self._known: dict[tuple[NextWords, int], Boundary] = {}
        self._after: dict[tuple[NextWords, int, int], State] = {}
        self._capped: dict[tuple[NextWords, int], State] = {}

    @property
    def bytes(self) -> int:
        """Return how much memory the boundaries take, nearly."""
        return self._nodes.bytes + _A_BOUNDARY * len(self._known)

    def clear(self) -> None:
        """Forget all; states in use stay valid."""
        self._nodes.bytes = 0
        self._known.clear()
        self._after.clear()
        self._capped.clear()

    def at(self, state: State) -> Boundary:
        """Return what may begin after the words of a state."""
        key = (state.next_words, state.left)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Boundary(state, self._nodes)
        return found

    def advance(self, state: State, word: int) -> State:
        """Return the state after one more word; equal states are one object."""
        key = (state.next_words, state.left, word)
        found = self._after.get(key)
        if found is None:
            found = self._after[key] = state.advance(word)
        return found

    def capped(self, readings: Iterable[TextReading], words: Callable[[TextReading], int]) -> tuple[TextReading, ...]:
        """Return the readings with so many words left at most as are told of each, but for those that none is left."""
        cut = (r._replace(state=self._with(r.state, min(words(r), r.state.left))) for r in readings)
        return tuple(r for r in cut if r.at == At.BEHIND or r.state.least <= r.state.left)

    def _with(self, state: State, left: int) -> State:
        if left == state.left:
            return state
        key = (state.next_words, left)
        found = self._capped.get(key)
        if found is None:
            found = self._capped[key] = State(state.allowed_words, state.next_words, left)
        return found
