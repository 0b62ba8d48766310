"""The global constraint: which tables, columns, values and functions a question can need.

After ChESQL («NL2SQL with bilevel vocabulary constraints»). Its classifiers are heads on the states of the reader here,
so that they work on any schema. Keywords, operators and constants are always open.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...data.schema.schema import Column, Schema, Table
from ...encoders.functions import Floats, log_sigmoid
from ...grammar import Grammar
from ..reader.network import Classes
from ..reader.words import ROLES, SPARE, fixed_words

__all__ = ["GlobalConstraint", "Mode", "functions"]

Mode = Literal["hard", "soft", "off"]


@dataclass(frozen=True)
class GlobalConstraint:
    """How far the classifiers are followed.

    Attributes:
        mode: ``hard`` closes what is less likely than ``threshold``, ``soft`` adds ``weight`` times the logarithm of
            its probability to a word's logit, ``off`` leaves all words open.
    """

    mode: Mode = "soft"
    weight: float = 0.3
    threshold: float = 0.005

    def bias(self, classes: Classes) -> Floats | None:
        """Return what is added to the logits of the row of words of one question, (words,); None for nothing."""
        if self.mode == "off":
            return None
        used = log_sigmoid(classes.used).repeat(ROLES)
        fixed = np.where(functions(), log_sigmoid(classes.fixed), np.float32(0.0))
        logs = np.concatenate([fixed, used])
        if self.mode == "soft":
            return np.float32(self.weight) * logs
        return np.where(np.exp(logs) < self.threshold, np.float32(-np.inf), np.float32(0.0))


@lru_cache
def functions() -> NDArray[np.bool_]:
    """Say which fixed words are functions, (fixed words,)."""
    schema = Schema((Table("t", (Column("c"),)),))
    names = {
        n for dialect in ("sqlite", "mysql", "postgres") for n in Grammar.for_schema(schema, dialect=dialect).functions
    }
    spare = len(fixed_words()) - SPARE
    return np.array([text in names or place >= spare for place, (text, _) in enumerate(fixed_words())])
