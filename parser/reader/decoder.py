"""The decoder: a pre-norm Transformer that writes a query a word at a time, with rotary positions (Su et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

__all__ = ["Cache", "Decoder"]

Pair = tuple[Tensor, Tensor]
"""Keys and values, (batch, heads, length, width of a head)."""


@dataclass
class Cache:
    """What a decoder keeps of nodes and words; one row a hypothesis.

    Attributes:
        memory: keys and values of the nodes in each layer; of one question one row, whatever the hypotheses.
        bias: (batch, 1, 1, nodes), -inf for nodes that are not there; as ``memory``.
        past: keys and values of the words so far in each layer.
    """

    memory: list[Pair]
    bias: Tensor
    past: list[Pair] = field(default_factory=list[Pair])

    @property
    def length(self) -> int:
        """Return how many words it holds."""
        return self.past[0][0].shape[2] if self.past else 0

    def select(self, rows: Tensor) -> Cache:
        """Return the cache of some rows, which may repeat."""
        if len(self.bias) == 1:
            return Cache(self.memory, self.bias, _rows(self.past, rows))
        return Cache(_rows(self.memory, rows), self.bias[rows], _rows(self.past, rows))


def _rows(pairs: list[Pair], rows: Tensor) -> list[Pair]:
    return [(key[rows], value[rows]) for key, value in pairs]


def rotated(x: Tensor, start: int) -> Tensor:
    """Turn queries or keys (batch, heads, length, width) by their positions from ``start`` on."""
    half = x.shape[-1] // 2
    cos, sin = _turns(start, x.shape[2], half, x.dtype)
    one, other = x[..., :half], x[..., half:]
    return torch.cat([one * cos - other * sin, one * sin + other * cos], dim=-1)


@lru_cache(maxsize=1024)
def _turns(start: int, length: int, half: int, dtype: torch.dtype) -> Pair:
    """Return cosines and sines of the angles of positions, (length, half)."""
    with torch.inference_mode(False):  # what is kept must do for training, too
        rates = 100.0 ** (-torch.arange(half, dtype=dtype) / half)
        angles = torch.arange(start, start + length, dtype=dtype)[:, None] * rates
        return angles.cos(), angles.sin()


class Attention(nn.Module):
    """Multi-head attention over keys and values that `keys` made."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)

    def split(self, x: Tensor) -> Tensor:
        """Cut (batch, length, width) into heads."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def keys(self, states: Tensor) -> Pair:
        """Project states (batch, length, width) to keys and values."""
        key, value = self.key_value(states).chunk(2, dim=-1)
        return self.split(key), self.split(value)

    def attend(self, query: Tensor, pair: Pair, bias: Tensor | None = None, *, causal: bool = False) -> Tensor:
        """Return what queries (batch, heads, length, width of a head) find."""
        key, value = (t.expand(len(query), -1, -1, -1) for t in pair)
        found = F.scaled_dot_product_attention(query, key, value, attn_mask=bias, is_causal=causal)
        return self.out(found.transpose(1, 2).flatten(2))


class Block(nn.Module):
    """One layer: attention to the words so far, attention to the nodes, then an MLP."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.own = Attention(width, heads)
        self.cross = Attention(width, heads)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, memory: Pair, bias: Tensor, past: Pair | None) -> tuple[Tensor, Pair]:
        normed = self.norms[0](x)
        start = 0 if past is None else past[0].shape[2]
        query, (key, value) = rotated(self.own.split(self.own.query(normed)), start), self.own.keys(normed)
        pair = rotated(key, start), value
        if past is not None:
            pair = torch.cat([past[0], pair[0]], dim=2), torch.cat([past[1], pair[1]], dim=2)
        x = x + self.drop(self.own.attend(query, pair, causal=past is None and x.shape[1] > 1))
        normed = self.norms[1](x)
        x = x + self.drop(self.cross.attend(self.cross.split(self.cross.query(normed)), memory, bias))
        return x + self.drop(self.mlp(self.norms[2](x))), pair


class Decoder(nn.Module):
    """A stack of blocks over embedded words."""

    def __init__(self, *, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def remember(self, states: Tensor, bias: Tensor) -> Cache:
        """Return the cache to start from, for states (batch, nodes, width) of the nodes."""
        return Cache([cast(Block, block).cross.keys(states) for block in self.blocks], bias)

    def forward(self, x: Tensor, cache: Cache) -> Tensor:
        """Read words (batch, length, width) after those in ``cache``, which grows by them; one, if it holds some."""
        past: list[Pair] = []
        for i, block in enumerate(self.blocks):
            x, pair = block(x, cache.memory[i], cache.bias, cache.past[i] if cache.past else None)
            past.append(pair)
        cache.past = past
        return self.norm(x)
