"""What somebody says to a question back: the label of an option, which one it is, or something else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from rapidfuzz import fuzz, process, utils

from ..data.answer import Answer, Clarification, Option
from ..data.values.numerals import CHINESE_DIGITS, ENGLISH_ORDINALS
from ..ner.units import units

__all__ = ["asked_again", "chosen_option", "may_choose"]

_ALIKE = 88.0
"""Likeness of letters, of 100, from which a text is a label."""

_ROWS = 3
"""Shown of each option that is offered again."""

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


def asked_again(last: Answer, answer: Answer, ask: Callable[[Option], Answer]) -> Answer:
    """Ask back once more where the next question leans on a value that is not there, and nobody said which was meant.

    Args:
        last: the answer before.
        answer: the next one.
        ask: answers the next question as if that option had been chosen.
    """
    asked = last.clarification
    if asked is None or asked.kind != "near" or answer.clarification is not None or answer.reason != last.reason:
        return answer
    found = [(option.label, ask(option)) for option in asked.options]
    options = tuple(
        Option(label, one.sql, one.columns, one.rows[:_ROWS])
        for label, one in found
        if one.sql is not None and one.status != "error"
    )
    return replace(answer, clarification=replace(asked, options=options)) if options else answer
