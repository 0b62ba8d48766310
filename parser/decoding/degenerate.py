"""Degenerate queries are meant by nobody: they return a given value, sort a single row, or join unrelated columns.

The answer to «what states border Indiana» is not Indiana; SUM(price) … ORDER BY price LIMIT 3 adds up all prices, not
the first three; and a join must not compare the key of a festival with that of a museum.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from ...data.sql.query import Query
from ...data.sql.scopes import conjuncts, is_column
from ..normal_form.keys import KeyedColumns

__all__ = ["is_degenerate"]


def is_degenerate(query: Query, keyed: KeyedColumns | None = None) -> bool:
    """Does a query return a given value, sort a single row, or join columns of different keys?

    Among 16,990 gold queries of Spider, BIRD and CHASE, five do the first, all by mistake; eight do the second, six by
    mistake and two without need. `KeyedColumns` describes the third.

    Args:
        query: a query in normal form.
        keyed: the columns of the database's keys.

    >>> is_degenerate(Query("SELECT a.x FROM a JOIN b ON a.x = b.y WHERE b.y = 'v'", "sqlite"))
    True
    """
    sql = query.slotted
    checks: list[Callable[[exp.Expr], bool]] = []  # most queries are decided by their text, without being parsed
    if keyed is not None and (" ON " in sql or " IN (SELECT " in sql):
        checks.append(keyed.lead_astray)
    if _may_show_given(sql):
        checks.append(_shows_given)
    if " ORDER BY " in sql:
        checks.append(_sorts_one_row)
    tree = query.slotted_tree if checks else None
    return tree is not None and any(check(tree) for check in checks)


def _sorts_one_row(query: exp.Expr) -> bool:
    """Does a SELECT of aggregates alone, without GROUP BY, have an ORDER BY?"""
    return any(
        select.args.get("order") and not select.args.get("group") and all(map(_aggregates, select.expressions))
        for select in query.find_all(exp.Select)
    )


def _aggregates(output: exp.Expr) -> bool:
    return output.find(exp.AggFunc) is not None and output.find(exp.Window, exp.Query) is None


def _may_show_given(sql: str) -> bool:
    """Is the last output compared with an equals sign anywhere?"""
    outputs, _, rest = sql.partition(" FROM ")
    last = outputs.split(" ")[-1]
    return f"{last} = " in rest or f" = {last}" in rest


def _shows_given(query: exp.Expr) -> bool:
    """Is each output a column that WHERE fixes to a value, or one that a join makes equal to such a column?"""
    if not isinstance(query, exp.Select) or not all(map(is_column, query.expressions)):
        return False
    where = query.args.get("where")
    joins = [join for join in query.args.get("joins") or () if not join.side]  # LEFT JOIN has rows that ON denies
    terms = [*conjuncts(where.this if where else None), *(c for join in joins for c in conjuncts(join.args.get("on")))]
    equal = [(left.this, left.expression) for left in terms if isinstance(left, exp.EQ)]
    given = {left for left, right in equal if is_column(left) and right.find(exp.Column, exp.Query) is None}
    links = [{left, right} for left, right in equal if is_column(left) and is_column(right)]
    while more := {column for link in links if link & given for column in link} - given:
        given |= more
    return all(output in given for output in query.expressions)
