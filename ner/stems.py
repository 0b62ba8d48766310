"""Words without their commonest endings, so that «cities» is the word «city»."""

from __future__ import annotations

import re

__all__ = ["STOP_WORDS", "stem"]

STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at by do does did for from has have how in is it its me of on or s show than that the their "
        "them there these they this to was were what when where which who whose with list give find all each every id "
        "的 是 了 在 和 有",
    )
)
"""Words that say nothing of a schema, as stems."""

_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"))
_CJK = re.compile(r"[\u3400-\u9fff]")


def stem(word: str) -> str:
    """Return an English word without its commonest endings, lower-cased; other words as they are, lower-cased.

    >>> [stem(w) for w in ("Cities", "classes", "ordered", "rating", "ratings", "airlines", "gas")]
    ['city', 'class', 'order', 'rat', 'rat', 'airline', 'gas']
    """
    word = word.lower()
    if _CJK.search(word) or len(word) < 4:
        return word
    for ending, put in _ENDINGS:
        if word.endswith(ending):
            word = word[: -len(ending)] + put
            break
    for ending in ("s", "ing", "ed"):  # of «paintings» both
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
    return word
