"""What a query has of another one, part by part, however each of them calls its tables.

SELECT name FROM artist WHERE country = 'France' ORDER BY name
SELECT COUNT(*) FROM artist AS a WHERE a.country = 'France'
    kept:    WHERE a.country = 'France', FROM artist AS a
    new:     SELECT COUNT(*)
    dropped: SELECT name, ORDER BY name
"""

from __future__ import annotations

from sqlglot import exp

from ..data.schema.schema import Schema
from ..data.sql.query import Query, parts_of
from ..data.sql.sources import Stored, canonicalise_aliases
from .answer import Carried

__all__ = ["carried"]

_SELF_EVIDENT = ("SELECT", "FROM")
"""Clauses of a query inside another one that say little of what was meant."""


def carried(before: Query, now: Query, schema: Schema) -> Carried:
    """Return what of the query ``before`` stands in ``now``; of one that does not parse nothing does.

    A condition that has moved into a query within the query is kept, too.

    Args:
        schema: that both are on; says which table a column is of.
    """
    stored = Stored(schema)
    try:
        (earlier, within), (later, inside) = (_parts(query, schema, stored) for query in (before, now))
    except RecursionError:  # thousand queries joined by UNION parse, and are a tree as deep
        return Carried()
    known, left = earlier | within, later | inside
    kept = [text for key, text in later.items() if key in known]
    kept += [text for key, text in inside.items() if key in known and not any(text in one for one in kept)]
    new = tuple(text for key, text in later.items() if key not in known)
    return Carried(tuple(kept), new, tuple(text for key, text in earlier.items() if key not in left))


def _parts(query: Query, schema: Schema, stored: Stored) -> tuple[dict[str, str], dict[str, str]]:
    """Return the parts of a query, and those of the queries within it: what they mean, and how they are written."""
    if query.tree is None:
        return {}, {}
    pairs = list(zip(_selects(_spelled_out(query.tree, schema, stored)), _selects(query.tree), strict=True))
    outer, *inner = [_by_meaning(one, other, query.dialect) for one, other in pairs] or [{}]
    within = {key: text for some in inner for key, text in some.items() if not key.startswith(_SELF_EVIDENT)}
    return outer, within


def _by_meaning(meant: exp.Expr, written: exp.Expr, dialect: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, part in zip(parts_of(meant, dialect), parts_of(written, dialect), strict=True):
        found.setdefault(str(key), str(part))
    return found


def _selects(tree: exp.Expr) -> list[exp.Expr]:
    """Return a query, then the SELECTs within it."""
    return [tree, *(one for one in tree.find_all(exp.Select, bfs=False) if one is not tree)]


def _spelled_out(written: exp.Expr, schema: Schema, stored: Stored) -> exp.Expr:
    """Return a copy of a query with the table before each column, and all names in lower case."""
    tree = canonicalise_aliases(written.copy(), schema)
    owned = [(column, found) for column in tree.find_all(exp.Column) if len(found := stored.of(column)) == 1]
    for column, ((owner, _, name),) in owned:
        column.set("table", exp.to_identifier(owner.alias_or_name))
        column.set("this", exp.to_identifier(name))
    for name in tree.find_all(exp.Identifier):
        name.set("this", name.name.lower())
        name.set("quoted", False)
    return tree
