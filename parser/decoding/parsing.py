"""Questions on one database into its n best queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...classifiers.heads import GlobalConstraint
from ...data.errors import ConstraintError
from ...data.sql.query import Query
from ...encoders.text_vectors import TextVectors
from ...grammar import EOS
from ...knowledge.linked_formulas import LinkedFormula
from ...ner.index import FoundValue
from ...ner.language.question import QuestionText
from ..network.network import Network
from ..normal_form import ShortConstraint
from ..reader.context import DatabaseContext
from ..reader.formula_items import FormulaItems
from ..reader.history import NO_HISTORY, History
from ..reader.inputs import MAX_COLUMNS, make_input, pruned
from ..reader.output_vocabulary import ROLES, function_words, remapped
from ..reader.profile import BUDGET
from ..reader.question import MAX_PIECES, QuestionWords, read_question
from .beam import C_co, Prefix, Unconstrained, Unrepeated, beam_search
from .candidates import (
    Candidate,
    comparisons,
    items_left_out,
    slot_values,
    slots_of,
    values_in,
    values_left_out,
)
from .encoded_question import EncodedQuestion, mixed, one_thread, outputs_of, ways_to_read, with_constants
from .rewritten import as_people_write, is_degenerate, with_joins_rewritten
from .solved import AlongTemplate, Neighbour, QueryTemplates, SolvedQuestions, interpolated, neighbour_share
from .starting import AnyState, StartingPoint

__all__ = ["Parse", "SchemaParser"]


@dataclass(frozen=True)
class Parse:
    """What a parser makes of a question.

    Attributes:
        question: as it was read.
        candidates: the best queries, the best first.
        answerable: probability that the database holds an answer at all.
        unwritten: formulas that the question may use and no query can hold, with the reason.
        carries: probability that the question needs what was asked before it; None of a network that reads no turns.
        history: that it was read with, if only in one of two ways.
    """

    question: QuestionWords
    candidates: list[Candidate]
    answerable: float
    unwritten: Mapping[LinkedFormula, str] = field(default_factory=dict[LinkedFormula, str])
    carries: float | None = None
    history: History = NO_HISTORY


class SchemaParser:
    """A network, and what its encoder has said of names and values so far.

    Args:
        network: reads and writes.
        global_constraint: how far the heads are followed.
    """

    def __init__(self, network: Network, *, global_constraint: GlobalConstraint | None = None) -> None:
        self.network = network
        self.vectors = TextVectors(network.encoder)
        self.global_constraint = global_constraint or GlobalConstraint()

    def prepare(self, context: DatabaseContext) -> None:
        """Read the names of a schema, or find what was made of them before, so that questions need not wait."""
        items = context.items
        with one_thread():
            if len(items) - items.tables > MAX_COLUMNS:
                self.vectors.prepare_kept(item.name for item in items.items)
            else:
                self.vectors.prepare_kept(text for item in items.items for text in item.texts)

    def parse(
        self,
        context: DatabaseContext,
        question: QuestionText,
        *,
        width: int = 4,
        constraint: ShortConstraint | None = None,
        values: Sequence[FoundValue] | None = None,
        solved: SolvedQuestions | None = None,
        formulas: FormulaItems | None = None,
        history: History = NO_HISTORY,
    ) -> Parse:
        """Return the best queries for a question.

        Args:
            width: queries wanted, and hypotheses followed.
            constraint: on the context's vocabulary; without it a query need not run, nor parse.
            values: what the question names; looked for where it is not told.
            solved: questions whose queries are written with this question's values, where they are like it; only with
                a constraint.
            formulas: the database with those that the question may use; without a constraint they stay words.
            history: what came before it; read where the network reads any, and the question may need it. Where it may
                do without, queries of both ways are there, as likely as their way is.

        Raises:
            ConstraintError: no query can be written with the words that the question may use.
        """
        own = context if formulas is None else formulas.context
        with one_thread():
            asked = self.read(context, question, values, formulas, history)
            ways = ways_to_read(asked, history, lambda: self.read(context, question, values, formulas))
            read, history = ways[0].read, ways[0].history
            starts = [constraint and StartingPoint(constraint, context, way.read, formulas) for way in ways]
            found = mixed(
                (replace(one, leans=bool(way.history)), way.share)
                for way, start in zip(ways, starts, strict=True)
                for one in self._candidates(own, way.read, width=width, start=start)
            )[:width]
            answerable = read.classes.answerable
            like = solved.neighbours(read.question.text) if solved is not None else ()
            if solved is not None and like and constraint is not None:
                plain = read if formulas is None else self.read(context, question, values)
                followed = self._filled_templates(context, plain, constraint, like, solved.templates)
                found = interpolated(found, [(near, replace(one, leans=bool(history))) for near, one in followed])
                answerable = max(answerable, neighbour_share([one.similarity for one, _ in followed]))
        if not found:
            raise ConstraintError("the words that this network writes make no query here", hint="train it further")
        unwritten = {} if starts[0] is None else starts[0].unwritten
        return Parse(read.question, found, answerable, unwritten, asked.classes.carries, history)

    def read(
        self,
        context: DatabaseContext,
        question: QuestionText,
        values: Sequence[FoundValue] | None = None,
        formulas: FormulaItems | None = None,
        history: History = NO_HISTORY,
    ) -> EncodedQuestion:
        """Read a question together with the schema, or with what of a large schema it may be about."""
        history = history if self.network.config.turns else NO_HISTORY
        named = history.beside(context.values(question, values))[: context.max_values]
        if formulas is not None:
            context, named = formulas.context, formulas.values(named)[: context.max_values]
        earlier = history.utterances
        found = read_question(question, named, self.network.encoder, earlier=earlier, max_pieces=MAX_PIECES)
        before = history.query(found, context)
        one = make_input(found, context.items, pruned(found, context.items, self.vectors), before)
        if len(one.kept) < len(context.items):  # of others all are there
            self.vectors.prepare_kept(text for n in one.kept.tolist() for text in context.items.items[n].texts)
        self.vectors.prepare(text for texts in one.texts() for text in texts)
        states = self.network.encode(one, self.vectors)
        bias = self.global_constraint.bias(states.classes, function_words(), ROLES)
        states = states if bias is None else replace(states, bias=states.bias + bias)
        places = remapped(context.outputs.places, one.kept, total=len(context.items), items=states.items)
        readable = np.concatenate([np.ones_like(self.network.seen), states.able.ravel()])
        told = outputs_of(~np.isneginf(states.bias), places), outputs_of(readable, places)
        return EncodedQuestion(found, one, states, states.classes, *told)

    def _candidates(
        self,
        context: DatabaseContext,
        read: EncodedQuestion,
        *,
        width: int,
        start: StartingPoint | None,
    ) -> list[Candidate]:
        if start is None:
            free = self._search(read, [Prefix(Unconstrained(read.places >= 0, BUDGET))], width)[0]
            slots = slot_values(read.question)
            queries = [_query(context, context.short.sql(_pairs(context, f.words)), slots) for f in free]
            return [_candidate(context, read, f, query) for f, query in zip(free, queries, strict=True)]
        # without the rule on repeats a caller has chosen to see what makes no sense, too
        steered = "repeats" in start.constraint.constraint.rules
        preferred = (Unrepeated.start(context.vocabulary, start.slots),) if steered else ()
        found = self._search(read, [Prefix(start.state(), preferred=preferred)], width)[0]
        written = [self._written(context, read, f, start.constraint, start) for f in found]
        asked = [one for one in written if not (steered and is_degenerate(one.query, context.keyed_columns))]
        return asked or written

    def _search(self, read: EncodedQuestion, starts: Sequence[Prefix[C_co]], width: int) -> list[list[Prefix[C_co]]]:
        return beam_search(self.network, read.states, starts, read.places, width=width)

    def _filled_templates(
        self,
        context: DatabaseContext,
        read: EncodedQuestion,
        constraint: ShortConstraint,
        like: Sequence[Neighbour],
        templates: QueryTemplates,
    ) -> list[tuple[Neighbour, Candidate]]:
        """Return the queries of solved questions with this question's values, as far as it has them."""
        told = tuple(dict.fromkeys(literal.found for one in like for literal in one.template.literals))
        if told:
            read = self.read(context, read.question.question, with_constants(read, told))
        read = replace(read, places=read.readable)
        start = constraint.start(read.places >= 0, values=slot_values(read.question))
        masks = [templates.masks(one.template, slots_of(read.question)) for one in like]
        found = self._search(read, [Prefix(start, (AlongTemplate(mask),)) for mask in masks], 1)
        return [
            (one, replace(self._written(context, read, f, constraint), like=one.question, constants=told))
            for one, some in zip(like, found, strict=True)
            for f in some
        ]

    def _written(
        self,
        context: DatabaseContext,
        read: EncodedQuestion,
        found: Prefix[AnyState],
        constraint: ShortConstraint,
        start: StartingPoint | None = None,
    ) -> Candidate:
        slots = slot_values(read.question) if start is None else start.slots
        query = _query(context, context.vocabulary.decode(found.constraint.sql_words), slots)
        available = read.places >= 0 if start is None else start.available
        joins = (context if start is None else start.context).joins  # kept where formulas add no columns
        made = _candidate(context, read, found, with_joins_rewritten(query, joins, constraint.constraint, available))
        formulas = None if start is None else start.formulas
        return made if formulas is None else replace(made, formulas=formulas.written(found.words))


def _query(context: DatabaseContext, slotted: str, slots: Mapping[str, str]) -> Query:
    return Query(slotted, context.grammar.dialect, values_in(slots))


def _candidate(context: DatabaseContext, read: EncodedQuestion, found: Prefix[Any], query: Query) -> Candidate:
    written = [context.vocabulary.words[i] for i in found.words]
    words = tuple(word.text for word in written)
    return Candidate(
        as_people_write(query, context.grammar.schema),
        found.score,
        words,
        values_left_out(read.question, words),
        items_left_out(read.classes.used, read.readable[list(found.words)]),
        len({word.table for word in written if word.kind in ("table", "alias")}),
        found.words,
        compared=tuple(comparisons(read.question, written)),
        repeats=np.array_equal(context.outputs.places[list(found.words)], read.input.before.places),
    )


def _pairs(context: DatabaseContext, words: tuple[int, ...]) -> list[tuple[str, str]]:
    return [(context.vocabulary.words[i].text, context.vocabulary.words[i].terminal) for i in words if i != EOS]
