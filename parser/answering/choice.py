"""The choice among the n best queries of a question: by what they return, and by the reranker.

Queries with the same rows are one answer, and their probabilities add up (Li et al. 2022, AlphaCode, cluster programs
so).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

from ...classifiers.reranker import Reranker
from ...data.databases.database import Database
from ...data.databases.rows import Rows, comparable
from ...data.errors import DatabaseError
from ..decoding.candidates import Candidate

__all__ = ["Choice", "choose"]


@dataclass(frozen=True)
class Choice:
    """One answer to a question.

    Attributes:
        candidate: the likeliest query of those with these rows.
        rows: what it returns, None where the database refused it or took too long.
        problem: what the database said then.
        probability: of all queries with these rows, among all that the network could have written.
        features: those of the reranker.
        weight: what it gives; orders the choices. 0 where there are no rows to be had.
        share: of all choices' weights.
    """

    candidate: Candidate
    rows: Rows | None
    problem: str | None
    probability: float
    features: Mapping[str, float]
    weight: float
    share: float = 0.0


def choose(
    candidates: Sequence[Candidate],
    database: Database | None,
    reranker: Reranker | None = None,
) -> list[Choice]:
    """Run queries, reading only, and return the different answers, the best first.

    Args:
        candidates: the likeliest first.
        database: without it each query is an answer, and none is tried out.
        reranker: None is the one that ships.
    """
    merged: dict[object, list[_Tried]] = {}
    with nullcontext() if database is None else database.one_wait():
        for candidate in candidates:
            tried = _run(candidate, database)
            merged.setdefault(tried.key, []).append(tried)
    weigher = reranker or Reranker.shipped()
    found = [_choice(some, weigher, tried_out=database is not None) for some in merged.values()]
    total = sum(choice.weight for choice in found) or 1.0
    ordered = sorted(found, key=lambda choice: -choice.weight)
    return [replace(choice, share=choice.weight / total) for choice in ordered]


@dataclass(frozen=True)
class _Tried:
    candidate: Candidate
    rows: Rows | None
    problem: str | None

    @property
    def key(self) -> object:
        """Return what two queries with one answer have in common, whatever the order of its columns."""
        if self.rows is None:
            return self.candidate.sql
        rows = [tuple(map(comparable, row)) for row in self.rows.rows]
        together = Counter(tuple(sorted(row, key=repr)) for row in rows)
        columns = Counter(frozenset(Counter(column).items()) for column in zip(*rows, strict=True))
        return len(self.rows.columns), frozenset(together.items()), frozenset(columns.items())

    @property
    def empty(self) -> bool:
        """Say whether nothing comes back, or NULLs alone."""
        return not any(cell is not None for row in (self.rows.rows if self.rows else ()) for cell in row)


def _run(candidate: Candidate, database: Database | None) -> _Tried:
    if database is None:
        return _Tried(candidate, None, None)
    try:
        return _Tried(candidate, database.query(candidate.sql, constrained=candidate.chosen), None)
    except DatabaseError as error:
        return _Tried(candidate, None, error.problem)


def _choice(some: Sequence[_Tried], reranker: Reranker, *, tried_out: bool) -> Choice:
    """Return the answer of queries with the same rows, the likeliest first."""
    best = some[0]
    probability = sum(math.exp(one.candidate.score) for one in some)
    features = {
        "log probability": math.log(max(probability, 1e-30)),
        "no rows": float(tried_out and best.empty),
        "values left out": best.candidate.left_out,
        "items left out": best.candidate.unused,
        "query before": float(best.candidate.repeats),
    }
    fails = tried_out and best.rows is None
    weight = 0.0 if fails else reranker.weight(features)
    return Choice(best.candidate, best.rows, best.problem, probability, features, weight)
