"""The global constraint: which tables, columns, values and functions a question can need.

After ChESQL («NL2SQL with bilevel vocabulary constraints»). Its classifiers are heads on the states of the reader here,
so that they work on any schema. Keywords, operators and constants are always open.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import torch
from torch import Tensor

from ...data.schema import Column, Schema, Table
from ...grammar import Grammar
from ..reader.network import Classes
from ..reader.words import ROLES, fixed_words

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

    def bias(self, classes: Classes) -> Tensor | None:
        """Return what is added to the logits of the row of words of one question, (words,); None for nothing."""
        if self.mode == "off":
            return None
        used = torch.nn.functional.logsigmoid(classes.used[0]).repeat_interleave(ROLES)
        fixed = torch.where(functions(), torch.nn.functional.logsigmoid(classes.fixed[0]), 0.0)
        logs = torch.cat([fixed, used])
        if self.mode == "soft":
            return self.weight * logs
        return torch.zeros_like(logs).masked_fill(logs.exp() < self.threshold, -torch.inf)


@lru_cache
def functions() -> Tensor:
    """Say which fixed words are functions, (fixed words,)."""
    schema = Schema((Table("t", (Column("c"),)),))
    names = {
        n for dialect in ("sqlite", "mysql", "postgres") for n in Grammar.for_schema(schema, dialect=dialect).functions
    }
    return torch.tensor([text in names for text, _ in fixed_words()])
