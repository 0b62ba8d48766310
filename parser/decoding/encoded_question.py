"""A question and a schema as the network read them, and the ways to read: with what came before, alone, or both."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from ...classifiers.heads import Classes
from ...ner.index import FoundValue
from ..network.network import States
from ..reader.context import MAX_VALUES
from ..reader.history import NO_HISTORY, History
from ..reader.inputs import Input
from ..reader.question import QuestionWords
from .candidates import Candidate

__all__ = ["EncodedQuestion", "mixed", "one_thread", "outputs_of", "ways_to_read", "with_constants"]


@dataclass(frozen=True)
class EncodedQuestion:
    """A question and a schema, as the network read them.

    Attributes:
        question: its words and values.
        input: with the items that are read.
        states: of all nodes.
        classes: what the heads say.
        places: of the vocabulary's words among the outputs, (vocabulary,); -1 for those that this question cannot have.
        readable: those as well that the network never learnt to write, and can read.
    """

    question: QuestionWords
    input: Input
    states: States
    classes: Classes
    places: NDArray[np.int64]
    readable: NDArray[np.int64]


def outputs_of(open_: NDArray[np.bool_], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of the words that this question can have, -1 for all others.

    Args:
        open_: which outputs can be, (outputs,).
    """
    known = np.append(open_, False)
    return np.where(known[np.minimum(places, len(open_))] & (places >= 0), places, -1)


def with_constants(read: EncodedQuestion, constants: Sequence[FoundValue]) -> list[FoundValue]:
    """Return the values that a question names with constants behind them, as many as a query can have."""
    named = [node.found for node in read.question.values if node.found.how != "constant"]
    kept = constants[:MAX_VALUES]
    return [*named[: MAX_VALUES - len(kept)], *kept]


@contextmanager
def one_thread() -> Generator[None]:
    """Compute in one thread: for matrices this small more gain nothing, and on busy cores they wait for each other."""
    with _threads().limit(limits=1, user_api="blas"):
        yield


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


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
