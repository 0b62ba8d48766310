"""The heads over a reader's states: which items and words a query has, and whether there is one.

After the classifiers of ChESQL («NL2SQL with bilevel vocabulary constraints»), which learn one domain's labels; these
score the state of an item, so that they read any schema. `learning` computes them. The global constraint is made of
what they say; keywords, operators and constants are always open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..encoders.functions import Floats, log_sigmoid

__all__ = ["ANSWERABLE", "UNLINKED", "Classes", "GlobalConstraint", "Mode", "unanswerable"]

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
