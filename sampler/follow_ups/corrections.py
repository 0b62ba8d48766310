"""Follow-ups that take a part of the query back: the other column, figure or side that was meant, or all the rows."""

from sqlglot import exp

from ..facts.facts import ColumnFacts
from ..parts.conditions import said_of
from ..parts.draws import Draw, NothingToDraw
from ..parts.phrases import Phrase
from .changed_query import FIGURES, ChangedQuery
from .conditions import Change

_SIDES: dict[type[exp.Expr], tuple[type[exp.Expr], str, str]] = {
    exp.GT: (exp.LT, "lt", "gt"),
    exp.LT: (exp.GT, "gt", "lt"),
    exp.GTE: (exp.LTE, "le", "ge"),
    exp.LTE: (exp.GTE, "ge", "le"),
}


def column(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``AVG(high)`` becomes ``AVG(low)``, ``ORDER BY price`` becomes ``ORDER BY weight``: low, not high."""
    old = draw.one([one for one in _numbers(query) if one.ref(True) not in query.about()])
    new = draw.number(next(table for table in query.tables.values() if table.sql == old.table))
    if new is old or new.ref(True) in query.about() or any(new is one for one in _numbers(query)):
        raise NothingToDraw
    tree = query.tree.copy()
    for node in list(tree.find_all(exp.Column)):
        if query.facts_of(node) is old:
            node.replace(query.refer(new))
    return ChangedQuery(tree, query.tables), Phrase("no-this-column", {"c": new.noun, "old": old.noun})


def figure(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``AVG(price)`` becomes ``SUM(price)``: the total, not the average."""
    shown, *more = [one for one in query.tree.expressions if one.find(exp.AggFunc)] or [exp.Null()]
    about = query.facts_of(shown)
    old = next((name for name, kind in FIGURES.items() if isinstance(shown, kind)), None)
    if more or about is None or old is None or about.profile.number is not None or query.has("order", "having"):
        raise NothingToDraw
    new = draw.one([name for name in FIGURES if name != old and (name != "sum" or about.sums)])
    figures = (FIGURES[new](this=one.this.copy()) if one is shown else one for one in query.tree.expressions)
    slots = {"value": Phrase(f"value-{new}", {"c": about.noun}), "old": Phrase(f"value-{old}", {"c": about.noun})}
    return query.showing(*figures), Phrase("no-this-figure", slots)


def side(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``age > 60`` becomes ``age < 60``: younger than 60, I meant."""
    old = draw.one([one for one in query.conditions if type(one) in _SIDES and isinstance(one.this, exp.Column)])
    about = query.facts_of(old)
    if about is None or about.role != "number" or not isinstance(old.expression, exp.Literal):
        raise NothingToDraw
    kind, new, before = _SIDES[type(old)]
    turned = kind(this=old.this.copy(), expression=old.expression.copy())
    table = next(table for table in query.tables.values() if table.sql == about.table)
    told, given = (said_of(name, table, about, v=old.expression.this) for name in (new, before))
    said = Phrase("no-that-side", {"t": query.rows.noun, "cond": told, "old": given})
    return query.with_conditions([turned if one is old else one for one in query.conditions]), said


def _every_row(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``… ORDER BY price LIMIT 3`` becomes ``… ORDER BY price``: all of them, in the same order."""
    if not query.has("limit") or not query.has("order"):
        raise NothingToDraw
    return query.showing(*query.tree.expressions, limit=None, offset=None), Phrase("no-limit", {"t": query.rows.noun})


def _numbers(query: ChangedQuery) -> list[ColumnFacts]:
    """Return the columns that a figure is of, or that rows are sorted by."""
    order = query.tree.args.get("order")
    shown = [node for one in query.tree.expressions for node in one.find_all(*FIGURES.values())]
    keys = [one.this for one in (order.expressions if order else ())]
    found = [query.facts_of(node) for node in (*shown, *(key for key in keys if isinstance(key, exp.Column)))]
    return [one for one in found if one is not None and one.role == "number"]


CORRECTIONS: dict[str, Change] = {
    "the other column": column,
    "the other figure": figure,
    "the other side": side,
    "every row": _every_row,
}
"""Changes by what they are called."""
