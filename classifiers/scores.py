"""How well the heads choose what a query needs: F1 of labels, and what the hard global constraint would leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..encoders.functions import Floats, sigmoid

__all__ = ["Labels", "hits", "label_scores"]

_CHOSEN = 0.5
"""Probability from which a label counts as chosen."""


@dataclass(frozen=True)
class Labels:
    """What the heads say of one question, beside its gold query.

    Attributes:
        hits: by kind (table, column, function), see `hits`.
        found: every value of the gold query is among those found.
        inside: every gold word is open under the hard global constraint.
        left: share of the vocabulary that it leaves.
    """

    hits: Mapping[str, tuple[int, int, int]]
    found: bool
    inside: bool
    left: float


def hits(logits: Floats, needed: NDArray[np.bool_]) -> tuple[int, int, int]:
    """Return how many labels are chosen and needed, chosen, and needed; both of shape (labels,)."""
    chosen = sigmoid(logits) > _CHOSEN
    return int((chosen & needed).sum()), int(chosen.sum()), int(needed.sum())


def label_scores(labels: Sequence[Labels], questions: int) -> dict[str, float]:
    """Return F1 over all labels of each kind, and the shares of questions; those without labels are outside."""
    if not labels:
        return {}
    found: dict[str, float] = {}
    for kind in ("table", "column", "function"):
        both, chosen, needed = (sum(one.hits[kind][i] for one in labels) for i in range(3))
        found[f"{kind}_f1"] = 2 * both / max(1, chosen + needed)
    found["all_values_found"] = sum(one.found for one in labels) / questions
    found["inside_global"] = sum(one.inside for one in labels) / questions
    found["share_left"] = sum(one.left for one in labels) / len(labels)
    return found
