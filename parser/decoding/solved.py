"""Solved questions beside the network: their queries as templates, and how much the most alike ones weigh.

A query's probability is that of the network mixed with that of the solved questions that are like this one, as
Khandelwal et al. 2020 (kNN-LM) mix those of words; how far the solved ones count hangs on how alike the nearest is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...data.domains.domain import evenly
from ...data.errors import QueryError
from ...data.sql.compared import compared_columns
from ...data.values.slots import SLOT
from ...grammar import EOS
from ...ner.index import FoundValue
from ...retrieval.shots import Shot, ShotStore
from ..normal_form import NormalForm
from ..reader.context import DatabaseContext
from .candidates import Candidate

__all__ = ["AlongTemplate", "Neighbour", "QueryTemplates", "SolvedQuestions", "interpolated", "neighbour_share"]

Mask = NDArray[np.bool_]

_NUMBERS = ("WHOLE", "NUMBER")


@dataclass(frozen=True)
class Literal:
    """A value of a query that its question does not name.

    Attributes:
        value: as `FoundValue.value`.
        form: of a string, how it stands in quotes: ``'{}'``, or with % at an end; of a number ``{}``.
    """

    value: str
    form: str

    @property
    def found(self) -> FoundValue:
        """Return it as a value that no question says."""
        kind = "number" if self.form == "{}" else "cell"
        return FoundValue(0, 0, "", self.value, kind, "constant", (), 0.0)


@dataclass(frozen=True)
class Hole:
    """A value of a query that its question names.

    Attributes:
        words: slots of its kind, (vocabulary,).
        column: (table, column) that it is compared with; None where nobody knows.
    """

    words: Mask
    column: tuple[str, str] | None

    def takes(self, found: FoundValue) -> bool:
        """May a value stand here? No constant, and no cell of other columns alone."""
        if found.how == "constant":
            return False
        return found.kind != "cell" or self.column is None or self.column in found.columns


@dataclass(frozen=True)
class QueryTemplate:
    """What a query may be.

    Attributes:
        key: its words, slots alike; equal of queries that differ in their questions' values alone.
        places: each word's: the one of the vocabulary, a literal, or a hole for a value; the end is last.
    """

    key: tuple[str, ...]
    places: tuple[int | Literal | Hole, ...]

    @property
    def literals(self) -> list[Literal]:
        """Return the literals in it."""
        return [place for place in self.places if isinstance(place, Literal)]


@dataclass(frozen=True)
class AlongTemplate:
    """The step processor that leaves what a template has at its place; never changes.

    Attributes:
        masks: the words that may stand at each place of the template.
        at: the place.
    """

    masks: Sequence[Mask]
    at: int = 0

    def allowed(self) -> Mask:
        """Return the words of the vocabulary that may come next."""
        return self.masks[self.at]

    def advance(self, token_id: int) -> AlongTemplate:
        """Return the state after one more word."""
        return AlongTemplate(self.masks, self.at + 1)


class QueryTemplates:
    """Makes templates of queries on one database.

    Args:
        context: of the database, with the vocabulary.
    """

    def __init__(self, context: DatabaseContext) -> None:
        self._context = context
        self._form = NormalForm(context.grammar)
        words = context.vocabulary.words
        slots = [(i, word) for i, word in enumerate(words) if word.slot is not None]
        self._slots = {word.text: i for i, word in slots}
        self._numbers = self._only(i for i, word in slots if word.terminal != "STRING")
        strings = [(i, _form(word.text)) for i, word in slots if word.terminal == "STRING"]
        self._texts = {form: self._only(i for i, other in strings if other == form) for _, form in strings}

    def of(self, slotted: str) -> QueryTemplate | None:
        """Return the template of a query with slots; None if it cannot be one here: a name or a word is unknown."""
        grammar = self._context.grammar
        try:
            words = self._context.short.words(self._form.of(slotted))
        except QueryError:
            return None
        compared = compared_columns(slotted, grammar.schema, grammar.dialect)
        columns = {slot[0]: (table, column) for value, table, column in compared if (slot := SLOT.search(value))}
        places = [self._place(text, terminal, columns) for text, terminal in words]
        if any(place is None for place in places):
            return None
        key = tuple(_kind(text, terminal) for text, terminal in words)
        return QueryTemplate(key, (*(place for place in places if place is not None), EOS))

    def masks(self, template: QueryTemplate, slots: Mapping[str, FoundValue]) -> list[Mask]:
        """Return the words that may stand at each place of a template.

        Args:
            slots: what each slot of a question stands for, see `slots_of`.
        """
        return [self._words(place, slots) for place in template.places]

    def _place(self, text: str, terminal: str, columns: Mapping[str, tuple[str, str]]) -> int | Literal | Hole | None:
        slot = SLOT.search(text)
        if slot and terminal in ("STRING", *_NUMBERS):
            words = self._texts.get(_form(text)) if terminal == "STRING" else self._numbers
            return None if words is None else Hole(words, columns.get(slot[0]))
        if terminal == "STRING":
            return Literal(_core(text), _form(text))
        try:
            return self._context.vocabulary.index(text, terminal)
        except KeyError:
            return Literal(text, "{}") if terminal in _NUMBERS else None

    def _words(self, place: int | Literal | Hole, slots: Mapping[str, FoundValue]) -> Mask:
        if isinstance(place, int):
            return self._only([place])
        if isinstance(place, Literal):
            written = [place.form.format("{" + slot + "}") for slot, one in slots.items() if one.value == place.value]
            return self._only(self._slots[text] for text in written if text in self._slots)
        words = self._context.vocabulary.words
        taken = {slot for slot, found in slots.items() if place.takes(found)}
        return self._only(i for i in np.flatnonzero(place.words).tolist() if words[i].slot in taken)

    def _only(self, words: Iterable[int]) -> Mask:
        mask = np.zeros(len(self._context.vocabulary.words), bool)
        mask[list(words)] = True
        return mask


def _form(text: str) -> str:
    """Return how a string stands in its quotes: with the % of LIKE at its ends."""
    return "'" + "%" * text.startswith("'%") + "{}" + "%" * (text.endswith("%'") and len(text) > 3) + "'"


def _core(text: str) -> str:
    """Return what a string says, without quotes and the % of LIKE at its ends."""
    return text[1:-1].strip("%").replace("''", "'")


def _kind(text: str, terminal: str) -> str:
    if SLOT.search(text) is None:
        return text
    return _form(text) if terminal == "STRING" else "{}"


_MOST = 4
"""Templates that are followed for a question."""

_LOOKED = 40
"""Solved questions among which they are sought."""

_WEIGHT, _HALF, _STEEP = 0.9, 0.7, 10.0
"""Probability that the solved questions get at most, the similarity from which they get half of it, and how steeply
it rises there. Chosen on dev parts of library, plant and GeoQuery, so that a network loses little where no solved
question has the query wanted."""

_NEAREST, _STEEPER = 0.93, 6
"""The same where only the nearest are followed."""

_LEAST = 0.05
"""Weight below which no solved question is followed."""

_TEMPERATURE = 0.05
"""Of the similarities, as these share it; chosen there, too."""

_MAX_USUAL = 0.95
"""The highest that is believed; where all questions are one, nothing tells them apart."""

_FEW, _OTHERS = (
    10,
    ("how many of them are there?", "show each one with its name", "when was that?", "哪些?", "最大的是哪个?"),
)
"""Solved questions to which such others are held as well."""

_SAMPLE = 30
"""Solved questions that are held against all others."""


@dataclass(frozen=True)
class Neighbour:
    """A solved question that is like the one asked.

    Attributes:
        question: the solved one.
        template: of its query.
        similarity: 1 where both ask the same, 0 where they are as alike as any two of the solved ones.
    """

    question: str
    template: QueryTemplate
    similarity: float


class SolvedQuestions:
    """Solved questions on one database, for a parser.

    Args:
        context: of the database.
        store: searches them, in one way.
        slotted: their queries with slots in place of values, as far as it is known which are.
        nearest: follow a question only where the one asked is nearly the same but for its values. What people said of
            single answers tells little of others: followed as domains are, it took a third of the answers their
            certainty on four of Spider's databases, and made none right.
    """

    def __init__(
        self, context: DatabaseContext, store: ShotStore, slotted: Mapping[Shot, str], *, nearest: bool = False
    ) -> None:
        self._context = context
        self.templates = QueryTemplates(context)
        self._nearest = nearest
        self._store = store
        self._slotted = slotted
        self._known: dict[str, QueryTemplate | None] = {}
        self._usual = _usual(store)

    def over(self, context: DatabaseContext) -> SolvedQuestions:
        """Return the same solved questions for other tables of their database."""
        if context is self._context:
            return self
        other = copy(self)
        other._context, other.templates, other._known = context, QueryTemplates(context), {}
        return other

    def neighbours(self, question: str) -> list[Neighbour]:
        """Return the most alike of each query template, the most alike first; none where none is like enough."""
        found: dict[tuple[str, ...], Neighbour] = {}
        for one in self._store.search(question, _LOOKED):
            sql = self._slotted.get(one.shot, one.shot.sql)
            if sql not in self._known:
                self._known[sql] = self.templates.of(sql)
            template = self._known[sql]
            if template is not None and template.key not in found:
                found[template.key] = Neighbour(one.shot.question, template, self._similarity(one.score))
            if len(found) == _MOST:
                break
        return list(found.values()) if neighbour_share([one.similarity for one in found.values()]) >= _LEAST else []

    def nearest_query(self, question: str) -> str:
        """Return the query of the most alike solved question, whatever its tables; "" where none is like enough."""
        for one in self._store.search(question, 1):
            if neighbour_share([self._similarity(one.score)]) >= _LEAST:
                return one.shot.sql
        return ""

    def _similarity(self, score: float) -> float:
        similarity = (score - self._usual) / (1 - self._usual)
        return _HALF + _STEEPER * (similarity - _NEAREST) if self._nearest else similarity


def _usual(store: ShotStore) -> float:
    """Return how alike two solved questions are on average: of some encoders (E5) any two texts are .9."""
    sample = evenly(store.shots, _SAMPLE)
    scores = [found.score for shot in sample for found in store.search(shot.question, len(store)) if found.shot != shot]
    if len(store) < _FEW:  # there is little to compare
        scores += [found.score for text in _OTHERS for found in store.search(text, len(store))]
    return min(sum(scores) / len(scores), _MAX_USUAL)


def neighbour_share(similarities: Sequence[float]) -> float:
    """Return the probability that the query of a solved question is right."""
    if not similarities:
        return 0.0
    return _WEIGHT / (1 + math.exp(-_STEEP * (max(similarities) - _HALF)))


def interpolated(candidates: Sequence[Candidate], followed: Sequence[tuple[Neighbour, Candidate]]) -> list[Candidate]:
    """Return the queries of network and solved questions, the likeliest first.

    Args:
        candidates: of the network, with their scores.
        followed: what solved questions make of the question asked, with the network's scores.
    """
    similarities = [one.similarity for one, _ in followed]
    share = neighbour_share(similarities)
    nearness = [math.exp((similarity - max(similarities)) / _TEMPERATURE) for similarity in similarities]
    pool = {candidate.ids: candidate for candidate in candidates}
    more: dict[tuple[int, ...], float] = {}
    for (_, candidate), near in zip(followed, nearness, strict=True):
        pool[candidate.ids] = candidate
        more[candidate.ids] = more.get(candidate.ids, 0.0) + share * near / sum(nearness)
    scored = {ids: (1 - share) * math.exp(one.score) + more.get(ids, 0.0) for ids, one in pool.items()}
    found = [replace(one, score=math.log(max(scored[ids], 1e-30))) for ids, one in pool.items()]
    return sorted(found, key=lambda candidate: -candidate.score)
