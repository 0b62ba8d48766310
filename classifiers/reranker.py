"""The order of the answers that a search found: named features, and weights that scikit-learn fitted once.

A log-linear model over the answers to one question; its weights are those of a logistic regression that tells, of a
right and a wrong answer to the same question, which is which (Joachims 2002, ranking by pairs).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

__all__ = ["FEATURES", "Answers", "Reranker"]

FEATURES = {
    "log probability": "of all queries with these rows, as the search has it",
    "no rows": "1 where nothing comes back, or NULLs alone",
    "values left out": "scores of the values that the question names and the query does without, added up",
    "items left out": "log-odds by which the heads want items and values that it does without, added up",
    "query before": "1 where a question that leans on the query before has that very query again",
}
"""What is known of an answer, by name."""

Answers = Sequence[tuple[Mapping[str, float], bool]]
"""The answers to one question: features of each, and whether it is right."""


@dataclass(frozen=True)
class Reranker:
    """Weighs answers.

    Attributes:
        weights: of `FEATURES`.
    """

    weights: Mapping[str, float]

    @classmethod
    @cache
    def shipped(cls) -> Reranker:
        """Return the one whose weights ship; `parser/base/recipe.toml` says how they are fitted."""
        file = resources.files(__package__ or __name__) / "reranker.json"
        return cls(json.loads(file.read_text("utf-8"))["weights"])

    def parts(self, features: Mapping[str, float]) -> dict[str, float]:
        """Return what each feature adds to the score of an answer."""
        return {name: weight * features[name] for name, weight in self.weights.items()}

    def weight(self, features: Mapping[str, float]) -> float:
        """Return how much an answer weighs beside others to the same question."""
        return math.exp(sum(self.parts(features).values()))

    @classmethod
    def fit(cls, questions: Sequence[Answers], *, strength: float = 0.1) -> Reranker:
        """Fit to questions, some of which have a right and a wrong answer.

        Args:
            strength: inverse of the pull towards 0, of features of one spread.
        """
        from sklearn.linear_model import LogisticRegression

        rows = [np.array([[one[name] for name in FEATURES] for one, _ in answers]) for answers in questions]
        rights = [np.array([right for _, right in answers]) for answers in questions]
        pairs = [one[right][:, None] - one[~right][None] for one, right in zip(rows, rights, strict=True)]
        spread = np.concatenate(rows).std(axis=0) + 1e-9
        apart = np.concatenate([one.reshape(-1, len(FEATURES)) for one in pairs]) / spread
        sides = np.repeat([True, False], len(apart))
        model = LogisticRegression(C=strength, fit_intercept=False)
        model.fit(np.concatenate([apart, -apart]), sides)
        return cls(dict(zip(FEATURES, (round(float(w), 4) for w in model.coef_[0] / spread), strict=True)))
