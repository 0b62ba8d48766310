"""How sure an answer is: a logistic regression on named features (Platt 1999)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

__all__ = ["SIGNS", "Calibration", "logit"]

SIGNS = {
    "log-odds of the queries": "of all queries with these rows, as the search has them",
    "log-odds among the answers": "of its weight among the answers to the question, see `reranker`",
    "log-odds of an answer": "that the database holds one at all, as the head says",
    "unlinked words": "how likely some words of the question mean nothing in the database",
    "no rows": "as for the reranker",
    "query before": "as for the reranker",
    "tables": "that the query reads",
    "formulas left out": "that the question names and the query does without",
    "formulas not here": "that the question names and this database cannot have",
    "leans": "1 where the question is read with the turns before it",
    "log-odds of the query before": "that it was right, where the question is read with it",
}
"""What is known of the best answer, by name."""


@dataclass(frozen=True)
class Calibration:
    """Weights of `SIGNS` and a bias; fitted on answers whose rightness is known, some to questions that have none.

    Without fitting, it is the probability of the queries with these rows.
    """

    weights: Mapping[str, float] = field(default_factory=lambda: {"log-odds of the queries": 1.0})
    bias: float = 0.0

    def __call__(self, signs: Mapping[str, float]) -> float:
        """Return the probability that an answer is right."""
        total = sum(weight * signs[name] for name, weight in self.weights.items()) + self.bias
        return 1 / (1 + math.exp(-max(min(total, 30.0), -30.0)))

    @classmethod
    def fit(
        cls, signs: Sequence[Mapping[str, float]], right: Sequence[bool], counts: Sequence[float] | None = None
    ) -> Calibration:
        """Fit to answers.

        Args:
            right: which of them are right; both kinds must be there.
            counts: how much each counts, 1 if None.
        """
        from sklearn.linear_model import LogisticRegression

        rows = np.array([[one[name] for name in SIGNS] for one in signs])
        spread = rows.std(axis=0) + 1e-9
        model = LogisticRegression(C=1.0).fit(rows / spread, np.array(right), counts)
        weights = zip(SIGNS, (round(float(w), 4) for w in model.coef_[0] / spread), strict=True)
        return cls(dict(weights), round(float(model.intercept_[0]), 4))

    @classmethod
    def from_json(cls, data: Any) -> Calibration:
        """Read what `to_json` gave.

        Raises:
            ValueError: it is something else, or of signs that are not known here.
        """
        try:
            weights = {str(name): float(weight) for name, weight in data["weights"].items()}
            bias = float(data["bias"])
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError("no weights by name") from error
        if unknown := sorted(weights.keys() - SIGNS.keys()):
            raise ValueError(f"{unknown[0]!r} is nothing that is known of an answer")
        return cls(weights, bias)

    def to_json(self) -> dict[str, Any]:
        """Return a plain dict."""
        return asdict(self)


def logit(probability: float) -> float:
    """Return the log-odds of a probability, which is taken for no surer than 1 in 10,000."""
    clipped = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(clipped / (1 - clipped))
