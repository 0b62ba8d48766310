"""The older was born earlier: what a question about the oldest says against a query that sorts by births."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["against_ages"]

_OLDEST = re.compile(r"\b(?:oldest|eldest)\b|年龄最大|年纪最大|最年长|最老", re.IGNORECASE)
_YOUNGEST = re.compile(r"\byoungest\b|年龄最小|年纪最小|最年轻", re.IGNORECASE)
_BIRTH = re.compile(r"birth|born|(?:\b|_)dob\b|出生|生日|生于", re.IGNORECASE)


def against_ages(question: str, words: Sequence[str]) -> int:
    """Return how often a query sorts births, or takes their first or last, the wrong way round.

    Of a question that names both ends, as «from the oldest to the youngest», nothing is known.

    Args:
        words: of the query, short form.
    """
    oldest = bool(_OLDEST.search(question))
    if oldest == bool(_YOUNGEST.search(question)):
        return 0
    found = 0
    for i, word in enumerate(words):
        if not _BIRTH.search(word.rpartition(".")[2]):
            continue
        last_first = list(words[i + 1 : i + 2]) == ["DESC"]
        sorts = list(words[i - 2 : i]) == ["ORDER", "BY"] and last_first == oldest
        takes = list(words[i - 2 : i]) == ["MAX" if oldest else "MIN", "("]
        found += sorts or takes
    return found
