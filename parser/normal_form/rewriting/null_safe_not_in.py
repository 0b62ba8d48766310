"""NOT IN over a column that may be NULL: with one NULL among its rows it holds of no row at all.

WHERE artist.id NOT IN                      WHERE artist.id NOT IN
  (SELECT song.artist_id FROM song)           (SELECT song.artist_id FROM song WHERE song.artist_id IS NOT NULL)
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from ..joins import all_of
from ..sources import QueryScope, QuerySource, conjuncts, is_column, plain
from .row_counts import RowCounts

__all__ = ["null_safe_not_in"]


def null_safe_not_in(scope: QueryScope, sources: Mapping[str, QuerySource], counts: RowCounts) -> bool:
    """Leave rows without a cell out of a SELECT that NOT IN looks at; say whether anything was changed."""
    select = scope.select
    output = select.expressions[0] if len(select.expressions) == 1 else None
    if not _denied(select) or not isinstance(output, exp.Column) or not is_column(output):
        return False
    source = sources[output.table]
    where = select.args.get("where")
    conditions = conjuncts(where.this if where else None)
    outer = any(joined.left for joined in scope.joined)
    if source.table is None or any(select.args.get(clause) for clause in ("limit", "offset")):
        return False
    told = _excludes_null(output, [*conditions, *(c for joined in scope.joined for c in joined.conditions())])
    if not outer and (told or not counts.nullable(source.table.name, output.name)):
        return False
    present = exp.Not(this=exp.Is(this=output.copy(), expression=exp.Null()))
    select.set("where", exp.Where(this=all_of([*conditions, present])))
    return True


def _denied(select: exp.Select) -> bool:
    """Is this the query of a NOT IN?"""
    around = select.parent
    while isinstance(around, exp.Subquery | exp.Paren):
        around = around.parent
    if not isinstance(around, exp.In):
        return False
    above = around.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    return isinstance(above, exp.Not)


def _excludes_null(column: exp.Column, conditions: list[exp.Expr]) -> bool:
    """Does one of some conditions hold of no row where the column is NULL?"""
    comparing = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like)
    for condition in conditions:
        if isinstance(condition, comparing) and column in (plain(condition.this), plain(condition.expression)):
            return True
        if isinstance(condition, exp.In | exp.Between) and plain(condition.this) == column:
            return True
        is_null = condition.this if isinstance(condition, exp.Not) else None
        if isinstance(is_null, exp.Is) and plain(is_null.this) == column:
            return True
    return False
