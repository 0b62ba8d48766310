"""Queries that nobody means: they show what the question has given, sort the one row that they have, or join at random.

«what states border Indiana» is not Indiana; SUM(price) … ORDER BY price LIMIT 3 adds up all prices, not three of them;
the key of a festival is none of a museum.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from ...data.sql.query import Query
from ...data.sql.scopes import conjuncts, is_column
from ..normal_form.keys import KeyedColumns

__all__ = ["is_degenerate"]


def is_degenerate(query: Query, keyed: KeyedColumns | None = None) -> bool:
    """Does a query show what was given, sort its one row, or join columns of different keys?

    Of 16,990 gold queries of Spider, BIRD and CHASE five do the first, and are mistaken, eight the
    second: six are mistaken, and two had no need to. For the third see `KeyedColumns`.

    Args:
        query: in normal form.
        keyed: the columns of the database's keys.

    >>> is_degenerate(Query("SELECT a.x FROM a JOIN b ON a.x = b.y WHERE b.y = 'v'", "sqlite"))
    True
    """
    sql = query.slotted
    checks: list[Callable[[exp.Expr], bool]] = []  # most queries are told by their words, without being parsed
    if keyed is not None and (" ON " in sql or " IN (SELECT " in sql):
        checks.append(keyed.lead_astray)
    if _may_show_given(sql):
        checks.append(_shows_given)
    if " ORDER BY " in sql:
        checks.append(_sorts_one_row)
    tree = query.slotted_tree if checks else None
    return tree is not None and any(check(tree) for check in checks)


def _sorts_one_row(query: exp.Expr) -> bool:
    """Is there a SELECT of aggregates without groups that is sorted?"""
    return any(
        one.args.get("order") and not one.args.get("group") and all(map(_aggregates, one.expressions))
        for one in query.find_all(exp.Select)
    )


def _aggregates(shown: exp.Expr) -> bool:
    return shown.find(exp.AggFunc) is not None and shown.find(exp.Window, exp.Query) is None


def _may_show_given(sql: str) -> bool:
    """Does what is shown last stand beside an equals sign?"""
    shown, _, rest = sql.partition(" FROM ")
    last = shown.split(" ")[-1]
    return f"{last} = " in rest or f" = {last}" in rest


def _shows_given(query: exp.Expr) -> bool:
    """Is each output a column of which one value is asked, or one that a join makes equal to such a column?"""
    if not isinstance(query, exp.Select) or not all(map(is_column, query.expressions)):
        return False
    where = query.args.get("where")
    joins = [join for join in query.args.get("joins") or () if not join.side]  # LEFT JOIN has rows that ON denies
    asked = [*conjuncts(where.this if where else None), *(c for join in joins for c in conjuncts(join.args.get("on")))]
    equal = [(one.this, one.expression) for one in asked if isinstance(one, exp.EQ)]
    given = {one for one, other in equal if is_column(one) and other.find(exp.Column, exp.Query) is None}
    links = [{one, other} for one, other in equal if is_column(one) and is_column(other)]
    while more := {column for link in links if link & given for column in link} - given:
        given |= more
    return all(output in given for output in query.expressions)
