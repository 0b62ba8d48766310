"""A linear map of an encoder's vectors under which words that databases use for one another lie close.

Sentence encoders find «turnover» hardly liker to «revenue» than to «costs». The maps were learnt from the word lists
and the shipped banks (`bench/accuracy/synonym_projection.py`); the vectors themselves stay as they are.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

__all__ = ["projection_of"]

_HOME = Path(__file__).with_name("projections")


@cache
def projection_of(encoder: str) -> NDArray[np.float32] | None:
    """Return the map for an encoder, (hidden, hidden); None for one that has none: its vectors count as they are."""
    file = _HOME / f"{encoder}.safetensors"
    if "/" in encoder or not file.is_file():
        return None
    return load_file(file)["projection"].astype(np.float32)
