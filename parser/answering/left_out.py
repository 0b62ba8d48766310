"""What a question says and a query leaves out: values that it does not use."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..reader.question.question import QuestionWords

__all__ = ["values_left_out"]

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
