"""The decoder as it learns: whole queries at once, each word seeing those before it; see `reader.decoder`."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..network.decoder import ROTARY_BASE

__all__ = ["TrainableDecoder"]

Pair = tuple[Tensor, Tensor]
"""Keys and values, (batch, heads, length, width of a head)."""


def rotated(x: Tensor) -> Tensor:
    """Turn queries or keys (batch, heads, length, width) by their positions."""
    half = x.shape[-1] // 2
    cos, sin = _turns(x.shape[2], half, x.device)
    one, other = x[..., :half], x[..., half:]
    return torch.cat([one * cos - other * sin, one * sin + other * cos], dim=-1).to(x.dtype)


@lru_cache(maxsize=256)
def _turns(length: int, half: int, device: torch.device) -> Pair:
    """Return cosines and sines of the angles of positions, (length, half), in single precision."""
    rates = ROTARY_BASE ** (-torch.arange(half, dtype=torch.float32, device=device) / half)
    angles = torch.arange(length, dtype=torch.float32, device=device)[:, None] * rates
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
        mask = None if bias is None else bias.to(query.dtype)
        found = F.scaled_dot_product_attention(query, *pair, attn_mask=mask, is_causal=causal)
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

    def forward(self, x: Tensor, nodes: Tensor, bias: Tensor) -> Tensor:
        """Return new states (batch, length, width) of words; ``bias`` keeps them from nodes that are not there."""
        normed = self.norms[0](x)
        key, value = self.own.keys(normed)
        query = rotated(self.own.split(self.own.query(normed)))
        x = x + self.drop(self.own.attend(query, (rotated(key), value), causal=True))
        normed = self.norms[1](x)
        x = x + self.drop(self.cross.attend(self.cross.split(self.cross.query(normed)), self.cross.keys(nodes), bias))
        return x + self.drop(self.mlp(self.norms[2](x)))


class TrainableDecoder(nn.Module):
    """A stack of blocks over embedded words."""

    def __init__(self, *, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor, nodes: Tensor, bias: Tensor) -> Tensor:
        """Return the states after each of the words (batch, length, width).

        Args:
            nodes: states of the nodes, (batch, nodes, width).
            bias: (batch, 1, 1, nodes), -inf for nodes that are not there.
        """
        for block in self.blocks:
            x = cast(Block, block)(x, nodes, bias)
        return self.norm(x)
