"""Words: a question cut into units, words without endings, and those that name nothing."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .keys import CJK

__all__ = [
    "SCHEMA_STOP_WORDS",
    "STOP_CJK",
    "STOP_WORDS",
    "Unit",
    "function_words_in",
    "meanings_of",
    "stem",
    "stems_of",
    "units",
]

SCHEMA_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at by do does did for from has have how in is it its me of on or s show than that the their "
        "them there these they this to was were what when where which who whose with list give find all each every id "
        "的 是 了 在 和 有",
    )
)
"""Words that say nothing of a schema, as stems."""

_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"))
_CJK_LETTER = re.compile(r"[\u3400-\u9fff]")


def stem(word: str) -> str:
    """Return an English word without its commonest endings, lower-cased; other words as they are, lower-cased.

    >>> [stem(w) for w in ("Cities", "classes", "ordered", "rating", "ratings", "airlines", "gas")]
    ['city', 'class', 'order', 'rat', 'rat', 'airline', 'gas']
    """
    word = word.lower()
    if _CJK_LETTER.search(word) or len(word) < 4:
        return word
    for ending, put in _ENDINGS:
        if word.endswith(ending):
            word = word[: -len(ending)] + put
            break
    for ending in ("s", "ing", "ed"):  # of «paintings» both
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
    return word


_UNIT = re.compile(rf"[{CJK}]|\d+(?:\.\d+)*|[^\W\d_{CJK}]+|\S")


@dataclass(frozen=True)
class Unit:
    """One CJK character, word, run of digits (dots inside kept) or other sign; ``text`` as written."""

    text: str
    start: int
    end: int


def units(question: str) -> list[Unit]:
    """Cut a question into units, in order; white space is in none of them.

    >>> [u.text for u in units("患者78591362, Top10 at 7.5")]
    ['患', '者', '78591362', ',', 'Top', '10', 'at', '7.5']
    """
    return [Unit(match[0], match.start(), match.end()) for match in _UNIT.finditer(question)]


def stems_of(text: str) -> list[str]:
    """Return the stems of a text's units."""
    return [stem(unit.text) for unit in units(text)]


_WORDS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))

STOP_WORDS, STOP_CJK = frozenset(_WORDS["stop_words"].split()), frozenset(_WORDS["stop_words_zh"].split())

_ANY = re.compile("|".join(sorted(_WORDS["function_words"].split(), key=len, reverse=True)))
"""Function words of Chinese, the longest first."""


def function_words_in(text: str) -> list[tuple[int, int]]:
    """Return where function words stand, of those that begin at one place the longest.

    >>> function_words_in("有哪些仓库")
    [(0, 1), (1, 3)]
    """
    return [match.span() for match in _ANY.finditer(text)]


def meanings_of(said: str) -> tuple[str, ...]:
    """Return what a cell may say for folded words.

    >>> meanings_of("french")
    ('France',)
    """
    return tuple(_WORDS["meanings"].get(said, ()))
