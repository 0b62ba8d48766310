"""A query as its parts: each projection, condition, group, order, limit and table, as it is written.

SELECT name FROM artist WHERE country = 'France' AND age > 30 ORDER BY name
    SELECT name, WHERE country = 'France', WHERE age > 30, ORDER BY name, FROM artist
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

__all__ = ["ClausePart", "clause_parts", "parts_of"]

_LISTS = {"group": "GROUP BY", "order": "ORDER BY"}
_CONDITIONS = {"where": "WHERE", "having": "HAVING"}
_NUMBERS = {"limit": "LIMIT", "offset": "OFFSET"}


@dataclass(frozen=True)
class ClausePart:
    """A part of a query; two are the same where they are written so.

    Attributes:
        clause: that it stands in (``SELECT``, ``SELECT DISTINCT``, ``WHERE``, ``GROUP BY``, ``UNION``, …).
        sql: as it is written, without the clause.
        tree: of sqlglot.
    """

    clause: str
    sql: str
    tree: exp.Expr = field(compare=False)

    def __str__(self) -> str:
        return f"{self.clause} {self.sql}"


def clause_parts(tree: exp.Expr | None, dialect: str) -> tuple[ClausePart, ...]:
    """Return the different parts of a query; those of one that does not parse, or is nested too deep, are none."""
    try:
        return tuple(dict.fromkeys(parts_of(tree, dialect)))
    except RecursionError:  # thousand queries joined by UNION parse, and are a tree as deep
        return ()


def parts_of(tree: exp.Expr | None, dialect: str) -> Iterator[ClausePart]:
    """Yield the parts of a query in the order in which they are written; of two joined by UNION those of both.

    The tables come last: they follow from the rest, but where all rows are counted.
    """
    if isinstance(tree, exp.SetOperation):
        yield from parts_of(tree.left, dialect)
        yield ClausePart(tree.key.upper(), f"({tree.right.sql(dialect=dialect)})", tree.right)
    if not isinstance(tree, exp.Select):
        return

    def part(clause: str, one: exp.Expr) -> ClausePart:
        return ClausePart(clause, one.sql(dialect=dialect), one)

    select = "SELECT DISTINCT" if tree.args.get("distinct") else "SELECT"
    yield from (part(select, one) for one in tree.expressions)
    for name, clause in _CONDITIONS.items():
        found = tree.args.get(name)
        conjuncts = list(found.this.flatten()) if found and isinstance(found.this, exp.And) else [found and found.this]
        yield from (part(clause, one) for one in conjuncts if one)
    for name, clause in _LISTS.items():
        found = tree.args.get(name)
        yield from (part(clause, one) for one in (found.expressions if found else ()))
    yield from (part(clause, found.expression) for name, clause in _NUMBERS.items() if (found := tree.args.get(name)))
    sources = [tree.args.get("from_"), *(tree.args.get("joins") or ())]
    yield from (part("FROM", one.this) for one in sources if one)
