"""The start of a search: the empty query under the constraint, the meanings of columns, and formulas as words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...grammar.decoding.state import Mask
from ..normal_form import ShortConstraint
from ..reader.context import DatabaseContext
from ..reader.formula_items import FormulaItems
from ..reader.question import QuestionWords
from .candidates import slot_values
from .expansions.column_meanings import ColumnMeanings
from .expansions.formula_layer import FormulaLayer
from .expansions.formula_words import FormulaWords
from .expansions.meaning_layer import MeaningLayer
from .expansions.query_state import AnyState, ExpressionWords, QueryState

__all__ = ["ReadQuestion", "SearchStart"]

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
