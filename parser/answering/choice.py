"""The choice among the n best queries of a question: by what they return, and by the reranker.

Queries with the same rows are one answer, and their probabilities add up (Li et al. 2022, AlphaCode, cluster programs
so). All have one time limit together. A query that the database does not answer at present, or not in time, may be the
right one: it keeps its place, and no quicker one takes it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property

from ...classifiers.reranker import Reranker
from ...data.databases.database import Database
from ...data.databases.rows import Rows, comparable
from ...data.errors import DatabaseError, UnavailableError, UnknownNameError
from ..decoding.candidates import Candidate

__all__ = ["Choice", "choose"]


@dataclass(frozen=True)
class Choice:
    """One answer to a question.

    Attributes:
        candidate: the likeliest query of those with these rows.
        rows: what it returns, None where the database refused it or took too long, and where it was not run.
        problem: what the database said then; None where it was not run.
        probability: of all queries with these rows, among all that the network could have written.
        features: those of the reranker.
        weight: what it gives; orders the choices. 0 where the query itself fails, whenever it is run.
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
    *,
    names_hold: bool = False,
    is_sure: Callable[[list[Choice]], bool] = lambda _: False,
) -> list[Choice]:
    """Run queries, reading only, and return the different answers, the best first.

    Args:
        candidates: the likeliest first.
        database: without it each query is an answer, and none is tried out.
        reranker: None is the one that ships.
        names_hold: were the queries written by a schema that the database had? Then a name that it does not have is
            gone by now, and no fault of the query.
        is_sure: asked of the choices where queries are slow, with those not run yet as answers of their own: does the
            best need no more support? Then these are not run, unless they could put another one first.
    """
    weigher, found = reranker or Reranker.shipped(), list[Choice]()
    tries = [_Tried(candidate) for candidate in candidates]
    with nullcontext() if database is None else database.one_limit():
        for place, candidate in enumerate(candidates):
            tries[place] = _run(candidate, database, names_hold=names_hold)
            found = _ordered(tries, weigher)
            left = sum(math.exp(one.score) for one in candidates[place + 1 :])
            if database is None or not left or not _is_settled(found, left, weigher):
                continue
            if found[0].problem is not None or (database.is_slow and is_sure(found)):
                break
    return found


def _ordered(tries: Sequence[_Tried], reranker: Reranker) -> list[Choice]:
    """Return the different answers, the best first."""
    merged: dict[object, list[_Tried]] = {}
    for one in tries:
        merged.setdefault(one.key, []).append(one)
    found = [_choice(some, reranker) for some in merged.values()]
    total = sum(choice.weight for choice in found) or 1.0
    ordered = sorted(found, key=lambda choice: -choice.weight)
    return [replace(choice, share=choice.weight / total) for choice in ordered]


def _is_settled(found: Sequence[Choice], left: float, reranker: Reranker) -> bool:
    """Say whether the best was run and stays the best, even if all that were not run support the same other answer.

    Args:
        left: the probability of those queries together.
    """
    most = (
        {**one.features, "log probability": math.log(left + one.probability * (one.rows is not None))}
        for one in found[1:]
        if one.rows is not None or one.problem is None
    )
    best, was_run = found[0], found[0].rows is not None or found[0].problem is not None
    return was_run and best.weight > 0 and all(reranker.weight(features) <= best.weight for features in most)


@dataclass(frozen=True)
class _Tried:
    candidate: Candidate
    rows: Rows | None = None
    problem: str | None = None
    fails: bool = False

    @cached_property
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
        """Say whether it was run and nothing comes back, or NULLs alone."""
        return self.rows is not None and not any(cell is not None for row in self.rows.rows for cell in row)


def _run(candidate: Candidate, database: Database | None, *, names_hold: bool) -> _Tried:
    if database is None:
        return _Tried(candidate)
    try:
        return _Tried(candidate, database.query(candidate.sql, constrained=candidate.chosen))
    except DatabaseError as error:
        kept = isinstance(error, UnavailableError) or (names_hold and isinstance(error, UnknownNameError))
        problem = error.unplaced.removeprefix(f"{database.name}: ")  # where a server is, is for whoever connects
        return _Tried(candidate, None, problem, fails=not kept)


def _choice(some: Sequence[_Tried], reranker: Reranker) -> Choice:
    """Return the answer of queries with the same rows, the likeliest first."""
    best = some[0]
    probability = sum(math.exp(one.candidate.score) for one in some)
    features = {
        "log probability": math.log(max(probability, 1e-30)),
        "no rows": float(best.empty),
        "values left out": best.candidate.left_out,
        "items left out": best.candidate.unused,
        "query before": float(best.candidate.repeats),
    }
    weight = 0.0 if best.fails else reranker.weight(features)
    return Choice(best.candidate, best.rows, best.problem, probability, features, weight)
