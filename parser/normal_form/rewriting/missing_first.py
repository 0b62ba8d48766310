"""The first by something that some rows have not: where NULL comes first, the first would be what is not known.

SELECT name FROM van ORDER BY price LIMIT 1    SELECT name FROM van WHERE price IS NOT NULL ORDER BY price LIMIT 1
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from ..joins import all_of
from ..sources import QueryScope, QuerySource, conjuncts, is_column, plain
from .row_counts import RowCounts

__all__ = ["without_missing_first"]


def without_missing_first(
    scope: QueryScope, sources: Mapping[str, QuerySource], counts: RowCounts, dialect: str
) -> bool:
    """Leave rows that have not what the first are chosen by out of a SELECT; say whether anything was changed."""
    select = scope.select
    order, limit = select.args.get("order"), select.args.get("limit")
    if order is None or limit is None or select.args.get("group") or select.find(exp.AggFunc):
        return False
    first = order.expressions[0]
    key = plain(first.this)
    if bool(first.args.get("desc")) != (dialect == "postgres") or not _missing(key, sources, counts):
        return False
    where = select.args.get("where")
    conditions = conjuncts(where.this if where else None)
    present = exp.Not(this=exp.Is(this=_bracketed(key), expression=exp.Null()))
    if any(plain(condition) == present for condition in conditions):
        return False
    select.set("where", exp.Where(this=all_of([*conditions, present])))
    return True


def _missing(key: exp.Expr, sources: Mapping[str, QuerySource], counts: RowCounts) -> bool:
    """May what rows are ordered by be NULL, since a cell in it is, or says nothing?"""
    for column in key.find_all(exp.Column):
        if not is_column(column) or column.table not in sources:
            continue
        table = sources[column.table].table
        if table is not None and counts.missing(table.name, column.name):
            return True
    return False


def _bracketed(key: exp.Expr) -> exp.Expr:
    return key.copy() if isinstance(key, exp.Column) else exp.paren(key.copy())
