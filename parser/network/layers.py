"""Relation-aware self-attention (Shaw et al. 2018; Wang et al. 2020, RAT-SQL, section 3), in numpy."""

from __future__ import annotations

import numpy as np

from ...encoders.functions import Floats, gelu, softmax
from ...encoders.weights import Weights
from ..reader.relations import Relations

__all__ = ["relation_layer"]


def relation_layer(x: Floats, relations: Relations, weights: Weights, heads: int) -> Floats:
    """Return the states (nodes, width) after a layer; see `learning.layers.RelationLayer`.

    Args:
        relations: of each pair of nodes, (nodes, nodes).
    """
    x = x + weights.linear("out", _attend(weights.norm("norms.0", x), relations, weights, heads))
    inner = gelu(weights.linear("mlp.0", weights.norm("norms.1", x)))
    return x + weights.linear("mlp.2", inner)


def _attend(x: Floats, relations: Relations, weights: Weights, heads: int) -> Floats:
    nodes = len(x)
    q, k, v = weights.linear("projection", x).reshape(nodes, 3, heads, -1).transpose(1, 0, 2, 3)
    keys, values = (weights[name][relations] for name in ("relation_keys", "relation_values"))
    # q, k and v are (nodes, heads, width of a head), keys and values (nodes, nodes, width of a head)
    scores = q.swapaxes(0, 1) @ k.transpose(1, 2, 0) + (q @ keys.swapaxes(1, 2)).swapaxes(0, 1)
    shares = softmax(scores / np.float32(q.shape[-1] ** 0.5))
    found = (shares @ v.swapaxes(0, 1)).swapaxes(0, 1) + shares.swapaxes(0, 1) @ values
    return found.reshape(nodes, -1)
