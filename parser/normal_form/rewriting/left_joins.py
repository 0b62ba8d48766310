"""Rows that an inner join loses and a question means: groups without rows, and rows that refer to nothing.

Groups of no rows: what nothing refers to has the fewest.

SELECT club.name FROM club                  SELECT club.name FROM club
JOIN player ON club.id = player.club_id     LEFT JOIN player ON club.id = player.club_id
GROUP BY club.id ORDER BY COUNT(*) LIMIT 1  GROUP BY club.id ORDER BY COUNT(player.club_id) LIMIT 1

Rows beside what they refer to in their own table: who has no manager is listed, too.

SELECT staff.name, staff_2.name FROM staff     SELECT staff.name, staff_2.name FROM staff
JOIN staff AS staff_2 ON staff.boss = …        LEFT JOIN staff AS staff_2 ON staff.boss = …
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ..binding import Binder
from ..joins import all_of, rebuild
from ..sources import Joined, plain
from .join_tree import JoinStep, JoinTree, own_nodes, reads, table_of
from .semi_joins import widened

__all__ = ["with_empty_groups", "with_referring_none"]


def with_empty_groups(tree: JoinTree, binder: Binder) -> bool:
    """Let groups without rows come in where a query wants the smallest counts; say whether anything was changed.

    It does where it ranks by a count, the smallest first, or asks for a count below a number.
    """
    select = tree.scope.select
    counts = list(own_nodes(select, exp.AggFunc))
    group = _groups(tree)
    if not group or not counts or not all(isinstance(one, exp.Count) for one in counts):
        return False
    path = _path(tree, group[0].table) if _ranks_by_few(select) and len({c.table for c in group}) == 1 else []
    if not path or not _every_one(tree, group) or not _countable(tree, counts, path):
        return False
    last = path[-1]
    for one in counts:
        if not isinstance(one.this, exp.Distinct):
            one.set("this", exp.column(last.pairs[0][1], table=last.other.key))
    select.args["group"].set("expressions", group)
    _join_left(tree, path, binder)
    return True


def _groups(tree: JoinTree) -> list[exp.Column]:
    """Return what a SELECT groups by, a key in place of the column that refers to it; none if that is no column."""
    group = tree.scope.select.args.get("group")
    terms = group.expressions if group is not None else []
    if not all(isinstance(term, exp.Column) for term in terms):
        return []
    return [next((c for c in tree.same(term) if _refers(tree, term, c)), term).copy() for term in terms]


def _refers(tree: JoinTree, column: exp.Column, other: exp.Column) -> bool:
    return any(tree.one(step) for step in tree.steps[column.table] if step.other.key == other.table)


def _every_one(tree: JoinTree, group: Sequence[exp.Column]) -> bool:
    """Is there a group for each row of the source that it is of?"""
    table = table_of(tree.sources[group[0].table])
    return any(tree.counts.names_row(table, column.name) for column in group)


def _path(tree: JoinTree, thing: str) -> list[JoinStep]:
    """Return the steps to what is counted of each thing, one behind another; none if no thing can be without."""
    kept = widened(tree, {thing})
    outward = [step for key in kept for step in tree.steps[key] if step.other.key not in kept]
    path: list[JoinStep] = []
    while len(outward) == 1:
        path.append(outward[0])
        came = {step.source.key for step in path}
        outward = [step for step in tree.steps[path[-1].other.key] if step.other.key not in came]
    outside = set(tree.sources) - kept
    asked = any(reads(condition, outside) for condition in tree.conditions)
    return path if not outward and path and not asked and _left_over(tree, path[0]) else []


def _left_over(tree: JoinTree, step: JoinStep) -> bool:
    mine, theirs = zip(*step.pairs, strict=True)
    return tree.counts.left_over(table_of(step.other), theirs, table_of(step.source), mine)


def _countable(tree: JoinTree, counts: Sequence[exp.Expr], path: Sequence[JoinStep]) -> bool:
    """Do all counts take the rows of the join, and do outputs read from none of those that may be missing?"""
    outside = {step.other.key for step in path}
    outputs = [o for o in tree.scope.select.expressions if not isinstance(o, exp.Count)]
    if tree.shows_all or any(reads(output, outside) for output in outputs):
        return False
    return all(_takes_rows(tree, one.this, path[-1].other.key) for one in counts)


def _takes_rows(tree: JoinTree, counted: exp.Expr, last: str) -> bool:
    """Is it what a count of rows, or of different cells of the last source, is of?"""
    if isinstance(counted, exp.Distinct):
        return all(isinstance(column, exp.Column) and column.table == last for column in counted.expressions)
    if not isinstance(counted, exp.Column) or counted.table not in tree.sources:
        return isinstance(counted, exp.Star)
    return bool(tree.same(counted)) or not tree.counts.nullable(table_of(tree.sources[counted.table]), counted.name)


def _ranks_by_few(select: exp.Select) -> bool:
    order = select.args.get("order")
    first = order.expressions[0] if order is not None else None
    ranks = first is not None and isinstance(plain(first.this), exp.Count) and not first.args.get("desc")
    if ranks and select.args.get("limit"):
        return select.args.get("having") is None
    having = select.args.get("having")
    asked = plain(having.this) if having is not None else None
    return isinstance(asked, exp.LT | exp.LTE) and isinstance(plain(asked.this), exp.Count)


def _join_left(tree: JoinTree, path: Sequence[JoinStep], binder: Binder) -> None:
    """Join the sources of a path by LEFT JOIN behind all others."""
    scope, gone = tree.scope, {step.other.key for step in path}
    kept = [c for c in (*tree.links, *tree.conditions) if not reads(c, gone)]
    scope.joined = [Joined(one.source) for one in scope.joined if one.source.key not in gone]
    scope.select.set("where", exp.Where(this=all_of(kept)) if kept else None)
    rebuild(scope, binder.ranks)
    for step in path:
        ends = {step.source.key, step.other.key}
        on = all_of([c for c in tree.links if reads(c, tree.sources) == ends])
        scope.joined.append(Joined(step.other, exp.Join(this=step.other.node, side="LEFT", on=on), left=True))
    rebuild(scope, binder.ranks)


def with_referring_none(tree: JoinTree, binder: Binder) -> bool:
    """Let rows come in that refer to none of their own table; say whether anything was changed."""
    select = tree.scope.select
    if select.args.get("group") or select.args.get("order") or any(own_nodes(select, exp.AggFunc)) or tree.shows_all:
        return False
    step = next((step for steps in tree.steps.values() for step in steps if _may_lack(tree, step)), None)
    if step is None:
        return False
    _join_left(tree, [step], binder)
    return True


def _may_lack(tree: JoinTree, step: JoinStep) -> bool:
    """Does a step lead to what a row may refer to in its own table, of which something is shown and nothing asked?"""
    key = step.other.key
    shown = {own for output in tree.scope.select.expressions for own in reads(output, tree.sources)}
    return (
        step.source.table is step.other.table
        and tree.refers(step)
        and tree.counts.nullable(table_of(step.source), step.pairs[0][0])
        and {key, step.source.key} <= shown
        and len(tree.steps[key]) == 1
        and not tree.conditioned(key)
    )
