"""Where a question says names of tables and columns: name-based linking (Wang et al. 2020, RAT-SQL, section 3.3)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....ner.stems import STOP_WORDS

__all__ = ["EXACT", "NO_MATCH", "PARTIAL", "match_names"]

NO_MATCH, PARTIAL, EXACT = 0, 1, 2

_CJK = re.compile(r"[\u3400-\u9fff]")


def match_names(words: Sequence[str], names: Sequence[Sequence[str]]) -> NDArray[np.uint8]:
    """Say where the words of a question are a whole name (`EXACT`) or a word of one (`PARTIAL`).

    Args:
        words: stems of the question's words; Chinese ones are single characters.
        names: the stems of each name's words; Chinese ones are single characters.

    Returns:
        shape (words, names).
    """
    found = np.zeros((len(words), len(names)), np.uint8)
    places: dict[str, list[int]] = {}
    for i, word in enumerate(words):
        places.setdefault(word, []).append(i)
    for j, name in enumerate(names):
        if places.keys().isdisjoint(name):
            continue
        for word in name:
            if word in places and word not in STOP_WORDS and (len(word) > 1 or word.isdigit()):
                found[places[word], j] = PARTIAL
        _mark_runs(found[:, j], words, name, places)
    return found


def _mark_runs(
    column: NDArray[np.uint8], words: Sequence[str], name: Sequence[str], places: dict[str, list[int]]
) -> None:
    """Mark whole names, and of Chinese ones every run of two characters or more."""
    size = len(name)
    if not size:
        return
    for start in places.get(name[0], []):
        if list(words[start : start + size]) == list(name) and not (size == 1 and name[0] in STOP_WORDS - {"id"}):
            column[start : start + size] = EXACT
    for at in range(size - 1):
        if _CJK.match(name[at]):
            for start in places.get(name[at], []):
                if words[start + 1 : start + 2] == [name[at + 1]]:
                    column[start : start + 2] = np.maximum(column[start : start + 2], PARTIAL)
