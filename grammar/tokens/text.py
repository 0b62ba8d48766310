"""Which byte may come next in the text of a query: the constraint on words, read through their spellings.

A text has several readings at a time: ``name`` may be a column, or the beginning of another one. Each `Reading` knows
the words so far, as a `State` of the constraint, and where in the spelling of the next word it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..decoding.constraint import Constraint
from ..decoding.continuations import NextWords
from ..decoding.state import State
from ..vocabulary.vocabulary import EOS
from .inventory import Inventory
from .lexicon import FOLLOWERS, IDENTIFIER, SPACES, Ending, may_touch
from .spelling import Spelling

__all__ = ["BEFORE", "BEHIND", "GAP", "NAME", "QUOTED", "TEXT", "Boundary", "Reading", "SqlText"]

GAP, NAME, TEXT, QUOTED, BEFORE, BEHIND = -1, -2, -3, -4, -5, -6
"""Where a reading stands that is at no node of the lexicon: between two words; in a name for an alias; in any text,
or behind a quote in it, which ends it if it is not doubled; before the query, and behind it."""

MOST_SPACES = 12
"""Spaces and line breaks between two words."""

MOST_NAME = 30
"""Bytes of a name that a query makes up."""

MOST_TEXT = 100
"""Characters of a text."""

_QUOTE = ord("'")
_POINT = ord(".")


class Reading(NamedTuple):
    """One way to read a text.

    Attributes:
        state: the words that are complete.
        names: what the slots are called, in order.
        at: the node of the lexicon, or `GAP` and its like.
        text: of a name, what is written of it; of a text, the bytes of a character that is not complete.
        size: the spaces, the characters of a text, or the bytes of what stands before the query or behind it.
        ending: what the last word ended with.
        free: between words, whether AS was written, so that any name may follow; of a name, whether it is such a one.
        owner: of a name behind a point, the slot before it; else -1.
    """

    state: State
    names: tuple[str, ...]
    at: int = GAP
    text: bytes = b""
    size: int = 0
    ending: Ending = Ending.OPEN
    free: bool = False
    owner: int = -1


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


class SqlText:
    """The texts of the queries that a constraint admits.

    Args:
        constraint: on the words of ``inventory``.
        inventory: the words.
        spelling: of these.
        before: what must stand before the query: ``b"```sql\\n"``.
        behind: what must stand behind it.
    """

    def __init__(
        self, constraint: Constraint, inventory: Inventory, spelling: Spelling, *, before: bytes, behind: bytes
    ) -> None:
        self.constraint = constraint
        self.inventory = inventory
        self.spelling = spelling
        self.lexicon = spelling.lexicon
        self.before, self.behind = before, behind
        self._cased = inventory.grammar.dialect == "mysql"
        self.owners = {node: slot for slot, node in enumerate(spelling.columns)}
        self._words, self._nodes = self.lexicon.reach(len(inventory.vocabulary))
        self._boundaries: dict[tuple[NextWords, int], Boundary] = {}
        self._after: dict[tuple[NextWords, int, int], State] = {}

    def start(self) -> tuple[Reading, ...]:
        """Return the readings of the empty text."""
        return (Reading(self.constraint.start(), (), BEFORE if self.before else GAP),)

    # ---- what the words allow

    def boundary(self, state: State) -> Boundary:
        """Return what may begin after the words of a state."""
        key = (state.next_words, min(state.left, state.next_words.most))
        found = self._boundaries.get(key)
        if found is None:
            words = state.allowed()
            alive = np.zeros(len(self.lexicon), np.bool_)
            alive[self._nodes[words[self._words]]] = True
            slots = tuple(
                (bool(words[word]), bool(alive[node]))
                for word, node in zip(self.spelling.slots, self.spelling.columns, strict=True)
            )
            text = self.spelling.free is not None and bool(words[self.spelling.free])
            found = self._boundaries[key] = Boundary(words, alive, slots, text, bool(words[EOS]))
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
        key = (state.next_words, left, -1)
        if key not in self._after:
            self._after[key] = state if left == state.left else State(state.allowed_words, state.next_words, left)
        return self._after[key]

    # ---- one byte more

    def step(self, readings: Iterable[Reading], byte: int) -> tuple[Reading, ...]:
        """Return the readings after one more byte, none if it may not come."""
        return tuple(dict.fromkeys(after for reading in readings for after in self._step(reading, byte)))

    def _step(self, reading: Reading, byte: int) -> Iterator[Reading]:
        match reading.at:
            case -1:
                yield from self._in_gap(reading, byte)
            case -2:
                yield from self._in_name(reading, byte)
            case -3:
                yield from self._in_text(reading, byte)
            case -4:
                if byte == _QUOTE and reading.size < MOST_TEXT and self.boundary(reading.state).text:
                    yield reading._replace(at=TEXT, size=reading.size + 1)
                elif byte != _QUOTE and may_touch(Ending.NAME, byte):
                    yield from self.step(self.ended(reading), byte)
            case -5:
                yield from self._in_affix(reading, byte, self.before)
            case -6:
                yield from self._in_affix(reading, byte, self.behind)
            case node:
                after = self.lexicon.edges[node].get(byte)
                if after is not None and self.boundary(reading.state).alive[after]:
                    yield reading._replace(at=after)
                if node in self.owners:
                    yield from self._begin_name(reading._replace(at=NAME, owner=self.owners[node]), byte)
                if self.lexicon.may_touch(node, byte):
                    yield from self.step(self.ended(reading), byte)

    def _in_affix(self, reading: Reading, byte: int, affix: bytes) -> Iterator[Reading]:
        if reading.size < len(affix) and byte == affix[reading.size]:
            done = reading.at == BEFORE and reading.size + 1 == len(affix)
            yield reading._replace(at=GAP, size=0) if done else reading._replace(size=reading.size + 1)

    def _in_gap(self, reading: Reading, byte: int) -> Iterator[Reading]:
        if byte in SPACES:
            able = reading.size < MOST_SPACES and reading.ending != Ending.CALL
            if able and self.boundary(reading.state).words.any():
                yield reading._replace(size=reading.size + 1, ending=Ending.OPEN)
            if self.behind[:1] == bytes([byte]) and self.boundary(reading.state).end:
                yield Reading(reading.state, (), BEHIND, size=1)
            return
        if byte not in FOLLOWERS[reading.ending]:
            return
        here = self.boundary(reading.state)
        for root in self.lexicon.roots:
            node = self.lexicon.edges[root].get(byte)
            if node is not None and here.alive[node]:
                yield Reading(reading.state, reading.names, node)
        if byte == _QUOTE and here.text:
            yield Reading(reading.state, reading.names, TEXT)
        yield from self._begin_name(Reading(reading.state, reading.names, NAME, free=reading.free), byte)
        if byte == ord(";") and here.end and not self.behind:
            yield Reading(reading.state, (), BEHIND)
        if self.behind[:1] == bytes([byte]) and here.end:
            yield Reading(reading.state, (), BEHIND, size=1)

    # ---- names for aliases

    def _begin_name(self, reading: Reading, byte: int) -> Iterator[Reading]:
        begun = reading._replace(text=bytes([byte]))
        if byte in IDENTIFIER and not chr(byte).isdigit() and self._nameable(begun):
            yield begun

    def _in_name(self, reading: Reading, byte: int) -> Iterator[Reading]:
        if byte in IDENTIFIER:
            longer = reading._replace(text=reading.text + bytes([byte]))
            if self._nameable(longer):
                yield longer
        elif byte == _POINT:
            slot, names = self._slot(reading)
            able = slot >= 0 and reading.owner < 0 and not reading.free
            if able and self.boundary(reading.state).slots[slot][1]:
                yield Reading(reading.state, names, self.spelling.columns[slot])
        elif may_touch(Ending.NAME, byte):
            yield from self.step(self.ended(reading), byte)

    def usable(self, reading: Reading) -> list[str]:
        """Return the names that may be written where a reading stands: those in use, and such as need no AS."""
        here, names = self.boundary(reading.state), reading.names
        able = [self._able(reading, here, slot) for slot in range(min(len(names) + 1, len(here.slots)))]
        found = [name for name, use in zip(names, able, strict=False) if use]
        if len(able) > len(names) and able[-1]:
            known = {name.lower() for name in names}
            found += [name for name in self.inventory.aliases if name.lower() not in known]
        return found

    def _able(self, reading: Reading, here: Boundary, slot: int) -> bool:
        """Say whether a slot's name may come: alone, before a point, or behind the one of its owner."""
        if reading.owner >= 0:
            return bool(here.words[self.spelling.shown[reading.owner][slot]])
        alone, owner = here.slots[slot]
        return alone or (owner and not reading.free)

    def makes_names(self, reading: Reading) -> bool:
        """Say whether any new name may be an alias where a reading stands behind AS."""
        slots, new = self.boundary(reading.state).slots, len(reading.names)
        return new < len(slots) and slots[new][0]

    def _nameable(self, reading: Reading) -> bool:
        """Say whether a name may become one for an alias."""
        if reading.free and len(reading.text) <= MOST_NAME and self.makes_names(reading):
            return True
        text = self.key(reading.text.decode())
        return any(self.key(name).startswith(text) for name in self.usable(reading))

    def key(self, name: str) -> str:
        """Return what makes two names one: to MySQL their case may tell them apart."""
        return name if self._cased else name.lower()

    def _slot(self, reading: Reading) -> tuple[int, tuple[str, ...]]:
        """Return the slot of a name and what the slots are called then; -1 if it is none."""
        text, names = reading.text.decode(), reading.names
        known = [self.key(name) for name in names]
        if self.key(text) in known:
            return known.index(self.key(text)), names
        fresh = (
            text.lower() not in self.inventory.taken
            if reading.free
            else self.key(text) in {self.key(name) for name in self.inventory.aliases}
        )
        alike = text.lower() in {name.lower() for name in names}
        able = fresh and not alike and len(names) < len(self.spelling.slots)
        return (len(names), (*names, text)) if able else (-1, names)

    # ---- any text

    def _in_text(self, reading: Reading, byte: int) -> Iterator[Reading]:
        if not self.boundary(reading.state).text:
            return
        if byte == _QUOTE and not reading.text:
            yield reading._replace(at=QUOTED)
            return
        text = reading.text + bytes([byte])
        whole = complete_character(text, backslash=self.inventory.grammar.dialect == "sqlite")
        if whole is None or reading.size >= MOST_TEXT:
            return
        yield reading._replace(text=b"" if whole else text, size=reading.size + whole)

    # ---- where a word ends

    def ended(self, reading: Reading) -> tuple[Reading, ...]:
        """Return the readings in which the word that is being written has ended."""
        here = self.boundary(reading.state)
        names, ending = reading.names, self.lexicon.ending
        match reading.at:
            case -2:
                slot, names = self._slot(reading)
                of = self.spelling.slots if reading.owner < 0 else self.spelling.shown[reading.owner]
                words = (of[slot],) if slot >= 0 else ()
            case -4:
                words = (self.spelling.free,) if self.spelling.free is not None else ()
            case node if node >= 0:
                words = self.lexicon.ends[node]
            case _:
                words = ()
        return tuple(
            Reading(
                self.advance(reading.state, w),
                names,
                ending=ending.get(w, Ending.NAME),
                free=w == self.spelling.declaring,
            )
            for w in words
            if here.words[w]
        )

    def complete(self, readings: Iterable[Reading]) -> bool:
        """Say whether the text may end here."""
        for reading in readings:
            if reading.at == BEHIND:
                if reading.size == len(self.behind):
                    return True
            elif not self.behind:
                gaps = (reading,) if reading.at == GAP else self.ended(reading)
                if any(gap.ending != Ending.CALL and self.boundary(gap.state).end for gap in gaps):
                    return True
        return False


def complete_character(text: bytes, *, backslash: bool) -> bool | None:
    """Say whether bytes are a whole character of a text; None if they can be none: a control character, no UTF-8."""
    if len(text) == 1 and (text[0] < 32 or text[0] == 127 or (text[0] == ord("\\") and not backslash)):
        return None
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return False if error.reason == "unexpected end of data" else None
    return True
