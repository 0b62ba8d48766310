"""How sure an answer is: a logistic regression on what the search and the heads say (Platt 1999)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .answerable import DOUBTED

__all__ = ["Calibration", "Signs"]


@dataclass(frozen=True)
class Signs:
    """What speaks for an answer.

    Attributes:
        weight: probability of the queries with its rows, after what their rows cost them (of a `Choice`).
        margin: that of the next answer.
        answerable: probability that the database holds an answer at all.
        gap: whether some words of the question are accounted for by nothing.
    """

    weight: float
    margin: float
    answerable: float
    gap: bool

    def features(self) -> tuple[float, ...]:
        """Return them as the regression takes them."""
        return _logit(self.weight), _logit(self.weight - self.margin), _logit(self.answerable), float(self.gap)


@dataclass(frozen=True)
class Calibration:
    """Weights of the signs and a bias; fitted on answers whose rightness is known.

    All questions to fit on have an answer, so what is fitted is the probability that an answer is right if there is one
    at all; where that is in doubt, it counts half. Without fitting, it is the probability of the queries with these
    rows.
    """

    weights: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    bias: float = 0.0

    def __call__(self, signs: Signs) -> float:
        """Return the probability that an answer is right."""
        total = sum(w * f for w, f in zip(self.weights, signs.features(), strict=True)) + self.bias
        found = 1 / (1 + math.exp(-max(min(total, 30.0), -30.0)))
        return found if signs.answerable >= DOUBTED else found / 2

    @classmethod
    def fit(cls, signs: Sequence[Signs], right: Sequence[bool]) -> Calibration:
        """Fit to answers; ``right`` must hold both kinds."""
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=1.0).fit(np.array([one.features() for one in signs]), np.array(right))
        return cls(tuple(round(float(w), 4) for w in model.coef_[0]), round(float(model.intercept_[0]), 4))

    def to_json(self) -> dict[str, Any]:
        """Return a plain dict."""
        return asdict(self)


def _logit(probability: float) -> float:
    clipped = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(clipped / (1 - clipped))
