"""The context edit between two queries, part by part, regardless of their aliases.

SELECT name FROM artist WHERE country = 'France' ORDER BY name
SELECT COUNT(*) FROM artist AS a WHERE a.country = 'France'
    kept:    WHERE a.country = 'France', FROM artist AS a
    new:     SELECT COUNT(*)
    dropped: SELECT name, ORDER BY name
"""

from sqlglot import exp

from ..data.schema.schema import Schema
from ..data.sql.query import Query, parts_of
from ..data.sql.sources import Stored, canonicalise_aliases
from .answer import Carried

_SELF_EVIDENT = ("SELECT", "FROM")
"""The clauses of a nested query that are too common to count as kept."""


def carried(before: Query, now: Query, schema: Schema) -> Carried:
    """Return the parts of the query ``before`` that ``now`` keeps, adds and drops.

    A condition that has moved into a nested query counts as kept. A query that does not parse has no parts.

    Args:
        schema: the schema of both queries, which tells the table of each column.
    """
    stored = Stored(schema)
    try:
        (earlier, within), (later, inside) = (_parts(query, schema, stored) for query in (before, now))
    except RecursionError:  # a thousand queries joined by UNION parse to a tree of that depth
        return Carried()
    earlier_keys, left = earlier | within, later | inside
    kept = [text for key, text in later.items() if key in earlier_keys]
    kept += [text for key, text in inside.items() if key in earlier_keys and not any(text in part for part in kept)]
    new = tuple(text for key, text in later.items() if key not in earlier_keys)
    return Carried(tuple(kept), new, tuple(text for key, text in earlier.items() if key not in left))


def _parts(query: Query, schema: Schema, stored: Stored) -> tuple[dict[str, str], dict[str, str]]:
    """Return the parts of a query, and those of its nested queries, as canonical SQL -> SQL as written."""
    if query.tree is None:
        return {}, {}
    pairs = list(zip(_selects(_spelled_out(query.tree, schema, stored)), _selects(query.tree), strict=True))
    outer, *inner = [_by_meaning(canonical, written, query.dialect) for canonical, written in pairs] or [{}]
    within = {key: text for parts in inner for key, text in parts.items() if not key.startswith(_SELF_EVIDENT)}
    return outer, within


def _by_meaning(canonical: exp.Expr, written: exp.Expr, dialect: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for key, part in zip(parts_of(canonical, dialect), parts_of(written, dialect), strict=True):
        parts.setdefault(str(key), str(part))
    return parts


def _selects(tree: exp.Expr) -> list[exp.Expr]:
    """Return a query, then its nested SELECTs."""
    return [tree, *(select for select in tree.find_all(exp.Select, bfs=False) if select is not tree)]


def _spelled_out(written: exp.Expr, schema: Schema, stored: Stored) -> exp.Expr:
    """Return a copy of a query with each column qualified by its table, and all names in lower case."""
    tree = canonicalise_aliases(written.copy(), schema)
    owned = [(column, places) for column in tree.find_all(exp.Column) if len(places := stored.of(column)) == 1]
    for column, ((owner, _, name),) in owned:
        column.set("table", exp.to_identifier(owner.alias_or_name))
        column.set("this", exp.to_identifier(name))
    for name in tree.find_all(exp.Identifier):
        name.set("this", name.name.lower())
        name.set("quoted", False)
    return tree
