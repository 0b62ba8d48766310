"""Follow-ups that keep to the rows of a query and ask something else of them: how many, their average, the best."""

from __future__ import annotations

from functools import partial

from sqlglot import exp

from ..draws import Draw, NothingToDraw
from ..facts.facts import ColumnFacts, TableFacts
from ..facts.verbalisation import joined
from ..phrases import Count, Phrase, Text
from ..structures.shape import extreme
from .changed_query import ChangedQuery
from .conditions import Change, joined_to

__all__ = ["SHOWN"]

_FUNCTIONS = {"avg": exp.Avg, "max": exp.Max, "min": exp.Min, "sum": exp.Sum}


def count(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT name FROM …`` becomes ``SELECT COUNT(*) FROM …``: how many is that?"""
    if not query.lists or query.has("limit", "distinct"):
        raise NothingToDraw
    return query.showing(_count(), order=None), Phrase("then-count", {"t": _rows(query).noun})


def listed(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT COUNT(*) FROM …`` becomes ``SELECT name FROM …``: which ones?"""
    table = query.table
    if not query.counts or not query.tree.expressions[0].find(exp.Star) or not table.identity:
        raise NothingToDraw
    names = joined([c.noun for c in table.identity], draw.frame.language)
    return query.showing(*map(query.refer, table.identity)), Phrase("then-list", {"t": table.noun, "c": names})


def counted_as_well(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT city, AVG(age) …`` becomes ``SELECT city, AVG(age), COUNT(*) …``: with how many there are."""
    if not query.has("group") or query.has("limit") or any(one.find(exp.Count) for one in query.tree.expressions):
        raise NothingToDraw
    return query.showing(*query.tree.expressions, _count()), Phrase("also-count", {"t": _rows(query).noun})


def also(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT name FROM …`` becomes ``SELECT name, age FROM …``: and their age?"""
    old = _listed_columns(query)
    column = _fresh(draw, query, old)
    shown = (*query.tree.expressions, query.refer(column))
    said = {"t": _rows(query).noun, "c": column.noun, "old": joined([c.noun for c in old], draw.frame.language)}
    return query.showing(*shown), Phrase("also-column", said)


def instead(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT name FROM …`` becomes ``SELECT age FROM …``: I meant their age."""
    old = _listed_columns(query)
    column = _fresh(draw, query, old)
    said = {"t": _rows(query).noun, "c": column.noun, "old": joined([c.noun for c in old], draw.frame.language)}
    return query.showing(query.refer(column)), Phrase("other-column", said)


def figure(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT name FROM …`` becomes ``SELECT AVG(age) FROM …``: what is their average age?"""
    if not (query.lists or query.counts) or query.has("limit", "distinct", "joins"):
        raise NothingToDraw
    column, function = draw.number(_rows(query)), draw.one(["avg", "avg", "max", "min", "sum"])
    if column.profile.number is not None or (function == "sum" and not column.sums):
        raise NothingToDraw
    shown = _FUNCTIONS[function](this=query.refer(column))
    value = Phrase(f"value-{function}", {"c": column.noun}, column.meaning)
    return query.showing(shown, order=None), Phrase("then-figure", {"value": value, "t": _rows(query).noun})


def grouped(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT COUNT(*) FROM …`` becomes ``SELECT city, COUNT(*) … GROUP BY city``: by city, please."""
    figures = [one for one in query.tree.expressions if isinstance(one.unalias(), exp.AggFunc)]
    if len(figures) != 1 or query.has("order", "limit", "having"):
        raise NothingToDraw
    column = draw.category(_rows(query))
    if column.ref(True) in query.about():
        raise NothingToDraw
    by = query.refer(column)
    again = query.has("group")
    told = query.showing(by, figures[0], group=exp.Group(expressions=[by.copy()]))
    return told, Phrase("by-other-group" if again else "by-group", {"c": column.noun, "t": _rows(query).noun})


def each(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT AVG(age) … WHERE city = 'Paris'`` becomes ``SELECT city, AVG(age) … GROUP BY city``: in every city."""
    texts = [one for one in query.conditions if isinstance(one, exp.EQ) and one.expression.is_string]
    chosen = draw.one(texts)
    column = query.facts_of(chosen)
    if column is None or column.role != "category" or not query.counts or not isinstance(chosen.this, exp.Column):
        raise NothingToDraw
    by = chosen.this
    told = query.with_conditions([one for one in query.conditions if one is not chosen])
    told = told.showing(by, *query.tree.expressions, group=exp.Group(expressions=[by.copy()]))
    return told, Phrase("for-every", {"c": column.noun, "v": Text(chosen.expression.this)})


def of_groups(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``… GROUP BY city`` becomes ``… GROUP BY city HAVING COUNT(*) > 2``: only those with more than two."""
    groups = query.tree.args.get("group")
    if groups is None or query.has("having", "limit") or not any(one.find(exp.Count) for one in query.tree.expressions):
        raise NothingToDraw
    column = query.facts_of(groups.expressions[0])
    if column is None:
        raise NothingToDraw
    least, rule = draw.rng.randint(1, 4), draw.one(["groups-over", "groups-from", "groups-under"])
    number = exp.Literal.number(least)
    compared = {"groups-over": exp.GT, "groups-from": exp.GTE, "groups-under": exp.GTE}[rule]
    having = exp.Having(this=compared(this=_count(), expression=number))
    slots = {"c": column.noun, "t": _rows(query).noun, "n": Count(least)}
    return query.showing(*query.tree.expressions, having=having), Phrase(rule, slots)


def leading(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT city, COUNT(*) … GROUP BY city`` becomes ``SELECT city … ORDER BY COUNT(*) DESC LIMIT 1``: the first."""
    groups, figures = query.tree.args.get("group"), [one for one in query.tree.expressions if one.find(exp.AggFunc)]
    if groups is None or len(groups.expressions) != 1 or len(figures) != 1 or query.has("order", "limit"):
        raise NothingToDraw
    column = query.facts_of(groups.expressions[0])
    if column is None:
        raise NothingToDraw
    down = draw.chance(0.7)
    order = _order(figures[0].unalias(), down)
    if draw.chance(0.4):
        return query.showing(*query.tree.expressions, order=order), Phrase(
            "order-figures", {"c": column.noun}, _way(down)
        )
    first = query.showing(groups.expressions[0], order=order, limit=_limit(1))
    return first, Phrase("leading-group", {"c": column.noun}, _way(down))


def ordered(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT name FROM …`` becomes ``SELECT name FROM … ORDER BY age DESC``: the oldest first."""
    if _listed_columns(query) and query.has("order", "limit"):
        raise NothingToDraw
    column, down = draw.ordered(_rows(query)), draw.chance(0.6)
    way = ("down" if down else "up") if column.role == "number" else ("late" if down else "soon")
    return query.showing(*query.tree.expressions, order=_by(query, column, down)), Phrase(
        "then-order", {"c": column.noun}, way
    )


def top(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT name FROM …`` becomes ``SELECT name FROM … ORDER BY age DESC LIMIT 1``: the oldest of them."""
    shown = _listed_columns(query)
    table, several = _rows(query), draw.chance(0.3)
    column, down = draw.ordered(table), draw.chance(0.7)
    if query.has("limit") or (column in shown and shown[:1] != [column]):
        raise NothingToDraw
    kept = draw.rng.randint(2, 5) if several else 1
    said = extreme(table, column, down)
    rule = "then-top-few" if several else "then-top"
    slots = {"t": table.noun, "c": column.noun, "top": said, "m": Count(kept)}
    told = query.showing(*query.tree.expressions, order=_by(query, column, down), limit=_limit(kept))
    return told, Phrase(rule, slots, ("down" if down else "up") if several else "")


def of_parents(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT title FROM album …`` becomes ``SELECT DISTINCT artist.name …``: which artists are they of?"""
    table = _asked_rows(query)
    join = draw.join(lambda one: one.child is table and one.many and bool(one.parent.identity))
    told = joined_to(draw, query, join.source)
    shown = told.showing(*map(told.refer, join.parent.identity), distinct=exp.Distinct(), order=None)
    return shown, Phrase("then-parents", {"p": join.noun, "t": table.noun})


def of_children(draw: Draw, query: ChangedQuery, *, counted: bool) -> tuple[ChangedQuery, Phrase]:
    """``SELECT name FROM artist …`` becomes ``SELECT album.title …``: what albums do they have?"""
    table = _asked_rows(query)
    join = draw.join(lambda one: one.parent is table and one.many and one.plain and bool(one.child.identity))
    told = joined_to(draw, query, join.source)
    shown = (_count(),) if counted else tuple(map(told.refer, join.child.identity))
    rule = "then-count-children" if counted else "then-children"
    return told.showing(*shown, order=None), Phrase(rule, {"k": join.child.noun, "t": table.noun})


def _asked_rows(query: ChangedQuery) -> TableFacts:
    """Return the only table, whose rows are listed or counted."""
    if not (query.lists or query.counts) or query.has("limit", "distinct"):
        raise NothingToDraw
    return query.table


def _rows(query: ChangedQuery) -> TableFacts:
    return next(iter(query.tables.values()))


def _listed_columns(query: ChangedQuery) -> list[ColumnFacts]:
    """Return the columns that are listed."""
    found = [query.facts_of(one) for one in query.tree.expressions if isinstance(one, exp.Column)]
    shown = [one for one in found if one is not None]
    if not query.lists or query.has("distinct") or len(shown) < len(query.tree.expressions):
        raise NothingToDraw
    return shown


def _fresh(draw: Draw, query: ChangedQuery, old: list[ColumnFacts]) -> ColumnFacts:
    column = draw.shown(_rows(query))[0]
    if column in old or column.ref(True) in query.about():
        raise NothingToDraw
    return column


def _by(query: ChangedQuery, column: ColumnFacts, down: bool) -> exp.Order:
    if column.order() != column.sql:  # written in a way that has to be read first
        raise NothingToDraw
    return _order(query.refer(column), down)


def _order(key: exp.Expr, down: bool) -> exp.Order:
    return exp.Order(expressions=[exp.Ordered(this=key.copy(), desc=down, nulls_first=not down)])


def _way(down: bool) -> str:
    return "down" if down else "up"


def _limit(rows: int) -> exp.Limit:
    return exp.Limit(expression=exp.Literal.number(rows))


def _count() -> exp.Count:
    return exp.Count(this=exp.Star())


SHOWN: dict[str, Change] = {
    "count": count,
    "list": listed,
    "a column more": also,
    "another column": instead,
    "a figure": figure,
    "a count more": counted_as_well,
    "groups": grouped,
    "every group": each,
    "groups of a size": of_groups,
    "leading group": leading,
    "order": ordered,
    "top": top,
    "parents": of_parents,
    "children": partial(of_children, counted=False),
    "count of children": partial(of_children, counted=True),
}
"""Changes by what they are called."""
