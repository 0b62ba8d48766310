"""Solved questions beside the network: queries of the most alike ones, and how much they weigh.

A query's probability is that of the network mixed with that of the solved questions that are like this one, as
Khandelwal et al. 2020 (kNN-LM) mix those of words; how far the solved ones count hangs on how alike the nearest is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

from ...data.domains.examples import evenly
from ...retrieval.shots import Shot, ShotStore
from ..reader.context import DatabaseContext
from .candidates import Candidate
from .query_templates import QueryTemplate, QueryTemplates

__all__ = ["Neighbour", "SolvedQuestions", "interpolated", "neighbour_share"]

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
