"""Relation-aware self-attention as it learns; see `reader.layers`."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

__all__ = ["RelationLayer"]


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
            bias: added to scores, (batch, 1, 1, nodes): -inf for nodes that are not there.
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
        """Return new states of one question's nodes as `forward` does, by what onnxruntime is quick at.

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
