"""How far a query is the one that the heads foresaw: what it leaves out of that, and what nobody foresaw in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from ..encoders.functions import Floats
from .heads import Classes

__all__ = ["FORESEEN", "foreseen"]

FORESEEN = {
    "items left out": "tables, columns and values that the heads expect and the query does without",
    "items unforeseen": "those that it has and the heads do not expect",
    "words left out": "keywords, functions and signs that the heads expect and the query does without",
    "words unforeseen": "those that it has and the heads do not expect",
}
"""Features of an answer by name: log-odds, added up, of what the heads are wrong about if the query is right."""


def foreseen(classes: Classes, places: NDArray[np.int64], roles: int) -> Mapping[str, float]:
    """Return the `FORESEEN` of a query.

    Args:
        classes: what the heads say of its question.
        places: of its words among the outputs of the network: first the fixed words, then ``roles`` of each item.
    """
    fixed = len(classes.fixed)
    items = {int(place - fixed) // roles for place in places if place >= fixed}
    words = {int(place) for place in places if 0 <= place < fixed}
    left, strange = _against(classes.used, items)
    without, new = _against(classes.fixed, words)
    return dict(zip(FORESEEN, (left, strange, without, new), strict=True))


def _against(logits: Floats, written: Collection[int]) -> tuple[float, float]:
    """Return the log-odds of what is likely and not written, and those against what is written and unlikely."""
    there = np.isin(np.arange(len(logits)), list(written))
    return float(np.maximum(logits[~there], 0).sum()), float(np.maximum(-logits[there], 0).sum())
