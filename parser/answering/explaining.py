"""How the query of a question came about: what was read and found, and each word with what was refused beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.domains.dialogues import Turn
from ...data.errors import ConstraintError
from ...encoders.functions import sigmoid
from ...grammar import Word
from ...ner.index import FoundValue
from ..asking import USUAL, AskOptions
from ..decoding.candidates import Candidate
from ..decoding.encoded_question import EncodedQuestion, one_thread, with_constants
from ..decoding.parsing import SchemaParser
from ..decoding.slots import slot_values
from ..decoding.starting import StartingPoint
from ..normal_form import ShortConstraint
from ..reader.columns.formula_items import FormulaItems
from ..reader.context import DatabaseContext
from ..reader.question.history import NO_HISTORY, History
from ..reader.schema.output_vocabulary import function_names
from ..reader.schema.schema_pruning import pruned
from .answerer import Answerer
from .explanation import Explanation, RatedPart, ReadValue
from .replaying import replayed
from .unlinked import find_unlinked
from .weighed import Weighed, weighed

__all__ = ["explained", "explained_answer"]

LIKELY = 0.01
"""Probability from which a table, column or function is told though the query has it not."""


def explained_answer(
    answerer: Answerer,
    question: str,
    turns: Sequence[Turn] = (),
    options: AskOptions = USUAL,
    *,
    values: Sequence[FoundValue] | None = None,
) -> Explanation:
    """Explain the query that answers a question, whether or not it is sure enough to be shown.

    Args:
        turns, options, values: as it was asked with.
    """
    history, options = answerer.history(turns), replace(options, tell=None)
    parser, context, constraint = answerer.parser, answerer.context.as_called(question), answerer.constraint
    features: tuple[Weighed, ...] = ()
    try:
        found = answerer.consider(question, options, values=values, history=history, until_sure=True)
        history = history if found.leans() else NO_HISTORY
        chosen, linked, features = found.choices[0].candidate, found.linked, weighed(found, answerer.calibration)
        formulas, values = linked.offered(context), linked.values
    except ConstraintError:  # no query: what was read says why
        chosen = formulas = None
    if chosen is not None and chosen.like is not None:  # the queries of solved questions have none
        formulas = None
    read: dict[str, Any] = {"values": values, "formulas": formulas, "history": history}
    told = explained(parser, context, question, chosen, constraint=constraint, **read)
    return replace(told, features=features)


def explained(
    parser: SchemaParser,
    context: DatabaseContext,
    question: str,
    chosen: Candidate | None,
    *,
    constraint: ShortConstraint | None,
    values: Sequence[FoundValue] | None = None,
    formulas: FormulaItems | None = None,
    history: History = NO_HISTORY,
) -> Explanation:
    """Explain one of the queries that a parser made of a question.

    Args:
        chosen: the query, None if there is none.
        constraint: that it was written under.
        values: that the question was parsed with.
        formulas: the database with those that the query may have as words.
        history: what came before the question, as far as it was read.

    Raises:
        ConstraintError: the query was written under another constraint.
    """
    with one_thread():
        read = _read(parser, context, question, chosen, values=values, formulas=formulas, history=history)
        start = None
        if chosen is not None and constraint is not None:
            start = StartingPoint(constraint, context, read, formulas).state()
        context = context if formulas is None else formulas.context
        ids = None if chosen is None else chosen.ids
        steps = [] if ids is None else replayed(parser.network, context.vocabulary, read, ids, start)
        written = "" if chosen is None else "".join(chosen.words)
        unlinked = find_unlinked(read.question, context.items, parser.vectors, written=written).span
    parts = _Parts(parser, context, read, chosen)
    return Explanation(
        question=question,
        sql=chosen and chosen.sql,
        score=chosen and chosen.score,
        answerable=read.classes.answerable,
        unlinked=unlinked,
        values=parts.values(),
        tables=parts.tables(),
        columns=parts.columns(),
        functions=parts.functions(),
        words=int((read.places >= 0).sum()),
        vocabulary=len(context.vocabulary),
        level=None if constraint is None else constraint.constraint.level,
        steps=tuple(steps),
        virtual=() if formulas is None else tuple(str(one) for one in formulas.virtual),
    )


def _read(
    parser: SchemaParser,
    context: DatabaseContext,
    question: str,
    chosen: Candidate | None,
    *,
    values: Sequence[FoundValue] | None,
    formulas: FormulaItems | None,
    history: History,
) -> EncodedQuestion:
    """Read the question as it was read for the query."""
    read = parser.read(context, question, values, formulas, history)
    if chosen is None or chosen.like is None:
        return read
    if chosen.constants:
        read = parser.read(context, question, with_constants(read, chosen.constants))
    return replace(read, places=read.readable)


class _Parts:
    """What the classifiers say of the parts that a query may have, beside what it has."""

    def __init__(
        self, parser: SchemaParser, context: DatabaseContext, read: EncodedQuestion, chosen: Candidate | None
    ) -> None:
        self.context = context
        self.question = read.question
        self.written: list[Word] = [context.vocabulary.words[i] for i in (chosen.ids if chosen else ())]
        self._kept = pruned(read.question, context.items, parser.vectors)
        self._open: NDArray[np.bool_] = parser.network.seen
        used = sigmoid(read.classes.used).tolist()
        self._items, self._values = used[: len(self._kept)], used[read.states.items :]
        self._fixed: list[float] = sigmoid(read.classes.fixed).tolist()

    def values(self) -> tuple[ReadValue, ...]:
        """Return the values, in the order of their slots."""
        names = list(slot_values(self.question))
        written = {slot for word in self.written for slot in word.slots}
        found: list[ReadValue] = []
        for i, (node, share) in enumerate(zip(self.question.values, self._values, strict=True)):
            value, slots = node.found, tuple(name for name in names if name in (f"text{i}", f"number{i}"))
            columns = tuple(".".join(column) for column in value.columns)
            told = (value.text, value.value, value.kind, value.how)
            span = "" if value.span is None else str(value.span)
            found.append(ReadValue(*told, columns, slots, share, not written.isdisjoint(slots), span))
        return tuple(found)

    def tables(self) -> tuple[RatedPart, ...]:
        """Return the tables."""
        has = {word.table for word in self.written if word.kind in ("table", "alias")}
        items = [(self.context.items.items[i], share) for i, share in zip(self._kept, self._items, strict=True)]
        return _likely(RatedPart(item.table, share, item.table in has) for item, share in items if item.column is None)

    def columns(self) -> tuple[RatedPart, ...]:
        """Return the columns."""
        has = {(word.table, word.column) for word in self.written}
        items = [(self.context.items.items[i], share) for i, share in zip(self._kept, self._items, strict=True)]
        return _likely(
            RatedPart(f"{item.table}.{item.column}", share, (item.table, item.column) in has)
            for item, share in items
            if item.column is not None
        )

    def functions(self) -> tuple[RatedPart, ...]:
        """Return the functions of the dialect that the network writes."""
        has, names = {word.function for word in self.written}, function_names(self.context.grammar)
        return _likely(
            RatedPart(name, share, name in has)
            for name, share, may in zip(names, self._fixed, self._open, strict=True)
            if may and name is not None
        )


def _likely(parts: Iterable[RatedPart]) -> tuple[RatedPart, ...]:
    """Return the parts that are written or likely, the likeliest first."""
    return tuple(sorted((p for p in parts if p.written or p.probability >= LIKELY), key=lambda p: -p.probability))
