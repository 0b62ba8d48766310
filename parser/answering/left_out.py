"""What a question says and a query leaves out: values that it does not use, a share that it does not reckon."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...classifiers.intents import Intents
from ...data.schema.plain_names import plain_name
from ..decoding.candidates import Candidate
from ..reader.question import QuestionWords

__all__ = ["share_left_out", "values_left_out"]

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


def share_left_out(intents: Intents, question: QuestionWords, candidate: Candidate) -> bool:
    """Is a share asked for where a query neither reckons nor shows one: no quotient, no mean, no column called so?"""
    if not intents.asks_share((node.found.start, node.found.end) for node in question.values):
        return False
    if candidate.formulas or not {"/", "AVG"}.isdisjoint(candidate.words):
        return False
    columns = (word.rpartition(".")[2] for word in candidate.words if "." in word)
    return not any(intents.names_share(plain_name(column)) for column in columns)
