"""A trie of the tokens of one model, in arrays: byte by byte from the root to the tokens that spell them.

Nodes are numbered as one meets them going down first (preorder), children by their byte. So the nodes below a node
are those from the next one up to its ``end``, and the tokens below it are one slice of ``ids``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

ROOT = 0

_NO_CHILDREN: dict[int, int] = {}

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Ids = NDArray[np.intp]


class TokenTrie:
    """Which tokens begin with which bytes.

    Attributes:
        byte: of each node, the byte that leads to it from its parent; 0 for the root.
        end: of each node, the first one behind its subtree.
        start: of each node, and of one behind the last, where its tokens begin in ``ids``.
        ids: all tokens, sorted by the bytes that they spell; of the same bytes, by number.
    """

    def __init__(self, byte: Bytes, end: Ints, start: Ints, ids: Ints) -> None:
        self.byte, self.end, self.start, self.ids = byte, end, start, ids
        self._children: dict[int, dict[int, int]] = {}
        # single numbers are read from these several times as fast as from arrays
        self._bytes, self._ends, self._starts = byte.tobytes(), end.data, start.data

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.byte)

    def children(self, node: int) -> Mapping[int, int]:
        """Return the child behind each byte; it is made at its first use, then kept."""
        found = self._children.get(node)
        if found is None:
            ends, spelled, child, last = self._ends, self._bytes, node + 1, self._ends[node]
            found = {} if child < last else _NO_CHILDREN
            while child < last:
                found[spelled[child]] = child
                child = ends[child]
            self._children[node] = found
        return found

    def children_of(self, nodes: Ids) -> tuple[Ids, Ids]:
        """Return the children of some nodes, one after the other: places in ``nodes``, and children, (children,)."""
        first, children = self._family
        return _runs(first[nodes], first[nodes + 1], children)

    def tokens_of(self, nodes: Ids) -> tuple[Ids, Ids]:
        """Return the tokens that spell the bytes down to some nodes: places in ``nodes``, and tokens, (tokens,)."""
        return _runs(self.start[nodes], self.start[nodes + 1], self.ids)

    @cached_property
    def _family(self) -> tuple[Ints, Ints]:
        """All children, sorted by their parents, and where those of each node begin."""
        parents = np.flatnonzero(self.end > np.arange(1, len(self) + 1))
        children, parent = parents + 1, np.zeros(len(self), np.int32)
        while children.size:  # and then their next siblings
            parent[children] = parents
            more = np.flatnonzero(self.end[children] < self.end[parents])
            parents, children = parents[more], self.end[children[more]]
        first = np.zeros(len(self) + 1, np.int32)
        np.cumsum(np.bincount(parent[1:], minlength=len(self)), out=first[1:])
        return first, 1 + np.argsort(parent[1:], kind="stable").astype(np.int32)

    def at(self, node: int) -> Ints:
        """Return the tokens that spell exactly the bytes down to a node."""
        return self.ids[self._starts[node] : self._starts[node + 1]]

    def below(self, node: int) -> Ints:
        """Return the tokens that begin with the bytes down to a node, those that end there among them."""
        return self.ids[self._starts[node] : self._starts[self._ends[node]]]

    def find(self, text: bytes) -> int | None:
        """Return the node that a text leads to, None if no token begins with it."""
        node: int | None = ROOT
        for byte in text:
            node = self.children(node).get(byte)
            if node is None:
                return None
        return node

    def fewest(self, text: bytes) -> tuple[int, ...] | None:
        """Return the fewest tokens that spell a text together, None if none do.

        Of several that spell the same the last is taken: SentencePiece has its pieces of single bytes first.
        """
        ways: list[tuple[int, ...] | None] = [(), *(None for _ in text)]
        for start, way in enumerate(ways):
            if way is None:
                continue
            node: int | None = ROOT
            for end in range(start + 1, len(text) + 1):
                node = self.children(node).get(text[end - 1])
                if node is None:
                    break
                there, tokens = ways[end], self.at(node)
                if tokens.size and (there is None or len(there) > len(way) + 1):
                    ways[end] = (*way, int(tokens[-1]))
        return ways[-1]

    @classmethod
    def build(cls, spelled: Sequence[bytes | None]) -> TokenTrie:
        """Make the trie of what tokens spell, by number; None and no bytes at all are left out."""
        known = {token: text for token, text in enumerate(spelled) if text}
        ids = sorted(known, key=known.__getitem__)
        texts = [known[token] for token in ids]
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        flat = np.frombuffer(b"".join(texts), np.uint8)
        offsets = np.cumsum(lengths) - lengths
        shared = _shared_with_the_one_before(flat, offsets, lengths)
        new = lengths - shared  # a text adds a node for each byte that the one before does not share
        last = np.cumsum(new)  # node where each text ends; if it adds none, that of the one before
        nodes = 1 + int(new.sum())
        within = np.arange(nodes - 1) - np.repeat(last - new, new) + np.repeat(shared, new)
        byte = np.zeros(nodes, np.uint8)
        byte[1:] = flat[np.repeat(offsets, new) + within]
        start = np.zeros(nodes + 1, np.int32)
        np.cumsum(np.bincount(last, minlength=nodes), out=start[1:])
        depth = np.concatenate([[0], within + 1])
        return cls(byte, _ends(depth), start, np.array(ids, np.int32))


def _runs(first: Ints, behind: Ints, of: Ints) -> tuple[Ids, Ids]:
    """Return parts of an array, one after the other: which part each element is of, and the element."""
    counts = behind - first
    places = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
    return places, of[first[places] + within].astype(np.intp)


def _shared_with_the_one_before(
    flat: Bytes, offsets: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return how many bytes each text begins with that the one before it begins with, too."""
    shared = np.zeros_like(lengths)
    alike = np.arange(1, len(lengths))
    depth = 0
    while alike.size:
        alike = alike[np.minimum(lengths[alike], lengths[alike - 1]) > depth]
        alike = alike[flat[offsets[alike] + depth] == flat[offsets[alike - 1] + depth]]
        shared[alike] += 1
        depth += 1
    return shared


def _ends(depth: NDArray[np.int64]) -> Ints:
    """Return the node behind each subtree, level by level: the next sibling, else what is behind the parent's."""
    end = np.full(len(depth), len(depth), np.int32)
    by_depth = np.argsort(depth, kind="stable")
    levels = np.split(by_depth, np.cumsum(np.bincount(depth))[:-1])
    for above, level in pairwise(levels):
        parents = above[np.searchsorted(above, level) - 1]
        siblings = parents[1:] == parents[:-1]
        end[level] = end[parents]
        end[level[:-1][siblings]] = level[1:][siblings]
    return end
