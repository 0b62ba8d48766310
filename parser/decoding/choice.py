"""The choice among the n best queries of a question: by what they return.

Queries with the same rows are one answer, and their probabilities add up (Li et al. 2022, AlphaCode, cluster programs
so). An answer without rows, or of NULLs alone, is seldom what was asked for, so it counts less; so does a query that
makes no sense.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from ...data.databases.database import Database
from ...data.databases.rows import Rows, comparable
from ...data.errors import DatabaseError
from .ages import against_ages
from .candidates import Candidate
from .sense import Sense
from .unsaid import loses_each, turns_round

__all__ = ["Choice", "choose"]

UNSAID = 2.0
"""How much a value or a «not» that the query leaves out speaks against it; chosen on held-out databases."""

SENSELESS = 6.0
"""How much each comparison that makes no sense does; chosen there, too."""

EMPTY = 0.3
"""What an answer without rows, or of NULLs alone, keeps of its probability; chosen on held-out databases."""


@dataclass(frozen=True)
class Choice:
    """One answer to a question.

    Attributes:
        candidate: the likeliest query of those with these rows.
        rows: what it returns, None where the database refused it or took too long.
        problem: what the database said then.
        probability: of all queries with these rows, among all that the network could have written.
        weight: the same, after what their rows cost them; orders the choices.
    """

    candidate: Candidate
    rows: Rows | None
    problem: str | None
    probability: float
    weight: float


def choose(
    candidates: Sequence[Candidate], database: Database | None, sense: Sense | None = None, question: str = ""
) -> list[Choice]:
    """Run queries, reading only, and return the different answers, the best first.

    Args:
        candidates: the likeliest first.
        database: without it each query is an answer, and none is tried out.
        sense: what is known against queries that run.
        question: that was asked.
    """
    with nullcontext() if database is None else database.one_wait():
        return _chosen(candidates, database, sense, question)


def _chosen(
    candidates: Sequence[Candidate], database: Database | None, sense: Sense | None, question: str
) -> list[Choice]:
    merged: dict[object, Choice] = {}
    for candidate in candidates:
        found = _run(candidate, database)
        key = _key(found)
        first = merged.get(key)
        probability = found.probability + (first.probability if first else 0.0)
        best = first or found
        worth = 1.0 if database is None else _worth(best.rows)
        against = UNSAID * best.candidate.unsaid
        against += SENSELESS * sense.against(best.candidate.words) if sense else 0.0
        against += SENSELESS * against_ages(question, best.candidate.words)
        if best.candidate.formulas:  # of plain queries the network knows these; formulas it does not see through
            against += UNSAID * loses_each(question, best.candidate.sql)
            against += SENSELESS * turns_round(question, best.candidate.sql)
        weight = probability * worth * math.exp(-against)
        merged[key] = Choice(best.candidate, best.rows, best.problem, probability, weight)
    return sorted(merged.values(), key=lambda choice: -choice.weight)


def _run(candidate: Candidate, database: Database | None) -> Choice:
    probability = math.exp(candidate.score)
    if database is None:
        return Choice(candidate, None, None, probability, 0.0)
    try:
        return Choice(candidate, database.query(candidate.sql), None, probability, 0.0)
    except DatabaseError as error:
        return Choice(candidate, None, error.problem, probability, 0.0)


def _worth(rows: Rows | None) -> float:
    if rows is None:
        return 0.0
    return 1.0 if any(cell is not None for row in rows.rows for cell in row) else EMPTY


def _key(found: Choice) -> object:
    """Return what two queries with one answer have in common, whatever the order of its columns."""
    if found.rows is None:
        return found.candidate.sql
    rows = [tuple(map(comparable, row)) for row in found.rows.rows]
    together = Counter(tuple(sorted(row, key=repr)) for row in rows)
    columns = Counter(frozenset(Counter(column).items()) for column in zip(*rows, strict=True))
    return len(found.rows.columns), frozenset(together.items()), frozenset(columns.items())
