"""What a question says and a query leaves out: values that it does not use, and what the heads find in the question."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...encoders.functions import Floats
from ..reader.output_vocabulary import ROLES, fixed_words
from ..reader.question import QuestionWords

__all__ = ["items_left_out", "values_left_out"]

_SLOT = re.compile(r"\{(?:text|number)(\d+)\}")


def values_left_out(question: QuestionWords, words: Sequence[str]) -> float:
    """Return the sum of the scores of the values that no word writes.

    Of values that are said by the same words of the question one is enough.

    Args:
        words: of a query, short form, slots in braces.
    """
    best: dict[int, float] = {}
    said = [False] * question.asked
    for i in {int(slot[1]) for word in words for slot in _SLOT.finditer(word)}:
        node = question.values[i]
        said[node.first : node.last] = [True] * (node.last - node.first)
    for node in question.values:
        if not any(said[node.first : node.last]):
            best[node.first] = max(best.get(node.first, 0.0), node.found.score)
    return sum(best.values())


def items_left_out(used: Floats, places: NDArray[np.int64]) -> float:
    """Return the log-odds by which the heads want items and values that a query does without, added up.

    Args:
        used: what they say of each item and value, (items,).
        places: of the query's words among the outputs.
    """
    fixed = len(fixed_words())
    without = np.ones(len(used), np.bool_)
    without[(places[places >= fixed] - fixed) // ROLES] = False
    return float(np.maximum(used[without], 0).sum())
