"""What somebody says to a question back: the label of an option, or which one it is."""

from __future__ import annotations

from itertools import pairwise

from rapidfuzz import fuzz, process, utils

from ..answers.answer import Clarification
from ..data.values.numerals import CHINESE_DIGITS, ENGLISH_ORDINALS
from ..ner.language.words import units

__all__ = ["chosen_option", "may_choose"]

_ALIKE = 88.0
"""Likeness of letters, of 100, from which a text is a label."""

_WORDS = 4
"""Of a text that says which one and nothing else: «the second one please»."""


def may_choose(text: str) -> bool:
    """Say whether a text is short enough to say which option is meant."""
    return len(units(text)) <= _WORDS


def chosen_option(text: str, asked: Clarification) -> int | None:
    """Return the place of the option that a text names, from 0; None where it is another question.

    >>> asked = Clarification("near", "…", (Option("Oslo", "…"), Option("Lisbon", "…")))
    >>> [chosen_option(text, asked) for text in ("lisbon", "the second one", "第二个", "how many are there?")]
    [1, 1, 1, None]
    """
    labels = [option.label for option in asked.options]
    like = process.extractOne(text, labels, scorer=fuzz.ratio, processor=utils.default_process, score_cutoff=_ALIKE)
    if like is not None:
        return like[2]
    words = [unit.text.lower() for unit in units(text)]
    which = [ENGLISH_ORDINALS[word] for word in words if word in ENGLISH_ORDINALS]
    which += [CHINESE_DIGITS[word] for th, word in pairwise(words) if th == "第" and word in CHINESE_DIGITS]
    if len(which) != 1 or not may_choose(text):
        return None
    place = which[0] - 1
    return place if 0 <= place < len(labels) else None
