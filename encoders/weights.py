"""The weights of a network by name, and what its layers do with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .functions import Floats, layer_norm

__all__ = ["Weights"]


@dataclass(frozen=True)
class Weights:
    """Arrays called as in a PyTorch state dict: ``Weights(arrays).at("layers.0").linear("out", x)``.

    Attributes:
        arrays: of all parts of the network.
        place: what stands before the names of this part, empty or with a dot at its end.
    """

    arrays: Mapping[str, Floats]
    place: str = ""

    def __getitem__(self, name: str) -> Floats:
        return self.arrays[self.place + name]

    def at(self, part: str) -> Weights:
        """Return the weights of a part of this part."""
        return Weights(self.arrays, f"{self.place}{part}.")

    def linear(self, layer: str, x: Floats) -> Floats:
        """Return ``x W^T + b``; without b where the layer has none."""
        weight = self[f"{layer}.weight"]
        product = x.reshape(-1, x.shape[-1]) @ weight.T  # one product: numpy makes as many as there are rows of texts
        bias = self.arrays.get(f"{self.place}{layer}.bias")
        if bias is not None:
            product += bias
        return product.reshape(*x.shape[:-1], len(weight))

    def norm(self, layer: str, x: Floats, epsilon: float = 1e-5) -> Floats:
        """Return `layer_norm` with the layer's scale and shift."""
        return layer_norm(x, self[f"{layer}.weight"], self[f"{layer}.bias"], epsilon)
