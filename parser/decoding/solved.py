"""Solved questions as demonstrations: templates of their queries, interpolated with the network's distribution.

The probability of a query interpolates that of the network with that of the nearest solved questions, as kNN-LM does
for words (Khandelwal et al. 2020); the weight of the solved questions depends on the similarity of the nearest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from ...data.domains.domain import evenly
from ...data.errors import QueryError
from ...data.sql.sources import compared_columns
from ...data.values.slots import SLOT
from ...grammar import EOS
from ...grammar.decoding.state import Mask
from ...ner.index import FoundValue
from ...retrieval.shots import Shot, ShotStore
from ..normal_form import NormalForm
from ..reader.context import DatabaseContext
from .candidates import Candidate


@dataclass(frozen=True)
class TemplatePlace:
    """What stands at a place of a template: a word of the vocabulary, a constant, or a value that the question names.

    Attributes:
        word: the number of the word, None for a constant or value.
        form: the format of a string with its quotes, ``'{}'``, or with % at an end; ``{}`` for a number.
        constant: a constant that the question does not name, in the form of `FoundValue.value`.
        column: the (table, column) that a value is compared with; None if that is unknown.
    """

    word: int | None
    form: str = ""
    constant: str | None = None
    column: tuple[str, str] | None = None

    def takes(self, found: FoundValue) -> bool:
        """May a value stand here? Other constants may not, nor cells that occur only in other columns."""
        if self.constant is not None or found.how == "constant":
            return found.value == self.constant
        return found.kind != "cell" or self.column is None or self.column in found.columns


@dataclass(frozen=True)
class QueryTemplate:
    """The template of a query: its words, with slots for the values that its question names.

    Attributes:
        key: the texts of its words without the slots' numbers; queries that differ only in values have the same key.
        places: the place of each word; the end comes last.
    """

    key: tuple[str, ...]
    places: tuple[TemplatePlace, ...]

    @property
    def constants(self) -> list[FoundValue]:
        """Return its constants as values without words of a question."""
        constants = [(place.constant, place.form == "{}") for place in self.places if place.constant is not None]
        return [
            FoundValue(0, 0, "", text, "number" if number else "cell", "constant", (), 0.0)
            for text, number in constants
        ]


@dataclass(frozen=True)
class TemplateProcessor:
    """The step processor that leaves what a template has at its place; never changes.

    Attributes:
        masks: the words that may stand at each place of the template.
        at: the number of the place.
    """

    masks: Sequence[Mask]
    at: int = 0

    def allowed(self) -> Mask:
        """Return the words of the vocabulary that may come next."""
        return self.masks[self.at]

    def advance(self, token_id: int) -> TemplateProcessor:
        """Return the state after one more word."""
        return TemplateProcessor(self.masks, self.at + 1)


class QueryTemplates:
    """Makes templates of queries on one database.

    Args:
        context: the context of the database, with the vocabulary.
    """

    def __init__(self, context: DatabaseContext) -> None:
        self._context, self._form = context, NormalForm(context.grammar)

    def of(self, slotted: str) -> QueryTemplate | None:
        """Return the template of a query with slots; None if a name or word is unknown in this database."""
        grammar = self._context.grammar
        try:
            words = self._context.short.words(self._form.of(slotted))
        except QueryError:
            return None
        compared = compared_columns(slotted, grammar.schema, grammar.dialect)
        columns = {slot[0]: (table, column) for value, table, column in compared if (slot := SLOT.search(value))}
        try:
            places = [self._place(text, terminal, columns) for text, terminal in words]
        except KeyError:
            return None
        key = tuple([place.form if SLOT.search(text) else text for place, (text, _) in zip(places, words, strict=True)])
        return QueryTemplate(key, (*places, TemplatePlace(EOS)))

    def masks(self, template: QueryTemplate, slots: Mapping[str, FoundValue]) -> list[Mask]:
        """Return the words that may stand at each place of a template.

        Args:
            slots: the value of each slot of a question, see `slots_of`.
        """
        numbers = {word.text: i for i, word in enumerate(self._context.vocabulary.words) if word.slot is not None}
        masks = np.zeros((len(template.places), len(self._context.vocabulary)), bool)
        for place, mask in zip(template.places, masks, strict=True):
            texts = (place.form.format("{" + slot + "}") for slot, found in slots.items() if place.takes(found))
            mask[[numbers[text] for text in texts if text in numbers] if place.word is None else place.word] = True
        return list(masks)

    def _place(self, text: str, terminal: str, columns: Mapping[str, tuple[str, str]]) -> TemplatePlace:
        """Return the place of a word.

        Raises:
            KeyError: it is not in the vocabulary.
        """
        slot, string, number = SLOT.search(text), terminal == "STRING", terminal in ("WHOLE", "NUMBER")
        if string or (slot and number):
            start, end = text.startswith("'%"), text.endswith("%'") and len(text) > 3
            form = f"'{'%' * start}{{}}{'%' * end}'" if string else "{}"
            constant = None if slot else text[1:-1].strip("%").replace("''", "'")
            return TemplatePlace(None, form, constant, columns.get(slot[0]) if slot else None)
        with suppress(KeyError):
            return TemplatePlace(self._context.vocabulary.index(text, terminal))
        if not number:
            raise KeyError(text)
        return TemplatePlace(None, "{}", text)


_MOST = 4
"""The largest number of templates that are filled for a question."""

_LOOKED = 40
"""The number of nearest solved questions among which templates are sought."""

_WEIGHT, _HALF, _STEEP = 0.9, 0.7, 10.0
"""The largest weight of the solved questions, the similarity at which they get half of it, and the slope there.
They were chosen on dev parts of library, plant and GeoQuery, so that a network loses little where no solved question
has the right query."""

_NEAREST, _STEEPER = 0.93, 6
"""The half point and slope where only near-duplicates of the question are used."""

_LEAST = 0.05
"""The weight below which no solved question is used."""

_TEMPERATURE = 0.05
"""The temperature of the softmax that divides the weight among the solved questions, chosen on the same dev parts."""

_MAX_USUAL = 0.95
"""The upper bound of the average similarity, reached where all solved questions are the same."""

_FEW, _OTHERS = (
    10,
    ("how many of them are there?", "show each one with its name", "when was that?", "哪些?", "最大的是哪个?"),
)
"""The number of solved questions below which these general questions are compared with them, too."""

_SAMPLE = 30
"""The number of solved questions that are compared with all others."""


@dataclass(frozen=True)
class Neighbour:
    """A solved question that is similar to the user's question.

    Attributes:
        question: the text of the solved question.
        template: the template of its query.
        similarity: 1 for the same question, 0 for the average similarity of two solved questions.
    """

    question: str
    template: QueryTemplate
    similarity: float


class SolvedQuestions:
    """Solved questions on one database, for a parser.

    Args:
        context: the context of the database.
        store: the store that searches them.
        slotted: their queries with slots in place of values, where the values are known.
        nearest: use a solved question only if it is nearly the same but for its values. This is for feedback on single
            answers, which says little about other questions: used like the pairs of a domain, it made a third of the
            answers unsure on four of Spider's databases, and no answer right.
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
        """Return the nearest solved question of each template, the nearest first; empty if none is near enough."""
        nearest: dict[tuple[str, ...], Neighbour] = {}
        for shot, score in self._store.search(question, _LOOKED):
            sql = self._slotted.get(shot, shot.sql)
            if sql not in self._known:
                self._known[sql] = self.templates.of(sql)
            template = self._known[sql]
            if template is not None and template.key not in nearest:
                nearest[template.key] = Neighbour(shot.question, template, self._similarity(score))
            if len(nearest) == _MOST:
                break
        return list(nearest.values()) if neighbour_share([hit.similarity for hit in nearest.values()]) >= _LEAST else []

    def nearest_query(self, question: str) -> str:
        """Return the query of the nearest solved question, whatever its tables; "" if no question is near enough."""
        for shot, score in self._store.search(question, 1):
            if neighbour_share([self._similarity(score)]) >= _LEAST:
                return shot.sql
        return ""

    def _similarity(self, score: float) -> float:
        similarity = (score - self._usual) / (1 - self._usual)
        return _HALF + _STEEPER * (similarity - _NEAREST) if self._nearest else similarity


def _usual(store: ShotStore) -> float:
    """Return the average similarity of two solved questions: some encoders (E5) give any two texts .9."""
    sample = evenly(store.shots, _SAMPLE)
    scores = [score for shot in sample for other, score in store.search(shot.question, len(store)) if other != shot]
    if len(store) < _FEW:  # a small store has too few pairs to compare
        scores += [score for text in _OTHERS for _, score in store.search(text, len(store))]
    return min(sum(scores) / len(scores), _MAX_USUAL)


def neighbour_share(similarities: Sequence[float]) -> float:
    """Return the probability that the query of a solved question is right."""
    if not similarities:
        return 0.0
    return _WEIGHT / (1 + math.exp(-_STEEP * (max(similarities) - _HALF)))


def interpolate(candidates: Sequence[Candidate], followed: Sequence[tuple[Neighbour, Candidate]]) -> list[Candidate]:
    """Return the interpolation of the network's queries with those of solved questions, the likeliest first.

    Args:
        candidates: the queries of the network, with their scores.
        followed: the filled templates of solved questions, with the network's scores.
    """
    similarities = [neighbour.similarity for neighbour, _ in followed]
    share = neighbour_share(similarities)
    nearness = [math.exp((similarity - max(similarities)) / _TEMPERATURE) for similarity in similarities]
    pool = {candidate.ids: candidate for candidate in candidates}
    more: dict[tuple[int, ...], float] = {}
    for (_, candidate), near in zip(followed, nearness, strict=True):
        pool[candidate.ids] = candidate
        more[candidate.ids] = more.get(candidate.ids, 0.0) + share * near / sum(nearness)
    scored = {ids: (1 - share) * math.exp(candidate.score) + more.get(ids, 0.0) for ids, candidate in pool.items()}
    rescored = [replace(candidate, score=math.log(max(scored[ids], 1e-30))) for ids, candidate in pool.items()]
    return sorted(rescored, key=lambda candidate: -candidate.score)
