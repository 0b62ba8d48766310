"""Parses questions on one database into n-best lists of queries: encodes each, and searches under its constraint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...classifiers.heads import Classes, GlobalConstraint
from ...data.errors import ConstraintError
from ...data.sql.query import Query
from ...encoders.functions import one_thread
from ...encoders.text_vectors import TextVectors
from ...grammar import EOS
from ...grammar.decoding.state import Mask
from ...knowledge.linked_formulas import LinkedFormula
from ...ner.index import FoundValue
from ...ner.language.question import QuestionText
from ..network.network import Network, States
from ..normal_form import ShortConstraint
from ..reader.context import MAX_VALUES, DatabaseContext
from ..reader.formula_items import FormulaItems
from ..reader.inputs import MAX_COLUMNS, Input, make_input, pruned
from ..reader.output_vocabulary import ROLES, function_words, remapped
from ..reader.profile import BUDGET
from ..reader.question import MAX_PIECES, QuestionWords, read_question
from .beam import C_co, NoRepeat, Prefix, Unconstrained, beam_search
from .candidates import (
    Candidate,
    comparisons,
    items_left_out,
    shows_given,
    slot_values,
    slots_of,
    to_plain_sql,
    values_in,
    values_left_out,
    with_joins_rewritten,
)
from .expansions.column_meanings import ColumnMeanings
from .expansions.formula_layer import FormulaLayer
from .expansions.formula_words import FormulaWords
from .expansions.meaning_layer import MeaningLayer
from .expansions.query_state import AnyState, ExpressionWords, QueryState
from .history import NO_HISTORY, History
from .solved import Neighbour, QueryTemplates, SolvedQuestions, TemplateProcessor, interpolate, neighbour_share


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


def _outputs_of(open_: NDArray[np.bool_], places: NDArray[np.int64]) -> NDArray[np.int64]:
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


_ROOM = 40
"""The number of words beyond a query's budget that expanded comparisons may use."""


@dataclass(frozen=True)
class SearchStart:
    """The start of the search for the queries of one question.

    Attributes:
        constraint: the constraint on the vocabulary of the database alone.
        context: the context of the database, without the columns that the question adds.
        question: the words and values of the question.
        places: the output index of each vocabulary word, -1 for those that the question cannot have.
        extended: the database with the columns that the question adds, None if it adds none.
    """

    constraint: ShortConstraint
    context: DatabaseContext
    question: QuestionWords
    places: NDArray[np.int64]
    extended: FormulaItems | None = None

    @cached_property
    def _expressions(self) -> ExpressionWords:
        return ExpressionWords(self.constraint, range(len(self.question.values), self.context.max_slots))

    @cached_property
    def formulas(self) -> FormulaWords | None:
        """Return the formulas as words."""
        return None if self.extended is None else FormulaWords(self._expressions, self.extended, self.question)

    @cached_property
    def meanings(self) -> ColumnMeanings | None:
        """Return the meanings of the question's values for each column, None if all values are compared literally."""
        meanings = ColumnMeanings(self._expressions, self.context, self.question)
        return meanings if meanings else None

    @property
    def slots(self) -> dict[str, str]:
        """Return the text of each slot's value: the question's values, then the constants of expressions."""
        return {**slot_values(self.question), **self._expressions.filled}

    @cached_property
    def available(self) -> Mask:
        """Return a mask of the words that the full query may use, including those of expanded expressions."""
        formulas, meanings = self.formulas, self.meanings  # both fill slots before the search begins
        mask: Mask = (self.places >= 0)[: len(self.constraint.vocabulary)]
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


CARRIES = 0.5
"""The least probability that a question needs the earlier turns with which it is read together with them."""


@dataclass(frozen=True)
class Parse:
    """The n-best list of a question, with predictions about the question.

    Attributes:
        question: the question in the words of the network.
        candidates: the best queries, the best first.
        answerable: the probability that the database holds an answer.
        unwritten: the formulas that the question may use and no query can contain, with the reason.
        carries: the probability that the question needs the earlier turns; None if the network reads no turns.
        history: the history that the question was encoded with.
    """

    question: QuestionWords
    candidates: list[Candidate]
    answerable: float
    unwritten: Mapping[LinkedFormula, str] = field(default_factory=dict[LinkedFormula, str])
    carries: float | None = None
    history: History = NO_HISTORY


class SchemaParser:
    """Turns a question into its n best queries; keeps the encoder's vectors of names and values.

    Args:
        network: the network that encodes questions and decodes queries.
        global_constraint: the constraint made of the heads' predictions.
    """

    def __init__(self, network: Network, *, global_constraint: GlobalConstraint | None = None) -> None:
        self.network = network
        self.vectors = TextVectors(network.encoder)
        self.global_constraint = global_constraint or GlobalConstraint()

    def prepare(self, context: DatabaseContext) -> None:
        """Encode the names of a schema, or load their cached vectors, so that questions need not wait for them."""
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
        extended: FormulaItems | None = None,
        history: History = NO_HISTORY,
    ) -> Parse:
        """Return the best queries for a question.

        Args:
            width: the number of queries wanted, and the beam width.
            constraint: the constraint on the context's vocabulary; without it a query need not run, nor even parse.
            values: the values that the question names; None to look them up.
            solved: solved questions, whose templates are filled with values of this one; only with a constraint.
            extended: the database with the formulas that the question may use; only a constraint writes them out.
            history: the earlier turns, ignored by a network that reads none, and by a question that stands alone.

        Raises:
            ConstraintError: no query can be written with the words that the question may use.
        """
        own = context if extended is None else extended.context
        with one_thread():
            read = self.read(context, question, values, extended, history)
            carries = read.classes.carries
            if history and carries is not None and carries < CARRIES:
                read, history = self.read(context, question, values, extended), NO_HISTORY
            start = constraint and SearchStart(constraint, context, read.question, read.places, extended)
            best = self._candidates(own, read, width=width, start=start)
            answerable = read.classes.answerable
            like = solved.neighbours(read.question.text) if solved is not None else ()
            if solved is not None and like and constraint is not None:
                plain = read if extended is None else self.read(context, question, values)
                followed = self._filled_templates(context, plain, constraint, like, solved.templates)
                best = interpolate(best, followed)
                answerable = max(answerable, neighbour_share([near.similarity for near, _ in followed]))
        if not best:
            raise ConstraintError("the words that this network writes make no query here", hint="train it further")
        best = [replace(query, leans=bool(history)) for query in best]
        unwritten = {} if start is None or start.formulas is None else start.formulas.unwritten
        return Parse(read.question, best, answerable, unwritten, carries, history)

    def read(
        self,
        context: DatabaseContext,
        question: QuestionText,
        values: Sequence[FoundValue] | None = None,
        extended: FormulaItems | None = None,
        history: History = NO_HISTORY,
    ) -> EncodedQuestion:
        """Encode a question together with the schema, a large schema being pruned to the items it may be about."""
        history = history if self.network.config.turns else NO_HISTORY
        named = history.beside(context.values(question, values))[: context.max_values]
        if extended is not None:
            context, named = extended.context, extended.values(named)[: context.max_values]
        earlier = history.utterances
        words = read_question(question, named, self.network.encoder, earlier=earlier, max_pieces=MAX_PIECES)
        before = history.query(words, context)
        one = make_input(words, context.items, pruned(words, context.items, self.vectors), before)
        if len(one.kept) < len(context.items):  # the vectors of a schema that is not pruned are prepared
            self.vectors.prepare_kept(text for n in one.kept.tolist() for text in context.items.items[n].texts)
        self.vectors.prepare(text for texts in one.texts() for text in texts)
        states = self.network.encode(one, self.vectors)
        bias = self.global_constraint.bias(states.classes, function_words(), ROLES)
        states = states if bias is None else replace(states, bias=states.bias + bias)
        places = remapped(context.outputs.places, one.kept, total=len(context.items), items=states.items)
        readable = np.concatenate([np.ones_like(self.network.seen), states.able.ravel()])
        places = _outputs_of(~np.isneginf(states.bias), places), _outputs_of(readable, places)
        return EncodedQuestion(words, one, states, states.classes, *places)

    def _candidates(
        self, context: DatabaseContext, read: EncodedQuestion, *, width: int, start: SearchStart | None
    ) -> list[Candidate]:
        if start is None:
            values, dialect = values_in(slot_values(read.question)), context.grammar.dialect
            candidates = list[Candidate]()
            for free in self._search(read, [Prefix(Unconstrained(read.places >= 0, BUDGET))], width)[0]:
                words = [context.vocabulary.words[i] for i in free.ids if i != EOS]
                text = context.short.sql((word.text, word.terminal) for word in words)
                candidates.append(_candidate(context, read, free, Query(text, dialect, values)))
            return candidates
        # a caller that switches the rule on repeats off wants queries that nobody means, too
        steered = "repeats" in start.constraint.constraint.rules
        preferred = (NoRepeat.start(context.vocabulary, start.slots),) if steered else ()
        prefixes = self._search(read, [Prefix(start.state(), preferred=preferred)], width)[0]
        written = [self._written(context, read, prefix, start.constraint, start) for prefix in prefixes]
        return [one for one in written if not (steered and shows_given(one.query))] or written

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
        """Return the queries that fill the templates of solved questions with values of this question."""
        constants = tuple(dict.fromkeys(constant for near in like for constant in near.template.constants))
        if constants:
            read = self.read(context, read.question.question, with_constants(read, constants))
        read = replace(read, places=read.readable)
        start = constraint.start(read.places >= 0, values=slot_values(read.question))
        masks = [templates.masks(near.template, slots_of(read.question)) for near in like]
        results = self._search(read, [Prefix(start, (TemplateProcessor(mask),)) for mask in masks], 1)
        return [
            (near, replace(self._written(context, read, f, constraint), like=near.question, constants=constants))
            for near, prefixes in zip(like, results, strict=True)
            for f in prefixes
        ]

    def _written(
        self,
        context: DatabaseContext,
        read: EncodedQuestion,
        found: Prefix[AnyState],
        constraint: ShortConstraint,
        start: SearchStart | None = None,
    ) -> Candidate:
        slots = slot_values(read.question) if start is None else start.slots
        text = context.vocabulary.decode(found.constraint.sql_words)
        query = Query(text, context.grammar.dialect, values_in(slots))
        available = read.places >= 0 if start is None else start.available
        joins = (context if start is None else start.context).joins  # kept where formulas add no columns
        made = _candidate(context, read, found, with_joins_rewritten(query, joins, constraint.constraint, available))
        formulas = None if start is None else start.formulas
        return made if formulas is None else replace(made, formulas=formulas.written(found.ids))


def _candidate(context: DatabaseContext, read: EncodedQuestion, found: Prefix[Any], query: Query) -> Candidate:
    written = [context.vocabulary.words[i] for i in found.ids]
    words = tuple([word.text for word in written])
    return Candidate(
        to_plain_sql(query, context.grammar.schema),
        found.score,
        words,
        values_left_out(read.question, words),
        items_left_out(read.classes.used, read.readable[list(found.ids)]),
        len({word.table for word in written if word.kind in ("table", "alias")}),
        found.ids,
        compared=tuple(comparisons(read.question, written)),
        repeats=np.array_equal(context.outputs.places[list(found.ids)], read.input.before.places),
    )
