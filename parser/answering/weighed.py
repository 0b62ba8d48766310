"""What each named feature adds to an answer's score, and to how sure it is."""

from __future__ import annotations

from dataclasses import dataclass

from ...classifiers.calibration import Calibration
from ...classifiers.reranker import Reranker
from .considered import Considered

__all__ = ["Weighed", "weighed"]


@dataclass(frozen=True)
class Weighed:
    """A feature of the answer.

    Attributes:
        name: of `reranker.FEATURES` or `calibration.SIGNS`.
        value: of the answer.
        ranks: what that adds to its score among the answers; None of a sign of the confidence alone.
        assures: what it adds to the log-odds of its being right; None of a feature of the order alone.
    """

    name: str
    value: float
    ranks: float | None
    assures: float | None


def weighed(found: Considered, calibration: Calibration) -> tuple[Weighed, ...]:
    """Return the features of the best answer that are not nothing."""
    features, signs = found.choices[0].features, found.signs()
    ranks = Reranker.shipped().parts(features)
    assures = {name: weight * signs[name] for name, weight in calibration.weights.items()}
    values = {**features, **signs}
    told = (Weighed(name, round(value, 4), ranks.get(name), assures.get(name)) for name, value in values.items())
    return tuple(one for one in told if one.value)
