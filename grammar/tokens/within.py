"""Which tokens stay within the words of a lexicon, whatever the words at hand: found once for each place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .lexicon import Lexicon, may_touch
from .made_up import Ids
from .trie import TokenTrie

__all__ = ["Exit", "Within", "tokens_within"]


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


def tokens_within(trie: TokenTrie, lexicon: Lexicon, begun: Iterable[tuple[int, int, int]]) -> Within:
    """Return the tokens within words.

    Args:
        trie: of the tokens.
        lexicon: of the words.
        begun: where words begin or go on: (spaces before, node of the trie, node of the lexicon).
    """
    found: list[tuple[int, int, int, int]] = []
    exits: list[Exit] = []
    todo = [(spaces, -1, node, at) for spaces, node, at in begun]
    while todo:
        spaces, first, node, at = todo.pop()
        below, after = trie.children(node), lexicon.edges[at]
        for byte in below if len(below) < len(after) else after:
            if byte in below and byte in after:
                child, end = below[byte], after[byte]
                first_now = byte if first < 0 else first
                found += [(token, end, spaces, first_now) for token in trie.at(child).tolist()]
                todo.append((spaces, first_now, child, end))
                endings = {lexicon.ending[word] for word in lexicon.ends[end]}
                if any(may_touch(ending, next_byte) for ending in endings for next_byte in trie.children(child)):
                    exits.append(Exit(spaces, first_now, child, end))
    table = np.array(found, np.intp).reshape(-1, 4)
    return Within(table[:, 0], table[:, 1], table[:, 2], table[:, 3], exits)
