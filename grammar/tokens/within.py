"""Which tokens stay within the words of a lexicon, whatever the words at hand: found once for each place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .made_up import Ids
from .spelling.lexicon import TOUCHING, Lexicon
from .spelling.trie import TokenTrie

__all__ = ["Exit", "Within", "WordsWithin"]

_BYTES = 256


class Exit(NamedTuple):
    """Where a word ends within a token.

    Attributes:
        spaces: that the token begins with.
        first: its first byte behind these.
        node: of the trie.
        end: of the lexicon.
    """

    spaces: int
    first: int
    node: int
    end: int


class Within(NamedTuple):
    """The tokens that stay within a word.

    Attributes:
        ids: of the tokens.
        ends: the nodes of the lexicon that they lead to.
        spaces: those that they begin with.
        first: their first byte behind these.
        exits: where a word ends within a token that goes on.
    """

    ids: Ids
    ends: Ids
    spaces: Ids
    first: Ids
    exits: list[Exit]


class WordsWithin:
    """The words of a lexicon in the tokens of a trie, both as arrays.

    Args:
        trie: of the tokens.
        lexicon: of the words, complete.
    """

    def __init__(self, trie: TokenTrie, lexicon: Lexicon) -> None:
        self._trie = trie
        self._lexicon = lexicon
        edges = sorted(
            (_BYTES * node + byte, to) for node, after in enumerate(lexicon.edges) for byte, to in after.items()
        )
        self._keys, self._after = np.array(edges, np.intp).reshape(-1, 2).T
        self._ending = np.array([bool(words) for words in lexicon.ends], np.bool_)
        self._touching: dict[int, frozenset[int]] = {}

    def tokens(self, begun: Iterable[tuple[int, int, int]]) -> Within:
        """Return the tokens within words.

        Args:
            begun: where words begin or go on: (spaces before, node of the trie, node of the lexicon).
        """
        spaces, nodes, at = np.array(list(begun), np.intp).reshape(-1, 3).T
        first = np.full(len(nodes), -1, np.intp)
        found = [np.zeros((4, 0), np.intp)]
        exits: list[Exit] = []
        while len(nodes):  # a byte more each time
            before, below = self._trie.children_of(nodes)
            byte = self._trie.byte[below].astype(np.intp)
            able, after = self._behind(at[before], byte)
            before, byte, nodes, at = before[able], byte[able], below[able], after
            spaces, first = spaces[before], np.where(first[before] < 0, byte, first[before])
            of, ids = self._trie.tokens_of(nodes)
            found.append(np.stack([ids, at[of], spaces[of], first[of]]))
            for n in np.flatnonzero(self._ending[at]).tolist():
                exit_ = Exit(int(spaces[n]), int(first[n]), int(nodes[n]), int(at[n]))
                if not self._touched(exit_.end).isdisjoint(self._trie.children(exit_.node)):
                    exits.append(exit_)
        ids, ends, before_words, firsts = np.concatenate(found, axis=1)
        return Within(ids, ends, before_words, firsts, exits)

    def _behind(self, at: Ids, byte: Ids) -> tuple[Ids, Ids]:
        """Return which nodes of the lexicon a byte leads on from, and to which."""
        keys = _BYTES * at + byte
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        able = np.flatnonzero(self._keys[places] == keys)
        return able, self._after[places[able]]

    def _touched(self, node: int) -> frozenset[int]:
        """Return the bytes that may come right behind some word that ends at a node."""
        found = self._touching.get(node)
        if found is None:
            endings = {self._lexicon.ending[word] for word in self._lexicon.ends[node]}
            found = self._touching[node] = frozenset[int]().union(*(TOUCHING[ending] for ending in endings))
        return found
