"""The predictions of the heads: which items and words a query has, and whether a query exists; and their constraint.

They follow the classifiers of ChESQL («NL2SQL with bilevel vocabulary constraints»), which learn the labels of one
domain; these score the state of an item and so work on any schema. The global constraint is made of their predictions;
it never closes keywords, operators and constants.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..encoders.functions import Floats, log_sigmoid, sigmoid


@dataclass(frozen=True)
class Classes:
    """The predictions of the heads for a question: logits and probabilities.

    Attributes:
        used: the logits that each item or value is in the query, (items,).
        fixed: the logits that each fixed word is in the query, (fixed words,).
        answerable: the probability that the question can be answered from this schema.
        carries: the probability that it needs the earlier turns; None if the network reads no turns.
    """

    used: Floats
    fixed: Floats
    answerable: float
    carries: float | None = None


Mode = Literal["hard", "soft", "off"]


@dataclass(frozen=True)
class GlobalConstraint:
    """The constraint that the predictions of the heads put on the words of a query.

    Attributes:
        mode: ``hard`` closes the words that are less likely than ``threshold``, ``soft`` adds ``weight`` times the
            logarithm of its probability to a word's logit, ``off`` leaves all words open.
    """

    mode: Mode = "soft"
    weight: float = 0.3
    threshold: float = 0.005

    def bias(self, classes: Classes, functions: NDArray[np.bool_], roles: int) -> Floats | None:
        """Return the bias of the logits of an output vocabulary, (fixed words + items * roles,); None for no bias.

        Args:
            classes: the predictions of the heads.
            functions: which fixed words are functions, (fixed words,).
            roles: the number of words of each item, which are neighbours in the vocabulary.
        """
        if self.mode == "off":
            return None
        fixed = np.where(functions, log_sigmoid(classes.fixed), np.float32(0.0))
        logs = np.concatenate([fixed, log_sigmoid(classes.used).repeat(roles)])
        if self.mode == "soft":
            return np.float32(self.weight) * logs
        return np.where(np.exp(logs) < self.threshold, np.float32(-np.inf), np.float32(0.0))


_CHOSEN = 0.5
"""The probability from which a label counts as chosen."""


@dataclass(frozen=True)
class Labels:
    """The predictions of the heads for one question, compared with its gold query.

    Attributes:
        hits: the counts of `hits` for each kind (table, column, function).
        found: whether all values of the gold query were found in the question.
        inside: whether all gold words are open under the hard global constraint.
        left: the share of the vocabulary that is open under it.
    """

    hits: Mapping[str, tuple[int, int, int]]
    found: bool
    inside: bool
    left: float


def hits(logits: Floats, needed: NDArray[np.bool_]) -> tuple[int, int, int]:
    """Return the numbers of labels that are chosen and needed, chosen, and needed, given (labels,)."""
    chosen = sigmoid(logits) > _CHOSEN
    return int((chosen & needed).sum()), int(chosen.sum()), int(needed.sum())


def label_scores(labels: Sequence[Labels], questions: int) -> dict[str, float]:
    """Return the F1 of each kind of label, and shares of all questions; a question without labels counts as outside."""
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
