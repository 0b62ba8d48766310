"""The layers of the network in torch: relation-aware self-attention of the reader, and the decoder.

The decoder is a pre-norm Transformer with rotary positions (Su et al. 2021) that writes a query word by word. In
training it takes whole queries under a causal mask; in use it takes one more word of each hypothesis at a time, with
the keys and values of the words before.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ...encoders.export import fused


class RelationLayer(nn.Module):
    """A pre-norm Transformer layer in which each pair of nodes has a relation.

    A head scores the pair (i, j) by ``q_i (k_j + a_r)`` and takes ``v_j + b_r``, with a vector a and b for each
    relation r, shared by the heads.
    """

    def __init__(self, *, width: int, heads: int, relations: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.width = heads, width
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.projection = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.relation_keys = nn.Parameter(torch.randn(relations, width // heads) * 0.02)
        self.relation_values = nn.Parameter(torch.randn(relations, width // heads) * 0.02)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, relations: Tensor, bias: Tensor) -> Tensor:
        """Return new states of the nodes.

        Args:
            x: (batch, nodes, width).
            relations: (batch, nodes, nodes), int64.
            bias: the bias of the scores, (batch, 1, 1, nodes), -inf for padding.
        """
        x = x + self.drop(self.out(self._attend(self.norms[0](x), relations, bias)))
        return x + self.drop(self.mlp(self.norms[1](x)))

    def _attend(self, x: Tensor, relations: Tensor, bias: Tensor) -> Tensor:
        parts = self.projection(x).reshape(int(x.shape[0]), -1, 3, self.heads, self.width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        spread = relations[:, None].expand(-1, self.heads, -1, -1)
        scores = q @ k.transpose(-1, -2) + (q @ self.relation_keys.T).gather(-1, spread)
        weights = (scores / math.sqrt(q.shape[-1]) + bias).softmax(-1)
        by_relation = weights.new_zeros(*weights.shape[:-1], len(self.relation_values)).scatter_add(-1, spread, weights)
        found = weights @ v + by_relation @ self.relation_values
        return found.transpose(1, 2).reshape(int(x.shape[0]), -1, self.width)

    def read(self, x: Tensor, relations: Tensor, _: Tensor) -> Tensor:
        """Return the same states for one question, by operations that onnxruntime computes fast.

        Args:
            x: (1, nodes, width).
            relations: (1, nodes, nodes), int64.
        """
        x, pairs, head = x[0], relations[0], self.width // self.heads
        parts = self.projection(self.norms[0](x)).split(self.width, dim=-1)
        q, k, v = (part.reshape(-1, self.heads, head).transpose(0, 1) for part in parts)
        q = q * head**-0.5
        spread = pairs.expand(self.heads, -1, -1)
        weights = (q @ k.transpose(-1, -2) + (q @ self.relation_keys.T).gather(-1, spread)).softmax(-1)
        found = (weights @ v).transpose(0, 1) + weights.transpose(0, 1) @ self.relation_values[pairs]
        x = x + self.out(found.reshape(-1, self.width))
        return (x + self.mlp(self.norms[1](x)))[None]


_ROTARY_BASE = 100.0
"""The number of words in which the slowest rotation turns by nearly one radian."""

Pair = tuple[Tensor, Tensor]
"""Keys and values, (batch, heads, length, width of a head); also cosines and sines of angles, (length, half of it)."""


def _rotated(x: Tensor, turns: Pair) -> Tensor:
    """Turn queries or keys (batch, heads, length, width) by the angles of their positions."""
    cos, sin = turns
    one, other = x.split(cos.shape[-1], dim=-1)
    return torch.cat([one * cos - other * sin, one * sin + other * cos], dim=-1).to(x.dtype)


def _turns(positions: Tensor, half: int) -> Pair:
    rates = _ROTARY_BASE ** (-torch.arange(half, dtype=torch.float32, device=positions.device) / half)
    angles = positions[:, None].float() * rates
    return angles.cos(), angles.sin()


@lru_cache(maxsize=256)
def _first_turns(length: int, half: int, device: torch.device) -> Pair:
    return _turns(torch.arange(length, device=device), half)


class Attention(nn.Module):
    """Multi-head attention over keys and values that `keys` made."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.width = heads, width
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)

    def split(self, x: Tensor) -> Tensor:
        """Cut (batch, length, width) into heads, (batch, heads, length, width of a head)."""
        return x.reshape(int(x.shape[0]), -1, self.heads, self.width // self.heads).transpose(1, 2)

    def keys(self, states: Tensor) -> Pair:
        """Project states (batch, length, width) to keys and values."""
        key, value = self.key_value(states).split(self.width, dim=-1)
        return self.split(key), self.split(value)

    def attend(self, query: Tensor, pair: Pair, bias: Tensor | None = None, *, causal: bool = False) -> Tensor:
        """Return the attention of queries (batch, heads, length, width of a head)."""
        mask = None if bias is None else bias.to(query.dtype)
        found = F.scaled_dot_product_attention(query, *pair, attn_mask=mask, is_causal=causal)
        return self.out(found.transpose(1, 2).flatten(2))


class Block(nn.Module):
    """One layer: attention to the words so far, attention to the nodes, then an MLP."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.rotations = width // heads // 2
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.own = Attention(width, heads)
        self.cross = Attention(width, heads)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, nodes: Tensor, bias: Tensor) -> Tensor:
        """Return new states (batch, length, width) of words; ``bias`` masks padded nodes."""
        normed, turns = self.norms[0](x), _first_turns(x.shape[1], self.rotations, x.device)
        key, value = self.own.keys(normed)
        query = _rotated(self.own.split(self.own.query(normed)), turns)
        x = x + self.drop(self.own.attend(query, (_rotated(key, turns), value), causal=True))
        query = self.cross.split(self.cross.query(self.norms[1](x)))
        x = x + self.drop(self.cross.attend(query, self.cross.keys(nodes), bias))
        return x + self.drop(self.mlp(self.norms[2](x)))

    def step(
        self, x: Tensor, turns: Pair, memory: Sequence[Tensor], past: Sequence[Tensor]
    ) -> tuple[Tensor, list[Tensor]]:
        """Return the states of one more word of each hypothesis, and the past with it; see `fused`.

        Args:
            x: (hypotheses, width).
            turns: the rotation at the word's position.
            memory: the keys and values of the nodes, see `TrainableDecoder.remember`.
            past: the keys and values of the words before, (hypotheses, heads, words, width of a head).
        """
        normed, own = self.norms[0](x), self.own
        place, heads = torch.zeros(1, dtype=torch.int64), cast(Any, {"num_heads_i": own.heads})
        key, value = own.key_value(normed)[:, None].split(own.width, dim=-1)
        turned = [fused("RotaryEmbedding", one, place, *turns, **heads) for one in (own.query(normed)[:, None], key)]
        none = (None,) * 3  # neither bias nor mask
        found, *grown = fused("MultiHeadAttention", *turned, value, *none, *past, like=(0, 6, 7), **heads)
        x = x + own.out(found.reshape(-1, own.width))
        found = fused("MultiHeadAttention", self.cross.query(self.norms[1](x))[None], *memory, **heads)
        x = x + self.cross.out(found.reshape(-1, own.width))
        return x + self.mlp(self.norms[2](x)), grown


class TrainableDecoder(nn.Module):
    """A stack of blocks over embedded words."""

    def __init__(self, *, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor, nodes: Tensor, bias: Tensor) -> Tensor:
        """Return the states after each of the words (batch, length, width).

        Args:
            nodes: the states of the nodes, (batch, nodes, width).
            bias: the bias of the scores, (batch, 1, 1, nodes), -inf for padding.
        """
        for block in self.blocks:
            x = cast(Block, block)(x, nodes, bias)
        return self.norm(x)

    def remember(self, nodes: Tensor) -> list[Tensor]:
        """Return each block's keys and values of the nodes (1, nodes, width), (1, heads, nodes, width of a head)."""
        return [one for block in self.blocks for one in cast(Block, block).cross.keys(nodes)]

    def step(self, x: Tensor, memory: Sequence[Tensor], past: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """Return the states (hypotheses, width) after one more word, and the past with it; see `fused`.

        Args:
            x: the embedded word of each hypothesis, (hypotheses, width).
            memory: the result of `remember`.
            past: each block's keys and values of the words before, (hypotheses, heads, words, width of a head).
        """
        blocks = [cast(Block, block) for block in self.blocks]
        turns = _turns(torch.full((1,), past[0].shape[2]), blocks[0].rotations)
        grown: list[Tensor] = []
        for n, block in enumerate(blocks):
            x, pair = block.step(x, turns, *(some[2 * n : 2 * n + 2] for some in (memory, past)))
            grown += pair
        return self.norm(x), grown
