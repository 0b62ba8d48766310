"""A question and a schema as the network read them, and which of its outputs the question can have."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from ...classifiers.heads import Classes
from ...ner.index import FoundValue
from ..network.network import States
from ..reader.context import MAX_VALUES
from ..reader.inputs import Input
from ..reader.question.question import QuestionWords

__all__ = ["EncodedQuestion", "one_thread", "outputs_of", "with_constants"]


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
