"""Queries whose joins count each row once: aggregates over a fan-out, NULL in NOT IN, columns that a join repeats.

WHERE artist.id NOT IN                      WHERE artist.id NOT IN
  (SELECT song.artist_id FROM song)           (SELECT song.artist_id FROM song WHERE song.artist_id IS NOT NULL)

SELECT state.capital FROM state              SELECT state.capital FROM state
JOIN city ON state.name = city.state         WHERE state.name = 'texas'
WHERE city.state = 'texas'

The rules go by keys and data, not by the words of a question. A query stays as it is where its joins repeat no row and
no cell is missing.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from ....data.errors import QueryError
from ....data.sql.query import Query
from ....data.sql.scopes import conjuncts, is_column
from ....grammar import Grammar
from ....meaning.profile import DatabaseProfile
from ..binding import Binder
from ..sources import QueryScope, QuerySource
from ..writing import NormalForm
from .fan_out import left_out, remove_fan_out
from .join_tree import JoinTree, RowCounts, is_counted, own_nodes, reads

__all__ = ["JoinRewriter"]


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
    select.set("where", exp.Where(this=exp.and_(*conditions, present, copy=False)))
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
        if isinstance(condition, comparing) and column in (condition.this.unnest(), condition.expression.unnest()):
            return True
        if isinstance(condition, exp.In | exp.Between) and condition.this.unnest() == column:
            return True
        is_null = condition.this if isinstance(condition, exp.Not) else None
        if isinstance(is_null, exp.Is) and is_null.this.unnest() == column:
            return True
    return False


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
    inner = condition.unnest()
    if isinstance(inner, exp.Or):
        return all(_asks_values(one, key) for one in inner.flatten())
    if not isinstance(inner, _VALUES) or inner.args.get("query") is not None:
        return False
    here = [node for node in inner.walk(prune=lambda node: isinstance(node, exp.Query)) if isinstance(node, exp.Column)]
    return len(here) == 1 and is_column(inner.this) and inner.this.table == key


def _never_null(condition: exp.Expr, key: str) -> set[str]:
    """Return the columns of a source that a condition compares, so that it holds of no row where they are NULL."""
    inner = condition.unnest()
    if isinstance(inner, exp.Or):
        return set[str].intersection(*(_never_null(one, key) for one in inner.flatten()))
    if isinstance(inner, exp.Not):
        inner = inner.this.unnest()
        if inner.find(exp.Query):  # NULL is not in what is empty
            return set()
    compared = isinstance(inner, (*_VALUES, *_ORDERED)) and is_column(inner.this) and inner.this.table == key
    return {inner.this.name} if compared else set()


def _counts(tree: JoinTree) -> bool:
    """Does it matter how often a row is there, other than that it is listed as often?"""
    select = tree.scope.select
    return bool(select.args.get("group")) or any(is_counted(one) for one in own_nodes(select, exp.AggFunc))


RULES = (remove_fan_out, to_own_columns)
"""What is done to the inner joins of one SELECT, in this order, each as often as it changes something."""


class JoinRewriter:
    """Rewrites the joins of queries on one database.

    Args:
        grammar: of the queries.
        profile: what the database holds; None if nobody has looked.
    """

    def __init__(self, grammar: Grammar, profile: DatabaseProfile | None = None) -> None:
        self._normal = NormalForm(grammar)
        self._counts = RowCounts(grammar.schema, profile)

    def of(self, query: Query) -> Query:
        """Return a query in normal form with its joins rewritten, itself where no rule applies."""
        if not any(word in query.slotted for word in ("JOIN", "NOT IN")):
            return query
        try:
            return self._normal.rewritten(query, self._rewritten)
        except QueryError:  # the normal form cannot say what the rules have made
            return query

    def _rewritten(self, binder: Binder) -> bool:
        """Rewrite all SELECTs; say whether anything was changed."""
        changed = False
        for scope in list(binder.scopes):
            changed |= null_safe_not_in(scope, binder.sources, self._counts)
            changed |= self._joins(scope, binder)
        return changed

    def _joins(self, scope: QueryScope, binder: Binder) -> bool:
        tree, changed = JoinTree.of(scope, self._counts), False
        for rule in RULES:
            while tree is not None and rule(tree, binder):
                tree, changed = JoinTree.of(scope, self._counts), True
        return changed
