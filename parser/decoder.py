"""The decoder: a pre-norm Transformer that writes a query one word at a time.

Cross-attention keys are computed once per question, self-attention keys are kept from step to step;
both live in `Cache`, whose rows can be picked, repeated and dropped as hypotheses come and go.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.nn import functional as F

__all__ = ["Cache", "Decoder", "sinusoids"]

Pair = tuple[Tensor, Tensor]
"""Keys and values, each (batch, heads, length, width / heads)."""


@dataclass
class Cache:
    """What the decoder keeps of its rows, per layer.

    Attributes:
        mask: (batch, 1, 1, source length), False where the question is padding.
        memory: keys and values of the question, a pair a layer.
        past: keys and values of the words written so far, a pair a layer; empty at the start.
    """

    mask: Tensor
    memory: list[Pair]
    past: list[Pair] = field(default_factory=list[Pair])

    @property
    def length(self) -> int:
        """How many words have been written."""
        return self.past[0][0].shape[2] if self.past else 0

    def select(self, rows: Tensor) -> Cache:
        """Return the cache of ``rows`` (n,), which may repeat or leave out rows of this one."""
        return Cache(
            self.mask[rows], [(k[rows], v[rows]) for k, v in self.memory], [(k[rows], v[rows]) for k, v in self.past]
        )


class Attention(nn.Module):
    """Multi-head attention whose keys are projected apart, so that they can be kept."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)

    def keys(self, states: Tensor) -> Pair:
        """Project ``states`` (batch, length, width) to keys and values."""
        key, value = self.key_value(states).chunk(2, dim=-1)
        return self._split(key), self._split(value)

    def forward(self, x: Tensor, pair: Pair, *, mask: Tensor | None = None, causal: bool = False) -> Tensor:
        dropout = self.dropout if self.training else 0.0
        found = F.scaled_dot_product_attention(
            self._split(self.query(x)), *pair, attn_mask=mask, is_causal=causal, dropout_p=dropout
        )
        return self.out(found.transpose(1, 2).flatten(2))

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class Block(nn.Module):
    """One layer: attention to the words so far, attention to the question, then an MLP."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.own = Attention(width, heads, dropout)
        self.cross = Attention(width, heads, dropout)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, *, memory: Pair, mask: Tensor, past: Pair | None) -> tuple[Tensor, Pair]:
        normed = self.norms[0](x)
        pair = self.own.keys(normed)
        if past is not None:
            pair = (torch.cat([past[0], pair[0]], dim=2), torch.cat([past[1], pair[1]], dim=2))
        x = x + self.drop(self.own(normed, pair, causal=past is None and x.shape[1] > 1))
        x = x + self.drop(self.cross(self.norms[1](x), memory, mask=mask))
        x = x + self.drop(self.mlp(self.norms[2](x)))
        return x, pair


class Decoder(nn.Module):
    """A stack of blocks over embedded words.

    Args:
        width: of words and states.
        layers: number of blocks.
        heads: of each attention; divides ``width``.
        dropout: on embeddings, attention and each block's branches.
    """

    def __init__(self, *, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.drop = nn.Dropout(dropout)

    def remember(self, states: Tensor, attention_mask: Tensor) -> Cache:
        """Return the cache to start from, for ``states`` (batch, source, width) of the question."""
        memory = [block.cross.keys(states) for block in self.blocks]  # pyright: ignore
        return Cache(attention_mask.bool()[:, None, None, :], memory)

    def forward(self, x: Tensor, cache: Cache) -> Tensor:
        """Read ``x`` (batch, length, width) after the words in ``cache``; return states of the same shape.

        The cache grows by these words. After the first call ``length`` must be 1.
        """
        if cache.past and x.shape[1] != 1:
            raise ValueError("write one word at a time once the cache holds words")
        x = self.drop(x + sinusoids(cache.length, x.shape[1], x.shape[2]).to(x))
        past: list[Pair] = []
        for i, block in enumerate(self.blocks):
            x, pair = block(x, memory=cache.memory[i], mask=cache.mask, past=cache.past[i] if cache.past else None)
            past.append(pair)
        cache.past = past
        return self.norm(x)


def sinusoids(start: int, length: int, width: int) -> Tensor:
    """Return positions ``start`` to ``start + length`` as (length, width) sines and cosines.

    Computed and not learned, so that a larger budget than the training's still has positions.
    """
    position = torch.arange(start, start + length, dtype=torch.float32)[:, None]
    rate = torch.exp(torch.arange(0, width, 2, dtype=torch.float32) * (-math.log(10000.0) / width))
    angles = position * rate
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
