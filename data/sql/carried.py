"""What a query has of another one: its projections, conditions, groups and order, each as it is written.

SELECT name FROM artist WHERE country = 'France' ORDER BY name
SELECT COUNT(*) FROM artist WHERE country = 'France'
    kept:    WHERE country = 'France', FROM artist
    new:     SELECT COUNT(*)
    dropped: SELECT name, ORDER BY name
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from ..answer import Carried
from .parsing import parse

__all__ = ["carried"]

_LISTS = {"group": "GROUP BY", "order": "ORDER BY"}
_CONDITIONS = {"where": "WHERE", "having": "HAVING"}
_NUMBERS = {"limit": "LIMIT", "offset": "OFFSET"}


def carried(before: str, sql: str, dialect: str) -> Carried:
    """Return what of the query ``before`` stands in ``sql``; of one that does not parse nothing does."""
    earlier, now = (list(dict.fromkeys(_parts(parse(one, dialect), dialect))) for one in (before, sql))
    kept = tuple(part for part in now if part in earlier)
    new = tuple(part for part in now if part not in earlier)
    return Carried(kept, new, tuple(part for part in earlier if part not in now))


def _parts(tree: exp.Expr | None, dialect: str) -> Iterator[str]:
    """Yield the parts of a query in the order in which they are written; of two queries joined by UNION those of both.

    The tables come last: they follow from the rest, but where all rows are counted.
    """
    if isinstance(tree, exp.SetOperation):
        yield from _parts(tree.left, dialect)
        yield f"{tree.key.upper()} ({tree.right.sql(dialect=dialect)})"
    if not isinstance(tree, exp.Select):
        return
    distinct = "DISTINCT " if tree.args.get("distinct") else ""
    yield from (f"SELECT {distinct}{one.sql(dialect=dialect)}" for one in tree.expressions)
    for name, clause in _CONDITIONS.items():
        found = tree.args.get(name)
        conjuncts = list(found.this.flatten()) if found and isinstance(found.this, exp.And) else [found and found.this]
        yield from (f"{clause} {one.sql(dialect=dialect)}" for one in conjuncts if one)
    for name, clause in _LISTS.items():
        found = tree.args.get(name)
        yield from (f"{clause} {one.sql(dialect=dialect)}" for one in (found.expressions if found else ()))
    yield from (found.sql(dialect=dialect).strip() for name in _NUMBERS if (found := tree.args.get(name)))
    sources = [tree.args.get("from_"), *(tree.args.get("joins") or ())]
    yield from (f"FROM {one.this.sql(dialect=dialect)}" for one in sources if one)
