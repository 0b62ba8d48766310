"""Which source each column of a query is of: the one place where names are looked up, on sqlglot's scopes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

__all__ = ["conjuncts", "enclosing_selects", "is_column", "owners", "sources_of"]


def sources_of(select: exp.Select) -> list[exp.Expr]:
    """Return the tables and derived tables of one SELECT, in the order in which they stand, joins in brackets, too."""
    return [_whole(node) for _, node in Scope(select).references]


def _whole(node: exp.Expr) -> exp.Expr:
    """Return a source as it stands in FROM: sqlglot gives the query within a derived table."""
    while isinstance(node.parent, exp.Subquery) and not isinstance(node, exp.Table):
        node = node.parent
    return node


def enclosing_selects(select: exp.Expr | None) -> Iterator[exp.Select]:
    """Yield the SELECTs whose sources a column of one may be of: itself, then those around it.

    A derived table reads nothing of the SELECT in whose FROM it stands, but something of those around that.
    """
    hidden = False
    while isinstance(select, exp.Select):
        if not hidden:
            yield select
        top: exp.Expr = select
        while isinstance(top.parent, exp.Subquery | exp.SetOperation):
            top = top.parent
        hidden = isinstance(top.parent, exp.From | exp.Join)
        select = top.find_ancestor(exp.Select)


def owners(column: exp.Column, owns: Callable[[exp.Expr], bool]) -> list[exp.Expr]:
    """Return the sources that own a column, of the nearest SELECT that has such; none where no SELECT has any.

    Args:
        column: where it stands in its query.
        owns: says whether a source has what the column names.
    """
    for select in enclosing_selects(column.find_ancestor(exp.Select)):
        if found := [source for source in sources_of(select) if owns(source)]:
            return found
    return []


def is_column(node: exp.Expr) -> bool:
    """Say whether this is a column, no star."""
    return isinstance(node, exp.Column) and not isinstance(node.this, exp.Star)


def conjuncts(condition: exp.Expr | None) -> list[exp.Expr]:
    """Return the conditions that are joined by AND; TRUE is none. A clause such as WHERE stands for its condition."""
    if condition is None:
        return []
    inner = condition.unnest()
    if isinstance(inner, exp.Where | exp.Having):
        return conjuncts(inner.this)
    if isinstance(inner, exp.And):
        return [*conjuncts(inner.this), *conjuncts(inner.expression)]
    return [] if isinstance(inner, exp.Boolean) and inner.this else [inner]
