"""Queries that show what the question has given: «what states border Indiana» is not Indiana."""

from __future__ import annotations

from sqlglot import exp

from ...data.sql.parsing import parse
from ..normal_form.sources import conjuncts, is_column

__all__ = ["shows_given"]


def shows_given(sql: str, dialect: str) -> bool:
    """Is each output of a query a column of which one value is asked, or one that a join makes equal to such a column?

    Nobody asks so: of 16,990 gold queries of Spider, BIRD and CHASE five do, and each of them is mistaken.

    Args:
        sql: in normal form, with its values.

    >>> shows_given("SELECT a.x FROM a JOIN b ON a.x = b.y WHERE b.y = 'v'", "sqlite")
    True
    """
    shown, _, rest = sql.partition(" FROM ")
    if f"{shown.split(' ')[-1]} = " not in rest and f" = {shown.split(' ')[-1]}" not in rest:
        return False  # most queries are told so without being parsed
    query = parse(sql, dialect)
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
