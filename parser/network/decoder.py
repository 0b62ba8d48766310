"""The decoder: a pre-norm Transformer with rotary positions (Su et al. 2021) that writes a word at a time, in numpy."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...encoders.functions import Floats, gelu, softmax
from ...encoders.weights import Weights

__all__ = ["ROTARY_BASE", "Decoder", "Past"]

ROTARY_BASE = 100.0
"""How many words it takes the slowest of the rotations to turn by one radian, nearly."""

Pair = tuple[Floats, Floats]
"""Keys and values."""


@dataclass
class Past:
    """What a decoder keeps of nodes and words.

    Attributes:
        memory: keys and values of the nodes in each layer, (heads, nodes, width of a head); all hypotheses share it.
        words: keys and values of the words so far in each layer, (hypotheses, heads, words, width of a head).
    """

    memory: list[Pair]
    words: list[Pair] = field(default_factory=list[Pair])

    @property
    def length(self) -> int:
        """Return how many words it holds."""
        return self.words[0][0].shape[2] if self.words else 0

    def select(self, rows: NDArray[np.int64]) -> Past:
        """Return what is known of some hypotheses, which may repeat."""
        return Past(self.memory, [(keys[rows], values[rows]) for keys, values in self.words])


class Decoder:
    """A stack of blocks over embedded words: attention to the words so far, attention to the nodes, then an MLP."""

    def __init__(self, weights: Weights, *, layers: int, heads: int) -> None:
        self._blocks = [weights.at(f"blocks.{layer}") for layer in range(layers)]
        self._weights = weights
        self._heads = heads

    def remember(self, nodes: Floats) -> Past:
        """Return what is known before the first word, of the states (nodes, width) of the nodes."""
        found: list[Pair] = []
        for block in self._blocks:
            keys, values = np.split(block.linear("cross.key_value", nodes), 2, axis=-1)
            found.append((self._cut(keys).swapaxes(0, 1), self._cut(values).swapaxes(0, 1)))
        return Past(found)

    def __call__(self, x: Floats, past: Past) -> Floats:
        """Read one word (hypotheses, width) after those in ``past``, which grows by it."""
        words: list[Pair] = []
        for i, block in enumerate(self._blocks):
            own, pair = self._own(block, x, past.words[i] if past.words else None)
            words.append(pair)
            x = x + own
            x = x + self._cross(block, x, past.memory[i])
            x = x + block.linear("mlp.2", gelu(block.linear("mlp.0", block.norm("norms.2", x))))
        past.words = words
        return self._weights.norm("norm", x)

    def _own(self, block: Weights, x: Floats, before: Pair | None) -> tuple[Floats, Pair]:
        """Attend to the words so far and this one, and return what is found, and the keys and values with its own."""
        normed = block.norm("norms.0", x)
        at = 0 if before is None else before[0].shape[2]
        query = _turned(self._cut(block.linear("own.query", normed)), at)
        keys, values = (self._cut(part) for part in np.split(block.linear("own.key_value", normed), 2, axis=-1))
        pair = _turned(keys, at)[:, :, None], values[:, :, None]
        if before is not None:
            pair = np.concatenate([before[0], pair[0]], axis=2), np.concatenate([before[1], pair[1]], axis=2)
        found = _attend(query[:, :, None], *pair)
        return block.linear("own.out", found.reshape(x.shape)), pair

    def _cross(self, block: Weights, x: Floats, memory: Pair) -> Floats:
        query = self._cut(block.linear("cross.query", block.norm("norms.1", x))).swapaxes(0, 1)
        return block.linear("cross.out", _attend(query, *memory).swapaxes(0, 1).reshape(x.shape))

    def _cut(self, x: Floats) -> Floats:
        """Cut (rows, width) into (rows, heads, width of a head)."""
        return x.reshape(len(x), self._heads, -1)


def _attend(query: Floats, keys: Floats, values: Floats) -> Floats:
    scores = query @ keys.swapaxes(-1, -2) / np.float32(query.shape[-1] ** 0.5)
    return softmax(scores) @ values


def _turned(x: Floats, at: int) -> Floats:
    """Turn queries or keys (rows, heads, width of a head) by a position."""
    half = x.shape[-1] // 2
    cos, sin = _turn(at, half)
    one, other = x[..., :half], x[..., half:]
    return np.concatenate([one * cos - other * sin, one * sin + other * cos], axis=-1)


@lru_cache(maxsize=1024)
def _turn(at: int, half: int) -> Pair:
    angles = at * ROTARY_BASE ** (-np.arange(half, dtype=np.float32) / half)
    return np.cos(angles, dtype=np.float32), np.sin(angles, dtype=np.float32)
