"""How alike what people call a thing is to the name that a database gives it: words, abbreviations, pinyin."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from rapidfuzz.distance import JaroWinkler

from ...data.schema.plain_names import plain_name
from ...ner.language.words import fold, is_cjk, stem, words_of

__all__ = ["are_initials", "covered", "shares", "spelled_alike", "tokens_of"]

_SMALL = frozenset({"of", "the", "a", "an", "in", "for", "to", "and", "per", "的"})
_SPELLED = 0.92
"""From here on two words are one with a letter mistaken."""


def shares(
    words: Sequence[str], named: Sequence[str], beside: Sequence[str], likeness: Callable[[str, str], float]
) -> tuple[list[float], list[float]]:
    """Return how surely each word is one of a name, and each of the name one of the words; an owner's count less."""
    said = [
        max(*(likeness(word, other) for other in named), *(0.8 * likeness(word, other) for other in beside), 0.0)
        for word in words
    ]
    return said, [max(likeness(word, other) for word in words) for other in named]


@lru_cache(maxsize=100_000)
def covered(word: str, other: str) -> float:
    """Return how surely two words are one: the same, an abbreviation, or a letter apart.

    >>> covered("revenue", "rev"), covered("quantity", "qnty") > 0.5, covered("cost", "coast") < 1
    (0.8, True, True)
    """
    if word == other:
        return 1.0
    short, long = sorted((word, other), key=len)
    if is_cjk(word) or len(short) < 2:
        return 0.0
    if len(short) >= 3 and long.startswith(short):
        return 0.8
    if short[0] == long[0] and len(short) <= 5 and _within(short, long) and len(short) >= len(long) / 3:
        return 0.6
    return 0.7 if len(short) > 4 and JaroWinkler.similarity(short, long) >= _SPELLED else 0.0


def _within(short: str, long: str) -> bool:
    """Do the letters of one word stand in the other, in order, none of them a vowel that the short one adds?"""
    letters = iter(long)
    return all(letter in letters for letter in short)


def are_initials(words: Sequence[str], named: Sequence[str]) -> bool:
    """Is the name made of the first letters of the alias's words, or the other way round?"""
    for several, one in ((words, named), (named, words)):
        letters = "".join(word[0] for word in several)
        if len(letters) > 1 and letters == "".join(one):
            return True
    return False


@lru_cache(maxsize=50_000)
def tokens_of(text: str) -> tuple[str, ...]:
    """Return the stems of a name's words, but for those of no weight, and its Chinese characters one by one."""
    parts = [part for word in plain_name(text).split() for part in words_of(word)]
    found = tuple(part if is_cjk(part) else stem(part) for part in parts)
    return tuple(part for part in found if part not in _SMALL) or found


def spelled_alike(alias: str, name: str) -> float:
    """Return how surely a name spells a Chinese alias: 1 in whole syllables, .7 by their first letters."""
    letters = re.sub(r"[\W\d_]+", "", fold(name))
    whole, first = _spelled(alias)
    if len(alias) < 2 or not whole:
        return 0.0
    if letters == whole:
        return 1.0
    if letters == first:
        return 0.7 if len(first) > 2 else 0.5
    return 0.8 if len(whole) > 5 and (letters.endswith(whole) or letters.startswith(whole)) else 0.0


@lru_cache(maxsize=20_000)
def _spelled(alias: str) -> tuple[str, str]:
    """Return an alias in pinyin, and its first letters."""
    from pypinyin import lazy_pinyin  # reads its dictionaries, which few need

    syllables = lazy_pinyin(alias, errors="ignore")
    return "".join(syllables), "".join(one[0] for one in syllables)
