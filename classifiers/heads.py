"""The heads over a reader's states: which items and fixed words the query has, and whether there is one at all.

After the classifiers of ChESQL («NL2SQL with bilevel vocabulary constraints»), which learn one domain's labels; these
score the state of an item, so that they read any schema. `learning` computes them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..encoders.functions import Floats

__all__ = ["ANSWERABLE", "UNLINKED", "Classes", "unanswerable"]

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
