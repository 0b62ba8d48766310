"""A linear map of an encoder's vectors under which words that databases use for one another lie close.

Sentence encoders find «turnover» hardly liker to «revenue» than to «costs». The maps were learnt from the word lists
and the shipped banks (the stage `projection` of `parser/base/recipe.toml`); the vectors themselves stay as they are.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

__all__ = ["Projection", "projection_of"]

_HOME = Path(__file__).with_name("projections")


@dataclass(frozen=True)
class Projection:
    """What was learnt for an encoder.

    Attributes:
        matrix: the map, (hidden, hidden).
        known: what the encoder says of the concepts of the shipped banks, so that nobody waits for a thousand of them.
    """

    matrix: NDArray[np.float32]
    known: dict[str, NDArray[np.float32]]


@cache
def projection_of(encoder: str) -> Projection | None:
    """Return the map for an encoder; None for one that has none: its vectors count as they are."""
    file = _HOME / f"{encoder}.safetensors"
    if "/" in encoder or not file.is_file():
        return None
    with safe_open(file, "numpy") as told:
        names = json.loads(told.metadata()["known"])
        known = told.get_tensor("known").astype(np.float32)
        return Projection(told.get_tensor("projection").astype(np.float32), dict(zip(names, known, strict=True)))
