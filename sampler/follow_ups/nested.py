"""Follow-ups to the best of something: what belongs to the oldest, how many there are in the largest group."""

from collections.abc import Callable

from sqlglot import exp

from ..facts.facts import ColumnFacts, TableFacts
from ..facts.joins import Join
from ..facts.verbalisation import joined
from ..parts.draws import Draw, NothingToDraw
from ..parts.phrases import Phrase
from .changed_query import ChangedQuery, count_star
from .conditions import Change, joined_to


def _children_of_best(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT name FROM artist ORDER BY age DESC LIMIT 1``: which albums are his?

    ``SELECT album.title FROM album JOIN artist … WHERE artist.id = (SELECT id FROM artist ORDER BY age DESC LIMIT 1)``
    """
    key, join = _key_of_best(query), _child_join(draw, query.table)
    if not join.child.identity:
        raise NothingToDraw
    best = query.showing(query.refer(key))
    told = _where_best(_rows_of(query, lambda plain: joined_to(draw, plain, join.source)), key, best)
    if draw.chance(0.3):
        return told.showing(count_star()), Phrase("its-count", {"k": join.child.noun, "t": query.table.noun})
    shown = map(told.refer, join.child.identity)
    return told.showing(*shown), Phrase("its-children", {"k": join.child.noun, "t": query.table.noun})


def _rows_of_best_group(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``SELECT city FROM artist GROUP BY city ORDER BY COUNT(*) DESC LIMIT 1``: who lives there?

    ``SELECT name FROM artist WHERE city = (SELECT city …)``
    """
    table, column = query.table, _best_group(query)
    told = _where_best(_rows_of(query, lambda plain: plain), column, query.showing(query.refer(column)))
    if draw.chance(0.4):
        number = draw.number(table)
        if number.profile.number is not None:
            raise NothingToDraw
        value = Phrase("value-avg", {"c": number.noun}, number.meaning)
        return told.showing(exp.Avg(this=told.refer(number))), Phrase("its-figure", {"value": value, "c": column.noun})
    if not table.identity:
        raise NothingToDraw
    names = joined([c.noun for c in table.identity], draw.frame.language)
    said = Phrase("its-rows", {"t": table.noun, "c": column.noun, "names": names})
    return told.showing(*map(told.refer, table.identity)), said


def _key_of_best(query: ChangedQuery) -> ColumnFacts:
    """Return the key of the table of which a query lists the best row."""
    table = query.table
    key = table.column(table.table.primary_key[0]) if len(table.table.primary_key) == 1 else None
    if key is None or not query.lists or not _one_of_order(query):
        raise NothingToDraw
    return key


def _best_group(query: ChangedQuery) -> ColumnFacts:
    groups = query.tree.args.get("group")
    if groups is None or len(groups.expressions) != 1 or not _one_of_order(query):
        raise NothingToDraw
    column = query.facts_of(groups.expressions[0])
    if column is None:
        raise NothingToDraw
    return column


def _one_of_order(query: ChangedQuery) -> bool:
    limit = query.tree.args.get("limit")
    return query.has("order") and limit is not None and limit.expression.this == "1"


def _child_join(draw: Draw, table: TableFacts) -> Join:
    return draw.join(lambda one: one.parent is table and one.many and one.plain)


def _rows_of(query: ChangedQuery, source: Callable[[ChangedQuery], ChangedQuery]) -> ChangedQuery:
    """Return the rows of a table, without condition, order and groups, from another source."""
    parts = dict.fromkeys(("where", "group", "having", "order", "limit", "distinct"))
    return source(query.showing(exp.Star(), **parts))


def _where_best(query: ChangedQuery, column: ColumnFacts, best: ChangedQuery) -> ChangedQuery:
    equal = exp.EQ(this=query.refer(column), expression=exp.Subquery(this=best.tree.copy()))
    return query.with_conditions([equal])


NESTED: dict[str, Change] = {"children of the best": _children_of_best, "rows of the best group": _rows_of_best_group}
"""Changes by what they are called; nothing changes their queries any further."""
