"""How sure it is that a column is a concept: a logistic function of what their names have in common."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .features import FEATURES

__all__ = ["GroundingWeights"]

_FILE = Path(__file__).with_name("weights.json")


@dataclass(frozen=True)
class GroundingWeights:
    """Of `FEATURES`, and the constant."""

    weights: tuple[float, ...]
    constant: float

    def __call__(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the confidence of each row, (rows,)."""
        return 1 / (1 + np.exp(-(features @ np.array(self.weights) + self.constant)))

    @classmethod
    def shipped(cls, language: str) -> GroundingWeights:
        """Return those that come with Querent for the encoder of a language; of an unknown one the English."""
        every = json.loads(_FILE.read_text())
        told = every.get(language) or every["en"]
        return cls(tuple(told[name] for name in FEATURES), float(told["constant"]))
