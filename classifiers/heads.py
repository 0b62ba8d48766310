"""The heads over a reader's states: which items and words a query has, whether there is one, and how well they choose.

After the classifiers of ChESQL («NL2SQL with bilevel vocabulary constraints»), which learn one domain's labels; these
score the state of an item, so that they read any schema. `learning` computes them. The global constraint is made of
what they say; keywords, operators and constants are always open.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..encoders.functions import Floats, log_sigmoid, sigmoid

ANSWERABLE = 0.3
UNLINKED = 0.1
"""Both were chosen on held-out databases: .7 % of their own questions are refused, and 92 % of those that were asked of
other databases."""


@dataclass(frozen=True)
class Classes:
    """What the heads say of a question: logits, and probabilities.

    Attributes:
        used: is the item or value in the query? (items,).
        fixed: is the fixed word in it? (fixed words,).
        answerable: the probability that the question can be answered from this schema.
        carries: the probability that it needs what was asked before it; None of a network that reads no history.
    """

    used: Floats
    fixed: Floats
    answerable: float
    carries: float | None = None


def unanswerable(answerable: float, unlinked: float) -> bool:
    """Is a question likely to have no answer at all?

    Args:
        answerable: the probability that it has one.
        unlinked: share of its words that no name and no value of the database accounts for.
    """
    return answerable < ANSWERABLE and unlinked >= UNLINKED


Mode = Literal["hard", "soft", "off"]


@dataclass(frozen=True)
class GlobalConstraint:
    """How far the heads are followed.

    Attributes:
        mode: ``hard`` closes what is less likely than ``threshold``, ``soft`` adds ``weight`` times the logarithm of
            its probability to a word's logit, ``off`` leaves all words open.
    """

    mode: Mode = "soft"
    weight: float = 0.3
    threshold: float = 0.005

    def bias(self, classes: Classes, functions: NDArray[np.bool_], roles: int) -> Floats | None:
        """Return what is added to the logits of an output vocabulary, (fixed words + items * roles,); None for nothing.

        Args:
            classes: what the heads say of the question.
            functions: which fixed words are functions, (fixed words,).
            roles: words that each item has, which stand side by side.
        """
        if self.mode == "off":
            return None
        fixed = np.where(functions, log_sigmoid(classes.fixed), np.float32(0.0))
        logs = np.concatenate([fixed, log_sigmoid(classes.used).repeat(roles)])
        if self.mode == "soft":
            return np.float32(self.weight) * logs
        return np.where(np.exp(logs) < self.threshold, np.float32(-np.inf), np.float32(0.0))


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
