"""The heads over a reader's states: which items and fixed words the query has, and whether there is one at all.

After the classifiers of ChESQL («NL2SQL with bilevel vocabulary constraints»), which learn one domain's labels; these
score the state of an item, so that they read any schema. `learning` trains the same weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..encoders.functions import Floats, gelu, sigmoid, softmax
from ..encoders.weights import Weights

__all__ = ["Classes", "classify"]

_CARRIES = "carries"


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


def classify(weights: Weights, words: Floats, items: Floats) -> Classes:
    """Read the states of one question.

    Args:
        weights: of the layers ``used``, ``fixed_used``, ``fits.0`` and ``fits.2``, and ``carries`` where there is one.
        words: states of the question's own words, (words, width).
        items: states of the schema's items and the question's values, (items, width).
    """
    used = weights.linear("used", items)[:, 0]
    said = words.sum(0) / np.float32(max(1, len(words)))
    pooled = np.concatenate([said, softmax(used) @ items])
    fits = weights.linear("fits.2", gelu(weights.linear("fits.0", pooled)))
    carries = float(sigmoid(weights.linear(_CARRIES, said))[0]) if f"{_CARRIES}.weight" in weights.arrays else None
    return Classes(used, weights.linear("fixed_used", pooled), float(sigmoid(fits)[0]), carries)
