"""A question and a schema as the network encodes them, with or without earlier turns, and where its search starts."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from ...classifiers.heads import Classes
from ...grammar.decoding.state import Mask
from ...ner.index import FoundValue
from ..network.network import States
from ..normal_form import ShortConstraint
from ..reader.context import MAX_VALUES, DatabaseContext
from ..reader.formula_items import FormulaItems
from ..reader.inputs import Input
from ..reader.question import QuestionWords
from .candidates import slot_values
from .expansions.column_meanings import ColumnMeanings
from .expansions.formula_layer import FormulaLayer
from .expansions.formula_words import FormulaWords
from .expansions.meaning_layer import MeaningLayer
from .expansions.query_state import AnyState, ExpressionWords, QueryState


@dataclass(frozen=True)
class EncodedQuestion:
    """A question and a schema, encoded by the network.

    Attributes:
        question: the words and values of the question.
        input: the input of the network, with the items that it encodes.
        states: the encoder states of all nodes.
        classes: the predictions of the heads.
        places: the output index of each vocabulary word, (vocabulary,); -1 if the question cannot have the word.
        readable: the same, including the words that the network can read and never learnt to write.
    """

    question: QuestionWords
    input: Input
    states: States
    classes: Classes
    places: NDArray[np.int64]
    readable: NDArray[np.int64]


def outputs_of(open_: NDArray[np.bool_], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the output indices of the words that are possible for a question, -1 for all others.

    Args:
        open_: a mask of the possible outputs, (outputs,).
    """
    possible = np.append(open_, False)
    return np.where(possible[np.minimum(places, len(open_))] & (places >= 0), places, -1)


def with_constants(read: EncodedQuestion, constants: Sequence[FoundValue]) -> list[FoundValue]:
    """Return the values of a question followed by constants, at most as many as a query can have."""
    named = [node.found for node in read.question.values if node.found.how != "constant"]
    kept = constants[:MAX_VALUES]
    return [*named[: MAX_VALUES - len(kept)], *kept]


@contextmanager
def one_thread() -> Generator[None]:
    """Compute in one thread: more gain nothing for matrices this small, and on busy cores they wait for each other."""
    with _threads().limit(limits=1, user_api="blas"):
        yield


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


_ROOM = 40
"""The number of words beyond a query's budget that expanded comparisons may use."""


class ReadQuestion(Protocol):
    """A question with the vocabulary words that its query may use."""

    @property
    def question(self) -> QuestionWords:
        """Return the words and values of the question."""
        ...

    @property
    def places(self) -> NDArray[np.int64]:
        """Return the output index of each vocabulary word, -1 for those that the question cannot have."""
        ...


@dataclass(frozen=True)
class SearchStart:
    """The start of the search for the queries of one question.

    Attributes:
        constraint: the constraint on the vocabulary of the database alone.
        context: the context of the database, without the columns that the question adds.
        read: the question.
        items: the database with the columns that the question adds, None if it adds none.
    """

    constraint: ShortConstraint
    context: DatabaseContext
    read: ReadQuestion
    items: FormulaItems | None = None

    @cached_property
    def _expressions(self) -> ExpressionWords:
        return ExpressionWords(self.constraint, range(len(self.read.question.values), self.context.max_slots))

    @cached_property
    def formulas(self) -> FormulaWords | None:
        """Return the formulas as words."""
        return None if self.items is None else FormulaWords(self._expressions, self.items, self.read.question)

    @cached_property
    def meanings(self) -> ColumnMeanings | None:
        """Return the meanings of the question's values for each column, None if all values are compared literally."""
        meanings = ColumnMeanings(self._expressions, self.context, self.read.question)
        return meanings if meanings else None

    @property
    def slots(self) -> dict[str, str]:
        """Return the text of each slot's value: the question's values, then the constants of expressions."""
        return {**slot_values(self.read.question), **self._expressions.filled}

    @cached_property
    def available(self) -> Mask:
        """Return a mask of the words that the full query may use, including those of expanded expressions."""
        formulas, meanings = self.formulas, self.meanings  # both fill slots before the search begins
        mask: Mask = (self.read.places >= 0)[: len(self.constraint.vocabulary)]
        if formulas is not None:
            mask = (mask & ~formulas.closed) | formulas.needed
        return mask if meanings is None else mask | meanings.needed

    def state(self) -> AnyState:
        """Return the empty query.

        Raises:
            ConstraintError: no query can be written with the words that the question may use.
        """
        available, formulas, meanings = self.available, self.formulas, self.meanings
        budget = self.constraint.constraint.budget + (_ROOM if meanings is not None and meanings.needed.any() else 0)
        state = self.constraint.start(available, budget, values=self.slots)
        layer = None if meanings is None else MeaningLayer(self.constraint, meanings)
        beneath = state if layer is None else QueryState(layer, state)
        return beneath if formulas is None else QueryState(FormulaLayer(formulas, layer), beneath)
