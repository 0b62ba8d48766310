"""The upper layers of a ready-made encoder, as a part of the network that learns."""

from __future__ import annotations

import copy
from dataclasses import replace

from torch import Tensor, nn

from ..encoders import Split

__all__ = ["Upper"]


class Upper(nn.Module):
    """A copy of the upper layers of ``split``, so that the encoder itself stays as it is."""

    def __init__(self, split: Split) -> None:
        super().__init__()
        self.layers = copy.deepcopy(split.upper)
        self.layers.requires_grad_(True)
        self._split = replace(split, upper=self.layers)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return the last states (batch, pieces, hidden) from those of the lower layers."""
        return self._split.upper_states(states, mask)
