"""Follow-ups on groups: a figure split by something, for every group, the leading one, those of a size."""

from sqlglot import exp

from ..parts.draws import Draw, NothingToDraw
from ..parts.phrases import Count, Phrase, Text
from .changed_query import ChangedQuery, count_star, limit, order_by
from .conditions import Change


def grouped(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT COUNT(*) FROM …`` becomes ``SELECT city, COUNT(*) … GROUP BY city``: by city, please."""
    figures = [one for one in query.tree.expressions if isinstance(one.unalias(), exp.AggFunc)]
    if len(figures) != 1 or query.has("order", "limit", "having"):
        raise NothingToDraw
    column = draw.category(query.rows)
    if column.ref(True) in query.about():
        raise NothingToDraw
    by = query.refer(column)
    again = query.has("group")
    told = query.showing(by, figures[0], group=exp.Group(expressions=[by.copy()]))
    return told, Phrase("by-other-group" if again else "by-group", {"c": column.noun, "t": query.rows.noun})


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


def _counted_as_well(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT city, AVG(age) …`` becomes ``SELECT city, AVG(age), COUNT(*) …``: with how many there are."""
    if not query.has("group") or query.has("limit") or any(one.find(exp.Count) for one in query.tree.expressions):
        raise NothingToDraw
    return query.showing(*query.tree.expressions, count_star()), Phrase("also-count", {"t": query.rows.noun})


def _of_groups(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
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
    having = exp.Having(this=compared(this=count_star(), expression=number))
    slots = {"c": column.noun, "t": query.rows.noun, "n": Count(least)}
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
    order = order_by(figures[0].unalias(), down)
    if draw.chance(0.4):
        return query.showing(*query.tree.expressions, order=order), Phrase(
            "order-figures", {"c": column.noun}, _way(down)
        )
    first = query.showing(groups.expressions[0], order=order, limit=limit(1))
    return first, Phrase("leading-group", {"c": column.noun}, _way(down))


def _way(down: bool) -> str:
    return "down" if down else "up"


GROUPS: dict[str, Change] = {
    "groups": grouped,
    "every group": each,
    "a count more": _counted_as_well,
    "groups of a size": _of_groups,
    "leading group": leading,
}
"""Changes by what they are called."""
