"""One layer of BERT (Devlin et al. 2019) in torch: `learning` trains it, `graph` computes it."""

import math
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .export import exported, fused


class EncoderLayer(nn.Module):
    """A layer of BERT; its weights have the names of transformers' ``BertLayer``."""

    def __init__(self, hidden: int, inner: int, heads: int, epsilon: float, dropout: float) -> None:
        super().__init__()
        self.attention = nn.ModuleDict(
            {
                "self": nn.ModuleDict({name: nn.Linear(hidden, hidden) for name in ("query", "key", "value")}),
                "output": _output(hidden, hidden, epsilon),
            }
        )
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(hidden, inner)})
        self.output = _output(inner, hidden, epsilon)
        self.heads = heads
        self.drop = nn.Dropout(dropout)

    def forward(self, states: Tensor, bias: Tensor) -> Tensor:
        """Return new states (batch, pieces, hidden); ``bias`` (batch, 1, 1, pieces) is added to scores."""
        own = cast(nn.ModuleDict, self.attention["self"])
        q, k, v = (own[n](states).unflatten(-1, (self.heads, -1)).transpose(1, 2) for n in ("query", "key", "value"))
        shares = self.drop((q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + bias).softmax(-1))
        return self._above(states, (shares @ v).transpose(1, 2).flatten(2))

    def read(self, states: Tensor, there: Tensor) -> Tensor:
        """Return the states of `forward` by onnxruntime's attention; ``there`` (batch, pieces) is 1 for pieces."""
        own = cast(nn.ModuleDict, self.attention["self"])
        parts = (own[n](states) for n in ("query", "key", "value"))
        return self._above(states, fused("MultiHeadAttention", *parts, None, there, num_heads_i=self.heads))

    def _above(self, states: Tensor, found: Tensor) -> Tensor:
        """Return new states from the attention's result and the states that it read."""
        states = self._added(cast(nn.ModuleDict, self.attention["output"]), states, found)
        return self._added(self.output, states, F.gelu(self.intermediate["dense"](states)))

    def _added(self, output: nn.ModuleDict, states: Tensor, x: Tensor) -> Tensor:
        return output["LayerNorm"](states + self.drop(output["dense"](x)))


def exported_layer(hidden: int, inner: int, heads: int, epsilon: float) -> bytes:
    """Return the graph of a layer, see `graph.layer_graph`."""
    arrays, sizes = (torch.zeros(2, 3, hidden), torch.ones(2, 3, dtype=torch.int32)), {0: "texts", 1: "tokens"}
    part = cast(nn.Module, made := EncoderLayer(hidden, inner, heads, epsilon, 0.0))
    part.forward = made.read
    return exported(part, {"states": (arrays[0], sizes), "there": (arrays[1], sizes)}, ["after"])


def _output(inner: int, hidden: int, epsilon: float) -> nn.ModuleDict:
    return nn.ModuleDict({"dense": nn.Linear(inner, hidden), "LayerNorm": nn.LayerNorm(hidden, eps=epsilon)})
