"""Chooses among the n best queries of a question: runs them, merges those with the same rows, and orders the answers.

Queries with the same rows are merged into one answer, and their probabilities add up (as Li et al. 2022, AlphaCode,
cluster programs); the reranker orders the answers. The queries share one time limit. A query that the database does not
answer now, or not in time, may still be right: it keeps its place, and no faster query takes it.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property

from ...classifiers.named_features import Reranker
from ...data.databases.database import Database
from ...data.databases.rows import Rows, comparable
from ...data.errors import DatabaseError, UnavailableError, UnknownNameError
from ..decoding.candidates import Candidate


@dataclass(frozen=True)
class Choice:
    """One answer to a question.

    Attributes:
        candidate: the likeliest query of those with these rows.
        rows: the rows it returns, None where the database refused it or took too long, and where it was not run.
        problem: the error of the database; None if there was none, and where it was not run.
        probability: the summed probability of all queries with these rows, among all that the network could write.
        features: the features of the reranker.
        weight: the weight by which the reranker orders the choices; 0 where the query itself always fails.
        share: its share of all choices' weights.
    """

    candidate: Candidate
    rows: Rows | None
    problem: str | None
    probability: float
    features: Mapping[str, float]
    weight: float
    share: float = 0.0


@dataclass(frozen=True)
class _Tried:
    candidate: Candidate
    rows: Rows | None = None
    problem: str | None = None
    fails: bool = False

    @cached_property
    def key(self) -> object:
        """Return a key that is equal for queries with the same rows, whatever the order of the columns."""
        if self.rows is None:
            return self.candidate.sql
        rows = [tuple(map(comparable, row)) for row in self.rows.rows]
        together = Counter(tuple(sorted(row, key=repr)) for row in rows)
        columns = Counter(frozenset(Counter(column).items()) for column in zip(*rows, strict=True))
        return len(self.rows.columns), frozenset(together.items()), frozenset(columns.items())


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
        candidates: the queries, the likeliest first.
        database: the database; without it each query is an answer, and none is run.
        reranker: the reranker; None for the one that ships.
        names_hold: whether the queries come from a schema that the database had. Then an unknown name is one that was
            dropped since, and no fault of the query.
        is_sure: a test of the choices, called where queries are slow, with each query not run yet as its own answer.
            If it says that the best needs no more support, the rest is run only where it could change the best.
    """
    weigher, choices = reranker or Reranker.shipped(), list[Choice]()
    tries = [_Tried(candidate) for candidate in candidates]
    with nullcontext() if database is None else database.one_limit():
        for place, candidate in enumerate(candidates):
            tries[place] = _run(candidate, database, names_hold=names_hold)
            choices = _ordered(tries, weigher)
            left = sum(math.exp(one.score) for one in candidates[place + 1 :])
            if database is None or not left or not _is_settled(choices, left, weigher):
                continue
            if choices[0].problem is not None or (database.is_slow and is_sure(choices)):
                break
    return choices


def _ordered(tries: Sequence[_Tried], reranker: Reranker) -> list[Choice]:
    """Return the different answers, each of the queries with the same rows, the best first."""
    merged: dict[object, list[_Tried]] = {}
    for tried in tries:
        merged.setdefault(tried.key, []).append(tried)
    choices = list[Choice]()
    for best, *others in merged.values():
        probability = sum(math.exp(tried.candidate.score) for tried in (best, *others))
        cells = None if best.rows is None else [cell for row in best.rows.rows for cell in row]
        features = {
            "log probability": math.log(max(probability, 1e-30)),
            "no rows": float(cells is not None and all(cell is None for cell in cells)),
            "values left out": best.candidate.left_out,
            "items left out": best.candidate.unused,
            "query before": float(best.candidate.repeats),
        }
        weight = 0.0 if best.fails else reranker.weight(features)
        choices.append(Choice(best.candidate, best.rows, best.problem, probability, features, weight))
    total = sum(choice.weight for choice in choices) or 1.0
    ordered = sorted(choices, key=lambda choice: -choice.weight)
    return [replace(choice, share=choice.weight / total) for choice in ordered]


def _is_settled(choices: Sequence[Choice], left: float, reranker: Reranker) -> bool:
    """Say whether the best was run and stays the best even if all queries not run yet support the same other answer.

    Args:
        left: the summed probability of the queries not run yet.
    """
    most = (
        {**choice.features, "log probability": math.log(left + choice.probability * (choice.rows is not None))}
        for choice in choices[1:]
        if choice.rows is not None or choice.problem is None
    )
    best, was_run = choices[0], choices[0].rows is not None or choices[0].problem is not None
    return was_run and best.weight > 0 and all(reranker.weight(features) <= best.weight for features in most)


def _run(candidate: Candidate, database: Database | None, *, names_hold: bool) -> _Tried:
    if database is None:
        return _Tried(candidate)
    try:
        return _Tried(candidate, database.query(candidate.sql, constrained=candidate.chosen))
    except DatabaseError as error:
        kept = isinstance(error, UnavailableError) or (names_hold and isinstance(error, UnknownNameError))
        problem = error.unplaced.removeprefix(f"{database.name}: ")  # the server address is private
        return _Tried(candidate, None, problem, fails=not kept)
