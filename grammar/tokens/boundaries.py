"""One reading of a text so far, and what may begin where a word of it has ended, which is remembered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..decoding.continuations import NextWords
from ..decoding.state import State
from ..decoding.word_costs import SomeWords
from ..vocabulary.vocabulary import EOS
from .spelling.lexicon import Ending
from .spelling.words import Inventory, Spelling

MAX_SPACES = 12
"""Spaces and line breaks between two words."""

MAX_NAME = 30
"""Bytes of a name that a query makes up."""

MAX_TEXT = 100
"""Characters of a text."""


class At:
    """Where a reading stands that is at no node of the lexicon; plain numbers below those of the nodes.

    Attributes:
        GAP: between two words.
        NAME: in a name for an alias.
        TEXT: in any text.
        QUOTED: behind a quote in it, which ends it if it is not doubled.
        BEFORE: in what stands before the query.
        BEHIND: in what stands behind it.
    """

    GAP, NAME, TEXT, QUOTED, BEFORE, BEHIND = -1, -2, -3, -4, -5, -6


class TextReading(NamedTuple):
    """One way to read a text.

    Attributes:
        state: the words that are complete.
        names: what the slots are called, in order.
        at: the node of the lexicon, or one of `At`.
        text: of a name, what is written of it; of a text, the bytes of a character that is not complete.
        size: the spaces, the characters of a text, or the bytes of what stands before the query or behind it.
        ending: what the last word ended with.
        free: between words, whether AS or WITH was written, so that any name may follow; of a name, whether it is such.
        owner: of a name behind a point, the slot before it; else -1.
    """

    state: State
    names: tuple[str, ...]
    at: int = At.GAP
    text: bytes = b""
    size: int = 0
    ending: Ending = Ending.OPEN
    free: bool = False
    owner: int = -1


Mask = NDArray[np.bool_]

_A_BOUNDARY = 1024
"""Bytes of a boundary with its state, beside the nodes that lead on."""


class Boundary:
    """What may begin where a word has ended; each part is worked out at its first use.

    Args:
        state: behind the word.
        boundaries: all that are known.
    """

    __slots__ = ("_alive", "_boundaries", "state")

    def __init__(self, state: State, boundaries: Boundaries) -> None:
        self.state = state
        self._boundaries = boundaries
        self._alive: Mask | None = None

    @property
    def alive(self) -> Mask:
        """The nodes of the lexicon that lead to a word that may come, shape (nodes,), bool."""
        if self._alive is None:
            self._alive = self._boundaries.alive(self.state.allowed())
        return self._alive

    @property
    def text(self) -> bool:
        """Whether any text may be written."""
        free = self._boundaries.spelling.free
        return free is not None and self.state.admits(free)

    @property
    def end(self) -> bool:
        """Whether the query may end."""
        return self.state.admits(EOS)

    def leads(self, node: int) -> bool:
        """Say whether a node of the lexicon leads to a word that may come."""
        if self._alive is None:
            return self.state.admits_any(self._boundaries.words_at(node, self.state))
        return bool(self._alive[node])


class Boundaries:
    """The boundaries of one constraint, the states behind their words, and which words the nodes of a lexicon lead to.

    Args:
        spelling: of the words.
        inventory: the words.
    """

    def __init__(self, spelling: Spelling, inventory: Inventory) -> None:
        self.spelling = spelling
        words, nodes = spelling.lexicon.reach(len(inventory.vocabulary))
        # names that derived tables make up are spelled nowhere, and yet a point may lead to them
        behind = [(w, node) for of, node in zip(spelling.inner, spelling.columns, strict=True) for w in of]
        at = np.concatenate([nodes, [node for _, node in behind]])
        order = np.argsort(at, kind="stable")
        self._at = at[order]
        self._words = np.concatenate([words, [word for word, _ in behind]])[order]
        self._words_at: dict[int, SomeWords] = {}
        self._bytes = 0  # of the arrays that `alive` has returned
        self._known: dict[tuple[NextWords, int], Boundary] = {}
        self._after: dict[tuple[NextWords, int, int], State] = {}
        self._capped: dict[tuple[NextWords, int], State] = {}

    def alive(self, words: Mask) -> Mask:
        """Return the nodes that lead to some of the words."""
        alive = np.zeros(len(self.spelling.lexicon), np.bool_)
        alive[self._at[words[self._words]]] = True
        self._bytes += alive.nbytes
        return alive

    def words_at(self, node: int, state: State) -> SomeWords:
        """Return the words at hand that a node leads to."""
        found = self._words_at.get(node)
        if found is None:
            first, behind = np.searchsorted(self._at, (node, node + 1))
            words = self._words[first:behind]
            at_hand = words[state.allowed_words.words[words]].tolist()
            found = self._words_at[node] = state.allowed_words.continuations.costs.some(at_hand)
        return found

    @property
    def bytes(self) -> int:
        """Return how much memory the boundaries take, nearly."""
        return self._bytes + _A_BOUNDARY * len(self._known)

    def clear(self) -> None:
        """Forget all; states in use stay valid."""
        self._bytes = 0
        self._known.clear()
        self._after.clear()
        self._capped.clear()

    def at(self, state: State) -> Boundary:
        """Return what may begin after the words of a state."""
        key = (state.next_words, state.left)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Boundary(state, self)
        return found

    def advance(self, state: State, word: int) -> State:
        """Return the state after one more word; equal states are one object."""
        key = (state.next_words, state.left, word)
        found = self._after.get(key)
        if found is None:
            found = self._after[key] = state.advance(word)
        return found

    def capped(self, readings: Iterable[TextReading], words: Callable[[TextReading], int]) -> tuple[TextReading, ...]:
        """Return the readings, each with ``words`` of it left at most; without those that cannot end in so many."""
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


class Aliases:
    """The names for the slots of an inventory.

    Args:
        cased: whether the case of letters tells names apart.
    """

    def __init__(self, inventory: Inventory, spelling: Spelling, boundaries: Boundaries, *, cased: bool) -> None:
        self._inventory = inventory
        self._spelling = spelling
        self._boundaries = boundaries
        self._cased = cased
        self._needless = {self.key(name) for name in inventory.aliases}
        self._begun: dict[str, list[str]] = {}

    def key(self, name: str) -> str:
        """Return what makes two names one."""
        return name if self._cased else name.lower()

    def names(self, reading: TextReading, begun: bytes = b"") -> list[str]:
        """Return the names that may be written where a reading stands and begin so: those in use, or without AS."""
        here, names, start = self._boundaries.at(reading.state), reading.names, self.key(begun.decode())
        found = [
            name
            for slot, name in enumerate(names)
            if self.key(name).startswith(start) and self._may_come(reading, here, slot)
        ]
        known = {name.lower() for name in names}
        fresh = [n for n in self._beginning(start) if n.lower() not in known]
        room = len(names) < len(self._spelling.slots)
        return found + fresh if fresh and room and self._may_come(reading, here, len(names)) else found

    def _beginning(self, start: str) -> list[str]:
        """Return the names that need no AS and begin so."""
        found = self._begun.get(start)
        if found is None:
            found = [name for name in self._inventory.aliases if self.key(name).startswith(start)]
            if found or len(start) <= 1:  # others are begun by names that are made up, of which there is no end
                self._begun[start] = found
        return found

    def _may_come(self, reading: TextReading, here: Boundary, slot: int) -> bool:
        """Say whether a slot's name may come: alone, before a point, or behind the one of its owner."""
        if reading.owner >= 0:
            return here.state.admits(self._spelling.inner[reading.owner][slot])
        if here.state.admits(self._spelling.slots[slot]) or here.state.admits(self._spelling.bare[slot]):
            return True
        return not reading.free and here.leads(self._spelling.columns[slot])

    def any_name(self, reading: TextReading) -> bool:
        """Say whether any new name may be an alias where a reading stands behind AS."""
        new, slots = len(reading.names), self._spelling.slots
        return reading.free and new < len(slots) and reading.state.admits(slots[new])

    def may_begin(self, reading: TextReading) -> bool:
        """Say whether what is written may become a name for an alias."""
        if len(reading.text) <= MAX_NAME and self.any_name(reading):
            return True
        return bool(self.names(reading, reading.text))

    def slot(self, reading: TextReading) -> tuple[int, tuple[str, ...]]:
        """Return the slot of a name and what the slots are called then; -1 if it is none."""
        text, names = reading.text.decode(), reading.names
        known = [self.key(name) for name in names]
        if self.key(text) in known:
            return known.index(self.key(text)), names
        fresh = text.lower() not in self._inventory.taken if reading.free else self.key(text) in self._needless
        alike = text.lower() in {name.lower() for name in names}
        able = fresh and not alike and len(names) < len(self._spelling.slots)
        return (len(names), (*names, text)) if able else (-1, names)
