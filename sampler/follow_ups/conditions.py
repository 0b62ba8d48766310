"""Follow-ups that change which rows a query is about: another value, a condition more, one fewer."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from sqlglot import exp

from ...data.parsing import parse
from ..facts.facts import ColumnFacts, TableFacts
from ..facts.writing import literal
from ..parts.conditions import Filter
from ..parts.draws import Draw, NothingToDraw
from ..parts.filters import any_plain, number, text_equal
from ..parts.flags import set_or_not
from ..parts.join_filters import JOINED
from ..parts.phrases import Phrase, Slot, Text
from .changed_query import ChangedQuery, parts_of

Change: TypeAlias = Callable[[Draw, ChangedQuery], tuple[ChangedQuery, Phrase]]
"""Return a query changed, and how people ask for that; raises `NothingToDraw` where it cannot be changed so."""

_COMPARED = (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_OPPOSITES: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.NEQ,
    exp.GT: exp.LTE,
    exp.GTE: exp.LT,
    exp.LT: exp.GTE,
    exp.LTE: exp.GT,
}


def _other_value(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``city = 'Paris'`` becomes ``city = 'Rome'``: what about Rome? No, I meant Rome."""
    old = draw.one([one for one in query.conditions if _compares(one)])
    column = query.facts_of(old)
    if column is None:
        raise NothingToDraw
    said = old.expression.this
    value = draw.value(column) if old.expression.is_string else _number(draw, column, old)
    if str(value).casefold() == said.casefold():
        raise NothingToDraw
    new = old.copy()
    new.set("expression", exp.Literal.string(value) if isinstance(value, str) else exp.Literal.number(literal(value)))
    slots: dict[str, Slot] = {"c": column.noun, "v": _slot(value), "old": _slot(said)}
    rule = draw.one(["other-value", "no-this-value"]) if isinstance(old, exp.EQ) else "other-bound"
    return query.with_conditions([new if one is old else one for one in query.conditions]), Phrase(rule, slots)


def fewer(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``WHERE city = 'Paris' AND age > 30`` becomes ``WHERE age > 30``: whatever the city."""
    columns = [column for one in query.conditions if (column := query.facts_of(one)) is not None]
    column = draw.one(columns)
    gone = [one for one in query.conditions if query.facts_of(one) is column]
    rest = [one for one in query.conditions if not any(one is other for other in gone)]
    slots: dict[str, Slot] = {"c": column.noun, "t": query.rows.noun}
    rule = "any-of-it"
    if len(gone) == 1 and isinstance(gone[0], exp.EQ) and gone[0].expression.is_string and draw.chance(0.5):
        rule, slots = "any-of-it-but", slots | {"v": Text(gone[0].expression.this)}
    elif not rest and draw.chance(0.4):
        rule = "all-of-them"
    return _without_idle_table(query.with_conditions(rest)), Phrase(rule, slots)


def more(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``WHERE age > 30`` becomes ``WHERE age > 30 AND city = 'Paris'``: only those from Paris."""
    table = query.rows
    if draw.chance(0.4):
        found = text_equal(draw, table, True)
        said = Phrase("only-value", found.said.slots)
    else:
        found = (set_or_not if draw.chance(0.2) else any_plain)(draw, table, True)
        said = _said_only(found, table)
    return _narrowed(query, found), said


def less(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``WHERE age > 30`` becomes ``WHERE age > 30 AND city != 'Paris'``: leave out those from Paris."""
    table = query.rows
    if draw.chance(0.6):
        found = text_equal(draw, table, True)
        said = Phrase("leave-out-value", found.said.slots)
    else:
        found = number(draw, table, True)
        said = Phrase("leave-out-those", {"t": table.noun, "cond": found.said})
    return _narrowed(query, replace(found, where=_against(query.read(found.where)).sql("sqlite"))), said


def _more_of_other_table(draw: Draw, query: ChangedQuery) -> tuple[ChangedQuery, Phrase]:
    """``FROM album WHERE …`` becomes ``FROM album JOIN artist … AND artist.country = 'UK'``: only of UK artists."""
    table = query.table
    found = draw.one(list(JOINED.values()))(draw, table, True)
    if found.repeats or not found.source:
        raise NothingToDraw
    joined = joined_to(draw, query, found.source)
    return _narrowed(joined, found), _said_only(found, table)


def joined_to(draw: Draw, query: ChangedQuery, source: str) -> ChangedQuery:
    """Return a query of one table with its columns qualified, and with another FROM that joins others to it."""
    tree, table = query.tree.copy(), query.table
    for one in tree.find_all(exp.Column):
        one.set("table", exp.to_identifier(table.table.name))
    read = parse(f"SELECT 1 FROM {source}", "sqlite")
    if read is None or tree.args.get("joins"):
        raise NothingToDraw
    for part in ("from", "from_", "joins"):
        if part in read.args:
            tree.set(part, read.args[part])
    known = {one.table.name.lower(): one for one in draw.frame.tables}
    return replace(query, tree=tree, tables={one.name: known[one.name.lower()] for one in read.find_all(exp.Table)})


def _narrowed(query: ChangedQuery, found: Filter) -> ChangedQuery:
    if query.has("limit"):  # of the first three those from Paris, or the first three of those from Paris?
        raise NothingToDraw
    condition = query.read(found.where)
    about = {column.name.lower() for one in query.conditions for column in one.find_all(exp.Column)}
    if about & {column.name.lower() for column in condition.find_all(exp.Column)}:
        raise NothingToDraw
    return query.with_conditions([*query.conditions, *parts_of(condition)])


def _against(condition: exp.Expr) -> exp.Expr:
    """Return the comparison that lets through what this one does not.

    Raises:
        NothingToDraw: it is none.
    """
    other = _OPPOSITES.get(type(condition))
    if other is None:
        raise NothingToDraw
    return other(this=condition.this, expression=condition.expression)


def _said_only(found: Filter, table: TableFacts) -> Phrase:
    if found.noun is not None:
        return Phrase("only-noun", {"t": found.noun})
    return Phrase("only-those", {"t": table.noun, "cond": found.said})


def _without_idle_table(query: ChangedQuery) -> ChangedQuery:
    """Leave out the one of two tables that nothing but the join is about any more."""
    parts = [query.tree.args.get(part) for part in ("where", "group", "having", "order")]
    nodes = [*query.tree.expressions, *(part for part in parts if part is not None)]
    named = (query.facts_of(column) for node in nodes for column in node.find_all(exp.Column))
    used = {column.table for column in named if column is not None}
    idle = [name for name, table in query.tables.items() if table.sql not in used]
    if not idle or any(node.find(exp.Star) and not node.find(exp.Count) for node in query.tree.expressions):
        return query
    kept = [name for name in query.tables if name not in idle]
    if len(query.tables) != 2 or len(kept) != 1:
        raise NothingToDraw
    table, tree = query.tables[kept[0]], query.tree.copy()
    for column in tree.find_all(exp.Column):
        column.set("table", None)
    tree.set("joins", None)
    return replace(query, tree=tree.from_(table.sql, copy=False), tables={table.table.name: table})


def _compares(one: exp.Expr) -> bool:
    plain = isinstance(one, _COMPARED) and isinstance(one.this, exp.Column) and isinstance(one.expression, exp.Literal)
    return plain and (one.expression.is_string is False or isinstance(one, exp.EQ))


def _number(draw: Draw, column: ColumnFacts, old: exp.Expr) -> int | float:
    value = draw.one(column.values) if isinstance(old, exp.EQ) else draw.threshold(column)
    if not isinstance(value, (int, float)):
        raise NothingToDraw
    return value


def _slot(value: str | float) -> Slot:
    return Text(value) if isinstance(value, str) and not value.replace(".", "").isdecimal() else str(value)


CONDITIONS: dict[str, Change] = {
    "other value": _other_value,
    "a condition fewer": fewer,
    "a condition more": more,
    "a condition against": less,
    "a condition of another table": _more_of_other_table,
}
"""Changes by what they are called."""
