"""The global constraint: which tables, columns, values and functions a question can need.

After ChESQL («NL2SQL with bilevel vocabulary constraints»). Keywords, operators and constants are always open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..encoders.functions import Floats, log_sigmoid
from .heads import Classes

__all__ = ["GlobalConstraint", "Mode"]

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
