"""Two linear models of answers on named features, fitted by scikit-learn: the reranker and the calibration.

`Reranker` is a log-linear model over the answers to one question. Its weights are those of a logistic regression that
separates right from wrong answers to the same question (Joachims 2002, ranking by pairs). `Calibration` is a logistic
regression whose value is the probability that the best answer is right (Platt 1999).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

SIGNS = {
    "log-odds of the queries": "log-odds of the summed probability of the queries with these rows",
    "log-odds among the answers": "log-odds of its weight among the answers to the question, see `Reranker`",
    "log-odds of an answer": "log-odds that the database holds an answer, according to the head",
    "unlinked words": "probability that some words of the question mean nothing in the database",
    "no rows": "the same as for the reranker",
    "query before": "the same as for the reranker",
    "tables": "number of tables that the query reads",
    "formulas left out": "number of formulas that the question names and the query does not use",
    "formulas not here": "1 if the question names a formula that this database cannot have",
    "leans": "1 if the question is read with the earlier turns",
    "log-odds of the query before": "log-odds that the previous query was right, if the question is read with it",
}
"""The signs of the best answer, by name, for the calibration."""


@dataclass(frozen=True)
class Calibration:
    """Weights of `SIGNS` and a bias, fitted on judged answers, some of them to questions without an answer.

    The default is the probability of the queries with the same rows.
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
        """Fit the weights to answers.

        Args:
            right: which answers are right; some must be right and some wrong.
            counts: the weight of each answer, None for 1.
        """
        from sklearn.linear_model import LogisticRegression

        rows = np.array([[one[name] for name in SIGNS] for one in signs])
        spread = rows.std(axis=0) + 1e-9
        model = LogisticRegression(C=1.0).fit(rows / spread, np.array(right), counts)
        weights = zip(SIGNS, (round(float(w), 4) for w in model.coef_[0] / spread), strict=True)
        return cls(dict(weights), round(float(model.intercept_[0]), 4))

    @classmethod
    def from_json(cls, data: Any) -> Calibration:
        """Read the dict that `to_json` returns.

        Raises:
            ValueError: it is something else, or has unknown signs.
        """
        try:
            weights = {str(name): float(weight) for name, weight in data["weights"].items()}
            bias = float(data["bias"])
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError("no weights by name") from error
        if unknown := sorted(weights.keys() - SIGNS.keys()):
            raise ValueError(f"{unknown[0]!r} is no sign of an answer")
        return cls(weights, bias)

    def to_json(self) -> dict[str, Any]:
        """Return a plain dict."""
        return asdict(self)


def logit(probability: float) -> float:
    """Return the log-odds of a probability, which is clipped at 1 in 10,000."""
    clipped = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(clipped / (1 - clipped))


RERANKER_FEATURES = {
    "log probability": "log of the summed probability of the queries with these rows",
    "no rows": "1 if there are no rows, or NULLs alone",
    "values left out": "summed scores of the values that the question names and the query does not use",
    "items left out": "summed log-odds of the items and values that the heads predict and the query does not use",
    "query before": "1 if the query equals the previous one, with which the question is read",
}
"""The features of an answer, by name, for the reranker.

Queries are run until none of those left could come first (`choice`); until then a feature of rows counts as 0. So
such a feature needs a weight of 0 or less, or `_is_settled` must count its best value.
"""

Answers = Sequence[tuple[Mapping[str, float], bool]]
"""The answers to one question: the features of each, and whether it is right."""


@dataclass(frozen=True)
class Reranker:
    """The reranker of the answers to a question.

    Attributes:
        weights: the weights of `RERANKER_FEATURES`.
    """

    weights: Mapping[str, float]

    @classmethod
    @cache
    def shipped(cls) -> Reranker:
        """Return the shipped reranker, which `parser/base/recipe.toml` fits."""
        file = resources.files(__package__ or __name__) / "reranker.json"
        return cls(json.loads(file.read_text("utf-8"))["weights"])

    def parts(self, features: Mapping[str, float]) -> dict[str, float]:
        """Return the contribution of each feature to the score of an answer."""
        return {name: weight * features[name] for name, weight in self.weights.items()}

    def weight(self, features: Mapping[str, float]) -> float:
        """Return the weight of an answer relative to others to the same question."""
        return math.exp(sum(self.parts(features).values()))

    @classmethod
    def fit(cls, questions: Sequence[Answers], *, strength: float = 0.1) -> Reranker:
        """Fit the weights to questions, some of which have a right and a wrong answer.

        Args:
            strength: the inverse regularisation strength, for standardised features.
        """
        from sklearn.linear_model import LogisticRegression

        rows = [np.array([[one[name] for name in RERANKER_FEATURES] for one, _ in answers]) for answers in questions]
        rights = [np.array([right for _, right in answers]) for answers in questions]
        pairs = [one[right][:, None] - one[~right][None] for one, right in zip(rows, rights, strict=True)]
        spread = np.concatenate(rows).std(axis=0) + 1e-9
        apart = np.concatenate([one.reshape(-1, len(RERANKER_FEATURES)) for one in pairs]) / spread
        sides = np.repeat([True, False], len(apart))
        model = LogisticRegression(C=strength, fit_intercept=False)
        model.fit(np.concatenate([apart, -apart]), sides)
        return cls(dict(zip(RERANKER_FEATURES, (round(float(w), 4) for w in model.coef_[0] / spread), strict=True)))
