"""The heads over a reader's states: which items and fixed words the query has, and whether there is one at all.

After the classifiers of ChESQL («NL2SQL with bilevel vocabulary constraints»), which learn one domain's labels; these
score the state of an item, so that they read any schema. `learning` computes them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..encoders.functions import Floats

__all__ = ["Classes"]


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
