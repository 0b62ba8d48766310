"""The ways to read a question of a conversation: with what came before it, alone, or both where that is open."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from ..reader.question.history import NO_HISTORY, History
from .candidates import Candidate
from .encoded_question import EncodedQuestion

__all__ = ["CARRIES", "ReadingWay", "mixed", "ways_to_read"]

CARRIES = (0.1, 0.9)
"""Probabilities that a question needs what was asked before it, between which it is read both ways; below the first it
is read as if it stood alone."""


@dataclass(frozen=True)
class ReadingWay:
    """One way to read a question.

    Attributes:
        history: that it is read with.
        share: how likely it is meant so, of all ways.
    """

    read: EncodedQuestion
    history: History
    share: float


def ways_to_read(asked: EncodedQuestion, history: History, alone: Callable[[], EncodedQuestion]) -> list[ReadingWay]:
    """Return the ways to read a question, the one with what came before it first.

    Args:
        asked: the question, read with its history.
        alone: reads it without.
    """
    carries = asked.classes.carries
    if not history or carries is None or carries >= CARRIES[1]:
        return [ReadingWay(asked, history, 1.0)]
    if carries < CARRIES[0]:
        return [ReadingWay(alone(), NO_HISTORY, 1.0)]
    return [ReadingWay(asked, history, carries), ReadingWay(alone(), NO_HISTORY, 1 - carries)]


def mixed(shares: Iterable[tuple[Candidate, float]]) -> list[Candidate]:
    """Return the queries of all ways to read a question, the likeliest first and each once.

    Args:
        shares: each with the share of its way; a query of two ways is one of the way in which it is likelier.
    """
    score = attrgetter("score")
    found: dict[str, Candidate] = {}
    for one in sorted((replace(one, score=one.score + math.log(share)) for one, share in shares), key=score):
        other = found.get(one.sql)
        both = one.score if other is None else float(np.logaddexp(one.score, other.score))
        found[one.sql] = replace(one, score=both)
    return sorted(found.values(), key=score, reverse=True)
