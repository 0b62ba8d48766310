"""Explains how the query of a question came about: the linked parts, and each word with the words refused in its place.

The query is replayed for that: the network is fed its words (teacher forcing), and the local constraint advances with
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...classifiers.named_features import Reranker
from ...data.domains.dialogues import Turn
from ...data.errors import ConstraintError
from ...encoders.functions import Floats, one_thread, sigmoid
from ...grammar import EOS, Vocabulary, Word
from ...ner.index import FoundValue
from ...ner.language.question import QuestionText
from ..decoding.candidates import Candidate, slot_values
from ..decoding.expansions.query_state import AnyState
from ..decoding.history import NO_HISTORY, History
from ..decoding.parsing import EncodedQuestion, SchemaParser, SearchStart, with_constants
from ..network.network import Network
from ..normal_form import ShortConstraint
from ..reader.context import DatabaseContext
from ..reader.formula_items import FormulaItems, offered
from ..reader.output_vocabulary import BEGIN, ROLES, UNKNOWN, Role, fixed_words, function_names
from .answerer import Answerer
from .asking import USUAL, AskOptions
from .unlinked import UnlinkedSpan, find_unlinked


@dataclass(frozen=True)
class RatedPart:
    """A table, column or function.

    Attributes:
        name: its name in the schema; columns have their table before it.
        probability: the probability that the query needs it, according to the classifiers.
        written: whether the network wrote it, which is not so for conditions that keys imply.
    """

    name: str
    probability: float
    written: bool


@dataclass(frozen=True)
class ReadValue:
    """A value that the question names.

    Attributes:
        text: the words of the question.
        value: the value in SQL.
        kind, how: its kind, and how it was found, as in `FoundValue`.
        columns: the columns that hold it, with their tables.
        slots: the names of its slots in the words of the steps.
        probability: the probability that the query needs it.
        written: whether the query has it.
        span: the period that it means, in words; empty if it means none.
    """

    text: str
    value: str
    kind: str
    how: str
    columns: tuple[str, ...]
    slots: tuple[str, ...]
    probability: float
    written: bool
    span: str = ""


@dataclass(frozen=True)
class RefusedWord:
    """A likely word that the constraint forbids.

    Attributes:
        word: its text in the vocabulary, with slots in braces.
        probability: its probability, as in `Step`.
        reason: the reason, in one line.
    """

    word: str
    probability: float
    reason: str


@dataclass(frozen=True)
class Step:
    """One word of a query, and its alternatives. Without a local constraint the last four attributes are empty.

    Attributes:
        word: its text in the vocabulary, with slots in braces; ``<eos>`` is the end.
        probability: its probability among all words of the network, after the global constraint; the product over the
            steps is the probability of the query in the search.
        allowed: the number of words that the local constraint allowed, of those that the question may use.
        forbidden: the summed probability of all other words.
        refused: the likeliest of the forbidden words.
        implied: words that the constraint inserted before this one: a join's condition, where keys imply it.
    """

    word: str
    probability: float
    allowed: int | None = None
    forbidden: float | None = None
    refused: tuple[RefusedWord, ...] = ()
    implied: str = ""


@dataclass(frozen=True)
class FeatureContribution:
    """The contribution of a feature to an answer's rank and confidence.

    Attributes:
        name: the name of the feature in `named_features.RERANKER_FEATURES` or `named_features.SIGNS`.
        value: the value of the feature.
        ranks: its contribution to the reranker's score; None if only the calibration uses the feature.
        assures: its contribution to the log-odds that the answer is right; None if only the reranker uses it.
    """

    name: str
    value: float
    ranks: float | None
    assures: float | None


@dataclass(frozen=True)
class Explanation:
    """How the query of a question came about.

    Attributes:
        sql: the query; None if none could be written, and then there are no steps.
        score: the sum of the log-probabilities of its words.
        answerable: the probability that the database holds an answer.
        unlinked: the words of the question that were linked to nothing.
        values: the values that the question names.
        tables, columns, functions: the parts that the query may need or has, the likeliest first.
        words: the number of words that the question may use.
        vocabulary: the number of words of the vocabulary.
        level: the level of the local constraint; None if there was none.
        steps: the steps, one for each word.
        features: the contributions of the answer's features to its rank and confidence.
        virtual: the virtual columns that the question added to the database, each with its expression.
        read: the tables that the network read for the question.
        of_tables: the number of tables of the database.
    """

    question: str
    sql: str | None
    score: float | None
    answerable: float
    unlinked: UnlinkedSpan | None
    values: tuple[ReadValue, ...]
    tables: tuple[RatedPart, ...]
    columns: tuple[RatedPart, ...]
    functions: tuple[RatedPart, ...]
    words: int
    vocabulary: int
    level: str | None
    steps: tuple[Step, ...]
    features: tuple[FeatureContribution, ...] = ()
    virtual: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    of_tables: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return plain dicts and lists."""
        return asdict(self)


LIKELY = 0.01
"""The least probability of a table, column or function that is listed though the query does not use it."""

MOST, LEAST = 3, 0.001
"""The largest number of refused words listed for a step, and their least probability."""


def explained_answer(
    answerer: Answerer, question: QuestionText, turns: Sequence[Turn] = (), options: AskOptions = USUAL
) -> Explanation:
    """Explain the query that answers a question, whether or not it is sure; the arguments are those of the answer."""
    history, context = answerer.history(turns), answerer.context.as_called(question)
    features, chosen, values, extended = list[FeatureContribution](), None, None, None
    with suppress(ConstraintError):  # without a query, the linked parts show why
        ranked = answerer.rank(question, options, history=history, until_sure=True)
        history = history if ranked.leans() else NO_HISTORY
        chosen, linked = ranked.choices[0].candidate, ranked.linked
        ranks, signs = Reranker.shipped().parts(ranked.choices[0].features), ranked.signs()
        assures = {name: weight * signs[name] for name, weight in answerer.calibration.weights.items()}
        known = {**ranked.choices[0].features, **signs}.items()
        features = [FeatureContribution(n, round(v, 4), ranks.get(n), assures.get(n)) for n, v in known if round(v, 4)]
        values = linked.values
        if chosen.like is None:  # solved queries have no formulas
            extended = offered(context, linked.formulas, virtual=linked.virtual)
    read = explained(
        *(answerer.parser, context, question, chosen),
        constraint=answerer.constraint,
        values=values,
        extended=extended,
        history=history,
    )
    return replace(read, features=tuple(features))


def explained(
    parser: SchemaParser,
    context: DatabaseContext,
    question: QuestionText,
    chosen: Candidate | None,
    *,
    constraint: ShortConstraint | None,
    values: Sequence[FoundValue] | None = None,
    extended: FormulaItems | None = None,
    history: History = NO_HISTORY,
) -> Explanation:
    """Explain one of the queries that a parser made of a question.

    Args:
        chosen: the query, None if there is none.
        constraint: the constraint that it was decoded under.
        values: the values that the question was parsed with.
        extended: the database with the formulas that the query may have as words.
        history: the earlier turns that the question was encoded with.

    Raises:
        ConstraintError: the query was written under another constraint.
    """
    with one_thread():
        read = parser.read(context, question, values, extended, history)
        if chosen is not None and chosen.like is not None:
            if chosen.constants:
                read = parser.read(context, question, with_constants(read, chosen.constants))
            read = replace(read, places=read.readable)
        full, steps, written = context if extended is None else extended.context, list[Step](), ""
        if chosen is not None:
            start = constraint and SearchStart(constraint, context, read.question, read.places, extended).state()
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
        virtual=() if extended is None else tuple(str(column) for column in extended.virtual),
    )


def _parts(
    parser: SchemaParser, context: DatabaseContext, read: EncodedQuestion, written: Sequence[Word]
) -> dict[str, Any]:
    """Return the predictions of the classifiers for the parts that a query may have, and those it has."""
    used, fixed = sigmoid(read.classes.used).tolist(), sigmoid(read.classes.fixed).tolist()
    own = {(word.table, None) for word in written if word.kind in ("table", "alias")}
    own |= {(word.table, word.column) for word in written if word.column is not None}
    functions, names = {word.function for word in written}, function_names(context.grammar)
    items = [(context.items.items[i], share) for i, share in zip(read.input.kept, used, strict=False)]
    rated = [(one, share, (one.table, one.column) in own) for one, share in items]
    shares = [(n, share) for n, share, may in zip(names, fixed, parser.network.seen, strict=True) if may and n]
    return {
        "values": tuple(_values(read, used[read.states.items :], {slot for word in written for slot in word.slots})),
        "tables": _likely(RatedPart(one.table, *more) for one, *more in rated if one.column is None),
        "columns": _likely(RatedPart(f"{one.table}.{one.column}", *more) for one, *more in rated if one.column),
        "functions": _likely(RatedPart(name, share, name in functions) for name, share in shares),
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
    refused, fixed = list[RefusedWord](), fixed_words()
    for place in [place for place in np.argsort(-lost, kind="stable")[:MOST].tolist() if lost[place] >= LEAST]:
        if len(words := np.flatnonzero(read.places == place)):
            text, reason = vocabulary.words[words[0]].text, state.explain(int(words[0]))
        elif place == UNKNOWN:
            text, reason = fixed[place][0], "the question does not tell the value"
        else:  # an output of the network that is no word for this question
            role = Role((place - len(fixed)) % ROLES).name.lower().replace("_", " ")
            text = fixed[place][0] if place < len(fixed) else f"<{role}>"
            what = "this dialect has no such word" if place < len(fixed) else "no query here uses it a second time"
            reason = f"{text!r} is not allowed here: {what}"
        refused.append(RefusedWord(text, float(lost[place]), reason))
    return tuple(refused)
