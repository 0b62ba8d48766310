"""The empty query of a question, under all that holds of it: the constraint, what columns mean, formulas as words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...grammar.decoding.state import Mask
from ...knowledge.linked_formulas import LinkedFormula
from ..normal_form import ShortConstraint, ShortState
from ..reader.context import DatabaseContext
from ..reader.formula_items import FormulaItems
from ..reader.question import QuestionWords
from .candidates import slot_values
from .expansions.column_meanings import ColumnMeanings
from .expansions.expression_words import ExpressionWords, FreeSlots
from .expansions.formula_layer import FormulaLayer
from .expansions.formula_words import FormulaWords
from .expansions.meaning_layer import MeaningLayer
from .expansions.query_state import QueryState

__all__ = ["AnyState", "ReadQuestion", "StartingPoint"]

AnyState: TypeAlias = ShortState | QueryState
"""A query so far, with or without words that stand for others."""

_ROOM = 40
"""Words beyond the budget of a query in which comparisons are written out."""


class ReadQuestion(Protocol):
    """A question with the words that it may use."""

    @property
    def question(self) -> QuestionWords:
        """Return its words and values."""
        ...

    @property
    def places(self) -> NDArray[np.int64]:
        """Return for each word of the vocabulary where it stands, -1 for those that the question cannot have."""
        ...


@dataclass(frozen=True)
class StartingPoint:
    """What a query of one question begins with.

    Attributes:
        constraint: on the vocabulary of the database alone.
        context: of the database, without what the question adds.
        read: the question.
        items: the database with the columns that the question adds to it, None of none.
    """

    constraint: ShortConstraint
    context: DatabaseContext
    read: ReadQuestion
    items: FormulaItems | None = None

    @cached_property
    def _expressions(self) -> ExpressionWords:
        return ExpressionWords(self.constraint, FreeSlots.of(self.read.question, self.context.max_slots))

    @cached_property
    def formulas(self) -> FormulaWords | None:
        """Return the formulas as words."""
        return None if self.items is None else FormulaWords(self._expressions, self.items, self.read.question)

    @cached_property
    def meanings(self) -> ColumnMeanings | None:
        """Return what values mean beside columns, None where they mean no more than they say."""
        found = ColumnMeanings(self._expressions, self.context, self.read.question)
        return found if found else None

    @property
    def unwritten(self) -> Mapping[LinkedFormula, str]:
        """Return the formulas that no query can hold, with the reason."""
        return {} if self.formulas is None else self.formulas.unwritten

    @property
    def slots(self) -> dict[str, str]:
        """Return what fills each slot: the question's values, then the constants of expressions."""
        return {**slot_values(self.read.question), **self._expressions.free.filled}

    @cached_property
    def available(self) -> Mask:
        """Return the words of the full query that the question may use, those of expressions among them."""
        formulas, meanings = self.formulas, self.meanings  # both fill slots before the query begins
        found: Mask = (self.read.places >= 0)[: len(self.constraint.vocabulary)]
        if formulas is not None:
            found = (found & ~formulas.closed) | formulas.needed
        return found if meanings is None else found | meanings.needed

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
