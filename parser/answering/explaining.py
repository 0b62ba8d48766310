"""Explains how the query of a question came about: the linked parts, and each word with the words refused in its place.

The query is replayed for that: the network is fed its words (teacher forcing), and the local constraint advances with
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...classifiers.named_features import Calibration, Reranker
from ...data.domains.dialogues import Turn
from ...data.errors import ConstraintError
from ...encoders.functions import Floats, sigmoid
from ...grammar import EOS, Vocabulary, Word
from ...ner.index import FoundValue
from ...ner.language.question import QuestionText
from ..decoding.candidates import Candidate, slot_values
from ..decoding.encoded_question import EncodedQuestion, one_thread, with_constants
from ..decoding.expansions.query_state import AnyState
from ..decoding.parsing import SchemaParser
from ..decoding.starting import SearchStart
from ..network.network import Network
from ..normal_form import ShortConstraint
from ..reader.context import DatabaseContext
from ..reader.formula_items import FormulaItems
from ..reader.history import NO_HISTORY, History
from ..reader.inputs import pruned
from ..reader.output_vocabulary import BEGIN, ROLES, UNKNOWN, Role, fixed_words, function_names
from .answerer import Answerer
from .asking import USUAL, AskOptions
from .explanation import Explanation, FeatureContribution, RatedPart, ReadValue, RefusedWord, Step
from .ranked_answers import RankedAnswers
from .unlinked import find_unlinked

__all__ = ["LEAST", "LIKELY", "MOST", "explained", "explained_answer", "replayed"]

LIKELY = 0.01
"""The least probability of a table, column or function that is listed though the query does not use it."""

MOST, LEAST = 3, 0.001
"""The largest number of refused words listed for a step, and their least probability."""


def explained_answer(
    answerer: Answerer,
    question: QuestionText,
    turns: Sequence[Turn] = (),
    options: AskOptions = USUAL,
    *,
    values: Sequence[FoundValue] | None = None,
) -> Explanation:
    """Explain the query that answers a question, whether or not it is sure enough to be shown.

    Args:
        turns, options, values: the arguments that the question was asked with.
    """
    history, context = answerer.history(turns), answerer.context.as_called(question)
    features, chosen, formulas = tuple[FeatureContribution, ...](), None, None
    with suppress(ConstraintError):  # without a query, the linked parts show why
        quiet = replace(options, tell=None)
        found = answerer.consider(question, quiet, values=values, history=history, until_sure=True)
        history = history if found.leans() else NO_HISTORY
        chosen, values, features = (
            found.choices[0].candidate,
            found.linked.values,
            _weighed(found, answerer.calibration),
        )
        formulas = found.linked.offered(context) if chosen.like is None else None  # solved queries have none
    read = explained(
        *(answerer.parser, context, question, chosen),
        constraint=answerer.constraint,
        values=values,
        formulas=formulas,
        history=history,
    )
    return replace(read, features=features)


def explained(
    parser: SchemaParser,
    context: DatabaseContext,
    question: QuestionText,
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
        constraint: the constraint that it was decoded under.
        values: the values that the question was parsed with.
        formulas: the database with the formulas that the query may have as words.
        history: the earlier turns that the question was encoded with.

    Raises:
        ConstraintError: the query was written under another constraint.
    """
    with one_thread():
        read = parser.read(context, question, values, formulas, history)
        if chosen is not None and chosen.like is not None:
            if chosen.constants:
                read = parser.read(context, question, with_constants(read, chosen.constants))
            read = replace(read, places=read.readable)
        full, steps, written = context if formulas is None else formulas.context, list[Step](), ""
        if chosen is not None:
            start = constraint and SearchStart(constraint, context, read, formulas).state()
            written = "".join(chosen.words)
            steps = replayed(parser.network, full.vocabulary, read, chosen.ids, start)
        unlinked = find_unlinked(read.question, full.items, parser.vectors, written=written).span
        parts = _parts(parser, full, read, [full.vocabulary.words[i] for i in (chosen.ids if chosen else ())])
    return Explanation(
        question=question.text,
        sql=chosen and chosen.sql,
        score=chosen and chosen.score,
        answerable=read.classes.answerable,
        unlinked=unlinked,
        **parts,
        words=int((read.places >= 0).sum()),
        vocabulary=len(full.vocabulary),
        level=None if constraint is None else constraint.constraint.level,
        steps=tuple(steps),
        virtual=() if formulas is None else tuple(str(column) for column in formulas.virtual),
    )


def _weighed(found: RankedAnswers, calibration: Calibration) -> tuple[FeatureContribution, ...]:
    """Return the contributions of the best answer's features whose values are not zero."""
    features, signs = found.choices[0].features, found.signs()
    ranks = Reranker.shipped().parts(features)
    assures = {name: weight * signs[name] for name, weight in calibration.weights.items()}
    values = {**features, **signs}
    contributions = (
        FeatureContribution(name, round(value, 4), ranks.get(name), assures.get(name)) for name, value in values.items()
    )
    return tuple(contribution for contribution in contributions if contribution.value)


def _parts(
    parser: SchemaParser, context: DatabaseContext, read: EncodedQuestion, written: Sequence[Word]
) -> dict[str, Any]:
    """Return the predictions of the classifiers for the parts that a query may have, and those it has."""
    kept = pruned(read.question, context.items, parser.vectors)
    used, fixed = sigmoid(read.classes.used).tolist(), sigmoid(read.classes.fixed).tolist()
    tables = {word.table for word in written if word.kind in ("table", "alias")}
    columns = {(word.table, word.column) for word in written}
    functions, names = {word.function for word in written}, function_names(context.grammar)
    items = [(context.items.items[i], share) for i, share in zip(kept, used, strict=False)]
    return {
        "values": tuple(_values(read, used[read.states.items :], {slot for word in written for slot in word.slots})),
        "tables": _likely(
            RatedPart(item.table, share, item.table in tables) for item, share in items if item.column is None
        ),
        "columns": _likely(
            RatedPart(f"{item.table}.{item.column}", share, (item.table, item.column) in columns)
            for item, share in items
            if item.column is not None
        ),
        "functions": _likely(
            RatedPart(name, share, name in functions)
            for name, share, may in zip(names, fixed, parser.network.seen, strict=True)
            if may and name is not None
        ),
    }


def _values(read: EncodedQuestion, shares: Sequence[float], written: set[str]) -> Iterator[ReadValue]:
    """Yield the values, in the order of their slots."""
    names = set(slot_values(read.question))
    for i, (node, share) in enumerate(zip(read.question.values, shares, strict=True)):
        value, slots = node.found, tuple(name for name in (f"text{i}", f"number{i}") if name in names)
        columns = tuple(".".join(column) for column in value.columns)
        span = "" if value.span is None else str(value.span)
        description = (value.text, value.value, value.kind, value.how, columns, slots)
        yield ReadValue(*description, share, not written.isdisjoint(slots), span)


def _likely(parts: Iterable[RatedPart]) -> tuple[RatedPart, ...]:
    """Return the parts that are written or likely, the likeliest first."""
    return tuple(sorted((p for p in parts if p.written or p.probability >= LIKELY), key=lambda p: -p.probability))


def replayed(
    network: Network, vocabulary: Vocabulary, read: EncodedQuestion, words: Sequence[int], start: AnyState | None
) -> list[Step]:
    """Return the steps to a query, including its end.

    Args:
        network: the network that encoded the question.
        words: the word numbers of the query, without the end.
        start: the start of the local constraint, as the search had it; None if there was no constraint.

    Raises:
        ConstraintError: the constraint forbids a word.
    """
    state, steps = start, list[Step]()
    for word, row in zip([*words, EOS], _shares(network, read, words), strict=True):
        step = Step(vocabulary.words[word].text, float(row[read.places[word]]))
        if state is not None:
            allowed = state.allowed() & (read.places >= 0)
            lost = row.copy()
            lost[read.places[allowed]] = 0.0
            refused, after = _refused(vocabulary, read, lost, state), state.advance(word)
            more = after.sql_words[len(state.sql_words) : len(after.sql_words) - (word != EOS)]
            implied = " ".join(vocabulary.words[i].text for i in more)  # a word of the short form may have several
            beside = {"allowed": int(allowed.sum()), "forbidden": float(lost.sum())}
            step, state = replace(step, **beside, refused=refused, implied=implied), after
        steps.append(step)
    return steps


def _shares(network: Network, read: EncodedQuestion, words: Sequence[int]) -> NDArray[np.float64]:
    """Return the probability of each output before each word of a query and its end, (words + 1, outputs)."""
    past, rows, scores = network.start(), np.zeros(1, np.int64), list[Floats]()
    for place in [BEGIN, *read.places[list(words)].tolist()]:
        step_scores, past = network.write(np.array([place]), rows, read.states, past)
        scores.append(step_scores)
    # forced words may be so unlikely that single precision would call them impossible
    shares = np.exp(np.concatenate(scores).astype(np.float64))
    return shares / shares.sum(-1, keepdims=True)


def _refused(
    vocabulary: Vocabulary, read: EncodedQuestion, lost: NDArray[np.float64], state: AnyState
) -> tuple[RefusedWord, ...]:
    """Return the likeliest words that a state refuses, the likeliest first.

    Args:
        lost: the probabilities of refused words, 0 for other words, (outputs,).
    """
    refused = list[RefusedWord]()
    for place in np.argsort(-lost, kind="stable")[:MOST].tolist():
        share, (word, *_) = float(lost[place]), [*np.flatnonzero(read.places == place).tolist(), None]
        if share >= LEAST:
            text = _name(place) if word is None else vocabulary.words[word].text
            refused.append(RefusedWord(text, share, _why(place, text) if word is None else state.explain(word)))
    return tuple(refused)


def _why(place: int, text: str) -> str:
    """Say why an output of the network is no word for this question."""
    if place == UNKNOWN:
        return "the question does not tell the value"
    what = "this dialect has no such word" if place < len(fixed_words()) else "no query here uses it a second time"
    return f"{text!r} is not allowed here: {what}"


def _name(place: int) -> str:
    """Return a name for an output of the network that the vocabulary lacks."""
    fixed = fixed_words()
    if place < len(fixed):
        return fixed[place][0]
    return f"<{Role((place - len(fixed)) % ROLES).name.lower().replace('_', ' ')}>"
