"""How words are spelled, as a graph of bytes: names in any case, literals, and where each word ends."""

from __future__ import annotations

from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["FOLLOWERS", "IDENTIFIER", "SPACES", "TOUCHING", "Ending", "Lexicon", "ending_of", "may_touch"]

SPACES = b" \n\t"
IDENTIFIER = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
"""Bytes of names without quotes."""

_OPERATORS = frozenset(b"+-*/<>=~!@#%^&|`?:")
"""Bytes that may be parts of operators, so that two words of them need a space: ``- -1``, never the comment ``--1``."""

_ALL = frozenset(range(256)) - frozenset(SPACES)


class Ending(IntEnum):
    """What a word ends with, as far as the next word's first byte hangs on it."""

    OPEN = 0
    """Anything may touch it: ``(``, ``,``, ``)``, a space."""
    NAME = 1
    """A name, a keyword, a number or a quote: no part of another one may touch it."""
    OPERATOR = 2
    """An operator: no part of another one may touch it."""
    CALL = 3
    """A function of MySQL: only its bracket may follow, and touches it."""


def may_touch(ending: Ending, byte: int) -> bool:
    """Say whether a byte may come right behind a word, a space among them."""
    return byte in TOUCHING[ending]


FOLLOWERS: tuple[frozenset[int], ...] = (
    _ALL,
    _ALL - IDENTIFIER - frozenset(b"'\"`[$.") - frozenset(range(128, 256)),
    _ALL - _OPERATORS,
    frozenset(b"("),
)
"""The bytes that may touch a word, by its `Ending`, but for spaces."""

TOUCHING = tuple(
    followers if ending == Ending.CALL else followers | frozenset(SPACES)
    for ending, followers in zip(Ending, FOLLOWERS, strict=True)
)
"""The bytes that may touch a word, spaces among them."""


class Lexicon:
    """The spellings of a vocabulary's words.

    Attributes:
        root: the node where words begin.
        roots: all such nodes; texts of different kinds begin alike, so each kind has its own.
        edges: of each node, the node after each byte.
        ends: of each node, the words that end there.
        ending: of each word that is spelled here, what it ends with.
        closing: of nodes within a text of a kind, the fewest bytes that end it; others have none.
    """

    def __init__(self) -> None:
        self.edges: list[dict[int, int]] = []
        self.ends: list[tuple[int, ...]] = []
        self.ending: dict[int, Ending] = {}
        self.closing: dict[int, int] = {}
        self.root = self.node()
        self.roots = [self.root]

    def __len__(self) -> int:
        return len(self.edges)

    def node(self) -> int:
        """Return a new node."""
        self.edges.append({})
        self.ends.append(())
        return len(self.edges) - 1

    def new_root(self) -> int:
        """Return a new node where words begin."""
        self.roots.append(self.node())
        return self.roots[-1]

    def edge(self, node: int, byte: bytes, after: int) -> None:
        """Let ``byte`` lead from one node to another."""
        assert self.edges[node].setdefault(byte[0], after) == after

    def end(self, node: int, word: int, ending: Ending) -> None:
        """Let a word end at a node."""
        if word not in self.ends[node]:
            self.ends[node] = (*self.ends[node], word)
        assert self.ending.setdefault(word, ending) == ending

    def may_touch(self, node: int, byte: int) -> bool:
        """Say whether a byte may come right behind some word that ends at a node: MOD may be called or stand alone."""
        return any(may_touch(self.ending[word], byte) for word in self.ends[node])

    @cached_property
    def begun(self) -> dict[int, list[int]]:
        """The nodes that each byte leads to from a root; of a lexicon that is complete."""
        found: dict[int, list[int]] = {}
        for root in self.roots:
            for byte, node in self.edges[root].items():
                found.setdefault(byte, []).append(node)
        return found

    def spell(self, node: int, text: bytes, *, folded: bool) -> int:
        """Return the node that a text leads to, made where it is not there; in any case of letters if ``folded``."""
        for byte in text:
            both = {byte, *bytes([byte]).lower(), *bytes([byte]).upper()} if folded else {byte}
            known = {self.edges[node][b] for b in both if b in self.edges[node]}
            assert len(known) <= 1, "a name in one case and a word in any case begin alike"
            after = known.pop() if known else self.node()
            for b in both:
                self.edges[node][b] = after
            node = after
        return node

    def reach(self, size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return pairs (word, node): every word that each node may still become; ``size`` words there are."""
        reached: list[set[int]] = [set(words) for words in self.ends]
        before: list[list[int]] = [[] for _ in self.edges]
        for node, edges in enumerate(self.edges):
            for after in set(edges.values()):
                before[after].append(node)
        todo = [node for node, words in enumerate(reached) if words]
        while todo:
            node = todo.pop()
            for lower in before[node]:
                if not reached[node] <= reached[lower]:
                    reached[lower] |= reached[node]
                    todo.append(lower)
        pairs = [(word, node) for node, words in enumerate(reached) for word in words]
        found = np.array(pairs, np.intp).reshape(-1, 2)
        assert not len(found) or found[:, 0].max() < size
        return found[:, 0], found[:, 1]


def ending_of(text: bytes) -> Ending:
    """Return what a keyword or an operator ends with."""
    if text[-1:] in (b"(", b")", b","):
        return Ending.OPEN
    return Ending.NAME if text[-1] in IDENTIFIER else Ending.OPERATOR
