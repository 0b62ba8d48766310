"""The one thing in which a reading of a question differs from the best.

SELECT city FROM customers WHERE name = 'Kim'
SELECT city FROM suppliers WHERE name = 'Kim'      a column (and the table that follows from it)
SELECT COUNT(*) FROM customers WHERE name = 'Kim'  an aggregate
SELECT city FROM customers WHERE firm = 'Kim'      the column of a value
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ....data.sql.clause_parts import ClausePart, clause_parts
from ..choice import Choice

__all__ = ["ReadingDifference", "differing"]


@dataclass(frozen=True)
class ReadingDifference:
    """A reading, and the one thing in which it differs from the best.

    Attributes:
        kind: of thing: column, columns, aggregate, distinct, group, order, table, value.
        best, other: the parts of the clause that says it, in each of the two.
        value: what both look for, where the column that holds it is the difference.
    """

    choice: Choice
    kind: str
    best: tuple[ClausePart, ...]
    other: tuple[ClausePart, ...]
    value: str | None = None


def differing(readings: Sequence[Choice], dialect: str) -> Iterator[ReadingDifference]:
    """Yield the readings that differ from the first in one thing that a person can tell."""
    first = clause_parts(readings[0].candidate.query.tree, dialect)
    for choice in readings[1:]:
        parts = clause_parts(choice.candidate.query.tree, dialect)
        lost = [part for part in first if part not in parts and part.clause != "FROM"]
        new = [part for part in parts if part not in first and part.clause != "FROM"]
        found = _kind(lost, new)
        if found is None:
            continue
        kind, clause = found
        best, other = (tuple(one for one in some if _clause(one) == clause) for some in (first, parts))
        if clause != "FROM" or all(isinstance(part.tree, exp.Table) for part in (*best, *other)):
            yield ReadingDifference(choice, kind, best, other, _value(lost[0]) if kind == "value" else None)


def _kind(lost: Sequence[ClausePart], new: Sequence[ClausePart]) -> tuple[str, str] | None:
    """Return the kind of difference and the clause that tells it, None where there is more than one thing."""
    clauses = {_clause(part) for part in (*lost, *new)}
    if not clauses:
        return "table", "FROM"
    if clauses == {"SELECT", "GROUP BY"} and len(lost) <= 2 and len(new) <= 2:
        return "group", "GROUP BY"
    if len(clauses) > 1 or len(lost) > 1 or len(new) > 1:
        return None
    clause = clauses.pop()
    if clause == "SELECT":
        return (_of_projections(lost[0], new[0]) if lost and new else "columns"), clause
    if clause in ("WHERE", "HAVING"):
        same = lost and new and _value(lost[0]) is not None and _value(lost[0]) == _value(new[0])
        return ("value", clause) if same else None
    return {"GROUP BY": ("group", clause), "ORDER BY": ("order", clause)}.get(clause)


def _of_projections(lost: ClausePart, new: ClausePart) -> str:
    if lost.sql == new.sql:
        return "distinct"
    one, other = (type(part.tree) if isinstance(part.tree, exp.AggFunc) else None for part in (lost, new))
    return "column" if one is other else "aggregate"


def _clause(part: ClausePart) -> str:
    return "SELECT" if part.clause == "SELECT DISTINCT" else part.clause


def _value(condition: ClausePart) -> str | None:
    """Return the text that a condition compares a column with."""
    tree = condition.tree
    if not isinstance(tree, exp.Binary) or not isinstance(tree.this, exp.Column):
        return None
    value = tree.args["expression"]
    return value.name.strip("%") if isinstance(value, exp.Literal) and value.is_string else None
