"""Sums and means over each row of a table once in each group, where what groups stand by repeats it.

SELECT line.product, AVG(bill.total)        SELECT t1.product, AVG(t1.total)
FROM bill JOIN line                         FROM (SELECT DISTINCT line.product, bill.total, bill.id
  ON bill.id = line.bill_id                       FROM bill JOIN line ON bill.id = line.bill_id) AS t1
GROUP BY line.product                       GROUP BY t1.product
"""

from __future__ import annotations

from sqlglot import exp

from ..binding import Binder
from ..joins import rebuild
from ..sources import Joined, QueryScope, QuerySource
from .join_tree import JoinTree, own_nodes, table_of

__all__ = ["apart", "over_distinct"]


def apart(tree: JoinTree, thing: str) -> bool:
    """Do outputs, groups and the order read from a source, its key known, and beside it from groups alone?"""
    group = tree.scope.select.args.get("group")
    terms = group.expressions if group is not None else []
    columns = [*_columns(tree), exp.column(tree.counts.row_key(table_of(tree.sources[thing])) or "", table=thing)]
    names = {(column.table, column.name) for column in columns}
    one_each = len({name.lower() for _, name in names}) == len(names)
    own = all(column.table == thing or column in terms for column in columns)
    return own and one_each and bool(columns[-1].name) and not any(part.find(exp.Query) for part in tree.parts())


def over_distinct(tree: JoinTree, thing: str, binder: Binder) -> None:
    """Have a SELECT read from the different rows of a source and of what it groups by."""
    scope, select = tree.scope, tree.scope.select
    inner = exp.Select(distinct=exp.Distinct())
    key = tree.counts.row_key(table_of(tree.sources[thing]))
    assert key is not None
    shown = list(dict.fromkeys([*_columns(tree), exp.column(key, table=thing)]))
    inner.set("expressions", [column.copy() for column in shown])
    inner.set("where", exp.Where(this=where.this) if (where := select.args.get("where")) else None)
    inside = QueryScope(inner, scope.outer, scope.joined)
    rebuild(inside, binder.ranks)
    name = f"#{len(binder.sources)}"
    node = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(name)))
    source = QuerySource(name, "", node, None, {column.name.lower(): column.name for column in shown})
    binder.sources[name] = source
    binder.scopes.insert(binder.scopes.index(scope) + 1, inside)
    for column in _columns(tree):
        column.set("table", exp.to_identifier(name))
    for total in own_nodes(select, exp.Sum) if binder.dialect == "sqlite" else ():
        # of a derived column's type the constraint knows nothing, and a sum of whole numbers may be too large
        total.set("this", exp.cast(total.this, "REAL", dialect="sqlite"))
    scope.joined = [Joined(source)]
    select.set("where", None)
    rebuild(scope, binder.ranks)


def _columns(tree: JoinTree) -> list[exp.Column]:
    return [column for part in tree.parts() for column in part.find_all(exp.Column)]
