"""Follow-ups that keep to the rows of a query and ask something else of them: how many, their average, the best."""

from functools import partial

from sqlglot import exp

from ..facts.facts import ColumnFacts, TableFacts
from ..facts.verbalisation import joined
from ..parts.draws import Draw, NothingToDraw
from ..parts.phrases import Count, Phrase
from ..structures.shape import extreme
from .changed_query import FIGURES, ChangedQuery, count_star, limit, order_by
from .conditions import Change, joined_to


def count(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT name FROM …`` becomes ``SELECT COUNT(*) FROM …``: how many is that?"""
    if not query.lists or query.has("limit", "distinct"):
        raise NothingToDraw
    return query.showing(count_star(), order=None), Phrase("then-count", {"t": query.rows.noun})


def listed(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT COUNT(*) FROM …`` becomes ``SELECT name FROM …``: which ones?"""
    table = query.table
    if not query.counts or not query.tree.expressions[0].find(exp.Star) or not table.identity:
        raise NothingToDraw
    names = joined([c.noun for c in table.identity], draw.frame.language)
    return query.showing(*map(query.refer, table.identity)), Phrase("then-list", {"t": table.noun, "c": names})


def also(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT name FROM …`` becomes ``SELECT name, age FROM …``: and their age?"""
    old = _listed_columns(query)
    column = _fresh(draw, query, old)
    shown = (*query.tree.expressions, query.refer(column))
    said = {"t": query.rows.noun, "c": column.noun, "old": joined([c.noun for c in old], draw.frame.language)}
    return query.showing(*shown), Phrase("also-column", said)


def instead(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT name FROM …`` becomes ``SELECT age FROM …``: I meant their age."""
    old = _listed_columns(query)
    column = _fresh(draw, query, old)
    said = {"t": query.rows.noun, "c": column.noun, "old": joined([c.noun for c in old], draw.frame.language)}
    return query.showing(query.refer(column)), Phrase("other-column", said)


def figure(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT name FROM …`` becomes ``SELECT AVG(age) FROM …``: what is their average age?"""
    if not (query.lists or query.counts) or query.has("limit", "distinct", "joins"):
        raise NothingToDraw
    column, function = draw.number(query.rows), draw.one(["avg", "avg", "max", "min", "sum"])
    if column.profile.number is not None or (function == "sum" and not column.sums):
        raise NothingToDraw
    shown = FIGURES[function](this=query.refer(column))
    value = Phrase(f"value-{function}", {"c": column.noun}, column.meaning)
    return query.showing(shown, order=None), Phrase("then-figure", {"value": value, "t": query.rows.noun})


def ordered(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT name FROM …`` becomes ``SELECT name FROM … ORDER BY age DESC``: the oldest first."""
    if not _listed_columns(query) or query.has("order", "limit"):
        raise NothingToDraw
    column, down = draw.ordered(query.rows), draw.chance(0.6)
    way = ("down" if down else "up") if column.role == "number" else ("late" if down else "soon")
    return query.showing(*query.tree.expressions, order=_by(query, column, down)), Phrase(
        "then-order", {"c": column.noun}, way
    )


def top(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT name FROM …`` becomes ``SELECT name FROM … ORDER BY age DESC LIMIT 1``: the oldest of them."""
    shown = _listed_columns(query)
    table, several = query.rows, draw.chance(0.3)
    column, down = draw.ordered(table), draw.chance(0.7)
    if query.has("limit") or (column in shown and shown[:1] != [column]):
        raise NothingToDraw
    kept = draw.rng.randint(2, 5) if several else 1
    said = extreme(table, column, down)
    rule = "then-top-few" if several else "then-top"
    slots = {"t": table.noun, "c": column.noun, "top": said, "m": Count(kept)}
    told = query.showing(*query.tree.expressions, order=_by(query, column, down), limit=limit(kept))
    return told, Phrase(rule, slots, ("down" if down else "up") if several else "")


def _of_parents(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT title FROM album …`` becomes ``SELECT DISTINCT artist.name …``: which artists are they of?"""
    table = _asked_rows(query)
    join = draw.join(lambda one: one.child is table and one.many and bool(one.parent.identity))
    told = joined_to(draw, query, join.source)
    shown = told.showing(*map(told.refer, join.parent.identity), distinct=exp.Distinct(), order=None)
    return shown, Phrase("then-parents", {"p": join.noun, "t": table.noun})


def _of_children(draw: Draw, query: ChangedQuery, *, counted: bool) -> tuple[ChangedQuery, Phrase]:
    """``SELECT name FROM artist …`` becomes ``SELECT album.title …``: what albums do they have?"""
    table = _asked_rows(query)
    join = draw.join(lambda one: one.parent is table and one.many and one.plain and bool(one.child.identity))
    told = joined_to(draw, query, join.source)
    shown = (count_star(),) if counted else tuple(map(told.refer, join.child.identity))
    rule = "then-count-children" if counted else "then-children"
    return told.showing(*shown, order=None), Phrase(rule, {"k": join.child.noun, "t": table.noun})


def _asked_rows(query: ChangedQuery) -> TableFacts:
    """Return the only table, whose rows are listed or counted."""
    if not (query.lists or query.counts) or query.has("limit", "distinct"):
        raise NothingToDraw
    return query.table


def _listed_columns(query: ChangedQuery) -> list[ColumnFacts]:
    """Return the columns that are listed, row by row.

    Raises:
        NothingToDraw: something else is asked of the rows.
    """
    found = [query.facts_of(one) for one in query.tree.expressions if isinstance(one, exp.Column)]
    shown = [one for one in found if one is not None]
    if not query.lists or query.has("distinct") or len(shown) < len(query.tree.expressions):
        raise NothingToDraw
    return shown


def _fresh(draw: Draw, query: ChangedQuery, old: list[ColumnFacts]) -> ColumnFacts:
    column = draw.shown(query.rows)[0]
    if column in old or column.ref(True) in query.about():
        raise NothingToDraw
    return column


def _by(query: ChangedQuery, column: ColumnFacts, down: bool) -> exp.Order:
    if column.order() != column.sql:  # written in a way that has to be read first
        raise NothingToDraw
    return order_by(query.refer(column), down)


SHOWN: dict[str, Change] = {
    "count": count,
    "list": listed,
    "a column more": also,
    "another column": instead,
    "a figure": figure,
    "order": ordered,
    "top": top,
    "parents": _of_parents,
    "children": partial(_of_children, counted=False),
    "count of children": partial(_of_children, counted=True),
}
"""Changes by what they are called."""
