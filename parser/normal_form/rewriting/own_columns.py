"""Tables of which a query needs nothing but the column that joins them: the other side of the join has it, too.

SELECT state.capital FROM state              SELECT state.capital FROM state
JOIN city ON state.name = city.state         WHERE state.name = 'texas'
WHERE city.state = 'texas'
"""

from __future__ import annotations

from sqlglot import exp

from ..binding import Binder
from ..sources import is_column, plain
from .join_tree import JoinTree, is_counted, own_nodes, reads
from .semi_joins import left_out

__all__ = ["to_own_columns"]

_VALUES = (exp.EQ, exp.In, exp.Like)
"""Comparisons that ask for a value."""

_ORDERED = (exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)


def to_own_columns(tree: JoinTree, binder: Binder) -> bool:
    """Leave out a source of which conditions read what it is joined by, and nothing else; say whether there was one."""
    if tree.shows_all:
        return False
    read = tree.read()
    end = next((key for key in tree.sources if key not in read and _same_elsewhere(tree, key)), None)
    if end is None:
        return False
    for condition in tree.conditions:
        for column in [column for column in condition.find_all(exp.Column) if column.table == end]:
            column.replace(tree.same(column)[0].copy())
    left_out(tree, {end}, binder)
    return True


def _same_elsewhere(tree: JoinTree, key: str) -> bool:
    """Is a source at the end of one join whose columns stand in a condition, and would no other rows come without it?

    Where it repeats what it is joined with, and nothing is counted, it asks for no more than to be there; who asks for
    a value of the column does not ask for that. Where it does not, who refers to nothing must not come in its place.
    """
    if len(tree.steps[key]) != 1:
        return False
    back = tree.back(tree.steps[key][0])
    joining = {name for _, name in back.pairs}
    asked = [condition for condition in tree.conditions if reads(condition, [key])]
    columns = {column.name for one in asked for column in one.find_all(exp.Column) if column.table == key}
    if not columns or not columns <= joining:
        return False
    if not tree.one(back):
        return all(_asks_values(one, key) for one in asked) and not _counts(tree)
    told = {name for one in asked for name in _never_null(one, key)}
    return tree.refers(back) and (tree.always(back) or told == joining)


def _asks_values(condition: exp.Expr, key: str) -> bool:
    """Does a condition ask for values of a source's columns, and for nothing else: constants, or one that it looks for?

    Who asks for those among other rows asks to be there, as there.
    """
    inner = plain(condition)
    if isinstance(inner, exp.Or):
        return all(_asks_values(one, key) for one in inner.flatten())
    if not isinstance(inner, _VALUES) or inner.args.get("query") is not None:
        return False
    here = [node for node in inner.walk(prune=lambda node: isinstance(node, exp.Query)) if isinstance(node, exp.Column)]
    return len(here) == 1 and is_column(inner.this) and inner.this.table == key


def _never_null(condition: exp.Expr, key: str) -> set[str]:
    """Return the columns of a source that a condition compares, so that it holds of no row where they are NULL."""
    inner = plain(condition)
    if isinstance(inner, exp.Or):
        return set[str].intersection(*(_never_null(one, key) for one in inner.flatten()))
    if isinstance(inner, exp.Not):
        inner = plain(inner.this)
        if inner.find(exp.Query):  # NULL is not in what is empty
            return set()
    compared = isinstance(inner, (*_VALUES, *_ORDERED)) and is_column(inner.this) and inner.this.table == key
    return {inner.this.name} if compared else set()


def _counts(tree: JoinTree) -> bool:
    """Does it matter how often a row is there, other than that it is listed as often?"""
    select = tree.scope.select
    return bool(select.args.get("group")) or any(is_counted(one) for one in own_nodes(select, exp.AggFunc))
