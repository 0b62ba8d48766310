"""How well values are found: entity F1, and whether a query got every value it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from seqeval.metrics import f1_score, precision_score, recall_score

from ..data.errors import InputError
from ..data.examples import SLOT, Example, Value
from .finder import ValueFinder
from .sources import FIXED_TYPES

__all__ = ["EntityScores", "entity_f1", "evaluate", "is_complete"]


@dataclass(frozen=True)
class EntityScores:
    """Scores of a value finder.

    Attributes:
        f1: over entities, right in span and type (numbers and times do not count).
        precision: likewise.
        recall: likewise.
        literal_f1: over numbers and times alone; None where there are none.
        complete: share of questions for which every slot that the gold query uses holds the gold value.
        questions: how many were measured.
    """

    f1: float
    precision: float
    recall: float
    literal_f1: float | None
    complete: float
    questions: int

    def to_json(self) -> dict[str, Any]:
        """Return the scores as a plain dict."""
        return asdict(self)


def evaluate(finder: ValueFinder, examples: Sequence[Example]) -> EntityScores:
    """Score ``finder`` on examples with known values.

    Raises:
        InputError: no examples.
    """
    if not examples:
        raise InputError("no examples to measure values on")
    questions = [e.question for e in examples]
    found = finder.find(questions)
    gold = [e.values for e in examples]
    want, got = _tags(questions, gold), _tags(questions, found)
    literals = any(v.mention.type in FIXED_TYPES for values in gold for v in values)
    return EntityScores(
        f1=entity_f1(questions, gold, found),
        precision=_score(precision_score, want, got),
        recall=_score(recall_score, want, got),
        literal_f1=entity_f1(questions, gold, found, literals=True) if literals else None,
        complete=sum(is_complete(e, values) for e, values in zip(examples, found, strict=True)) / len(examples),
        questions=len(examples),
    )


def entity_f1(
    questions: Sequence[str],
    gold: Sequence[Sequence[Value]],
    found: Sequence[Sequence[Value]],
    *,
    literals: bool = False,
) -> float:
    """Return the micro F1 of spans with their types, by seqeval over characters; 1 where there are none.

    Args:
        questions: the texts.
        gold: the values each names.
        found: the values found in each.
        literals: measure numbers and times instead of entities.
    """
    want, got = _tags(questions, gold, literals=literals), _tags(questions, found, literals=literals)
    return _score(f1_score, want, got)


def is_complete(example: Example, found: Sequence[Value]) -> bool:
    """Tell whether every slot that the gold query uses holds the gold value in ``found``."""
    want = {v.slot: v.mention.sql for v in example.values}
    got = {v.slot: v.mention.sql for v in found}
    needed = {match[1] + match[2] for match in SLOT.finditer(example.slotted)}
    return all(slot in got and got[slot] == want.get(slot) for slot in needed)


def _score(measure: Callable[..., Any], want: list[list[str]], got: list[list[str]]) -> float:
    """Return a score of seqeval's; 1 where no side has an entity, which seqeval leaves undefined."""
    if all(tag == "O" for rows in (want, got) for row in rows for tag in row):
        return 1.0
    return float(measure(want, got, zero_division=0))


def _tags(questions: Sequence[str], values: Sequence[Sequence[Value]], *, literals: bool = False) -> list[list[str]]:
    rows: list[list[str]] = []
    for question, named in zip(questions, values, strict=True):
        row = ["O"] * len(question)
        for value in named:
            mention = value.mention
            if (mention.type in FIXED_TYPES) == literals:
                row[mention.start : mention.end] = [f"I-{mention.type}"] * (mention.end - mention.start)
                row[mention.start] = f"B-{mention.type}"
        rows.append(row)
    return rows
