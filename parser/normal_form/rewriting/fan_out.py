"""Joins that repeat rows, under what counts each row: what the counted rows are, and how each is taken once.

SELECT AVG(hotel.stars) FROM hotel          SELECT AVG(hotel.stars) FROM hotel
JOIN review ON hotel.id = review.hotel_id   WHERE hotel.id IN
WHERE review.score > 8                        (SELECT review.hotel_id FROM review WHERE review.score > 8)

A SUM, AVG or COUNT of a column takes rows of the column's table. COUNT(*) takes the rows of the join, but where a table
is joined that rows refer to and nothing is read from it: then it is there to be counted («how many hotels have a score
above 8»), since the query would be the same without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlglot import exp

from ..binding import Binder
from ..joins import rebuild
from ..sources import Joined, QueryScope
from .join_tree import JoinStep, JoinTree, is_counted, own_nodes, reads, table_of

__all__ = ["left_out", "remove_fan_out"]


def widened(tree: JoinTree, needed: Collection[str]) -> set[str]:
    """Return some sources of a tree with what lies between them, and all that repeats none of their rows."""
    kept = tree.spanned(needed)
    while more := {step.other.key for key in kept for step in tree.steps[key] if tree.one(step)} - kept:
        kept |= more
    return kept


def cut(tree: JoinTree, kept: Collection[str], binder: Binder) -> None:
    """Move the sources that are not kept into subqueries; no output, group or order may read from them."""
    rest, moved = [*tree.links, *tree.conditions], list[exp.Expr]()
    for step in [step for key in kept for step in tree.steps[key] if step.other.key not in kept]:
        inside = tree.beyond(step.other.key, step.source.key)
        about = [condition for condition in rest if reads(condition, inside)]
        rest = [condition for condition in rest if condition not in about]
        moved.append(_asked(tree, step, inside, about, binder))
    _rebuild(tree.scope, [j for j in tree.scope.joined if j.source.key in kept], [*rest, *moved], binder)


def left_out(tree: JoinTree, gone: Collection[str], binder: Binder) -> None:
    """Leave sources out, with the equalities that join them; nothing else may read from them."""
    rest = [c for c in (*tree.links, *tree.conditions) if not reads(c, gone)]
    _rebuild(tree.scope, [j for j in tree.scope.joined if j.source.key not in gone], rest, binder)


def _asked(
    tree: JoinTree, step: JoinStep, inside: Collection[str], conditions: list[exp.Expr], binder: Binder
) -> exp.Expr:
    """Return the condition that a row of the step's source finds others: those that stand inside, so conditioned."""
    scope, select = tree.scope, exp.Select()
    inner = QueryScope(select)
    binder.scopes.insert(binder.scopes.index(scope) + 1, inner)
    joined = [one for one in scope.joined if one.source.key in inside]
    own = [condition for condition in conditions if reads(condition, tree.sources) <= set(inside)]
    if len(conditions) > len(own) + 1:  # more than the one equality leads out
        select.set("expressions", [exp.Star()])
        _rebuild(inner, joined, conditions, binder)
        return exp.Exists(this=select)
    mine, theirs = step.pairs[0]
    select.set("expressions", [exp.column(theirs, table=step.other.key)])
    _rebuild(inner, joined, own, binder)
    return exp.In(this=exp.column(mine, table=step.source.key), query=exp.Subquery(this=select))


def _rebuild(scope: QueryScope, joined: list[Joined], conditions: list[exp.Expr], binder: Binder) -> None:
    scope.joined = [Joined(one.source) for one in joined]
    scope.select.set("where", exp.Where(this=exp.and_(*conditions, copy=False)) if conditions else None)
    rebuild(scope, binder.ranks)


def remove_fan_out(tree: JoinTree, binder: Binder) -> bool:
    """Take each row once where an aggregate takes it as often as a join repeats it; say whether anything changed."""
    if tree.shows_all or tree.scope.select.args.get("distinct"):
        return False
    counting = [one for one in own_nodes(tree.scope.select, exp.AggFunc) if is_counted(one)]
    things = _counted(tree, counting)
    if not any(tree.repeats(thing, tree.sources) for thing in things):
        return False
    kept = widened(tree, tree.read() | things)
    again = {thing for thing in things if tree.repeats(thing, kept)}
    if again and not _count_keys(tree, again, counting):
        return False
    if kept != set(tree.sources):
        cut(tree, kept, binder)
    return bool(again) or kept != set(tree.sources)


def _counted(tree: JoinTree, counting: Sequence[exp.Expr]) -> set[str]:
    """Return the sources whose rows some aggregates take, none if that cannot be told."""
    things = {key for one in counting for key in reads(one, tree.sources)}
    if any(not reads(one, tree.sources) for one in counting):
        only = all(isinstance(one, exp.Count) and isinstance(one.this, exp.Star) for one in counting)
        bare = _bare(tree) if only else []
        told = any(_tells_row(tree, condition, thing) for thing in bare for condition in tree.conditions)
        things = set(bare) if len(bare) == 1 and not told else set()  # of one row nobody asks how many it is
    elif not all(_of_rows(tree, one) for one in counting):
        return set()
    return things if not any(_grouped_by(tree, thing) for thing in things) else set()


def _of_rows(tree: JoinTree, aggregate: exp.Expr) -> bool:
    """Does an aggregate of columns take the rows of their table?

    A count does where it is of their key, and no condition says which row it is: how often that is met is counted then.
    A sum of cases counts what the cases are told apart by, which may be anything.
    """
    if not isinstance(aggregate, exp.Count):
        return aggregate.find(exp.Case, exp.If) is None
    column = aggregate.this
    if not isinstance(column, exp.Column):
        return False
    table = table_of(tree.sources[column.table])
    return tree.counts.one(table, [column.name]) and not any(_tells_row(tree, c, column.table) for c in tree.conditions)


def _tells_row(tree: JoinTree, condition: exp.Expr, thing: str) -> bool:
    """Does a condition say which row of a source it is?"""
    return _names_row(tree, (condition.this, condition.expression) if isinstance(condition, exp.EQ) else (), thing)


def _names_row(tree: JoinTree, nodes: Iterable[exp.Expr], thing: str) -> bool:
    """Is a column of a source that tells its rows apart among some nodes, or equal to one of them?"""
    named = [node for node in nodes if isinstance(node, exp.Column)]
    own = [column for node in named for column in (node, *tree.same(node)) if column.table == thing]
    return any(tree.counts.names_row(table_of(tree.sources[thing]), column.name) for column in own)


def _bare(tree: JoinTree) -> list[str]:
    """Return the ends of a tree that rows refer to and nothing is read from."""
    read = tree.read() | {key for key in tree.sources if tree.conditioned(key)}
    ends = [(key, steps[0]) for key, steps in tree.steps.items() if len(steps) == 1 and key not in read]
    return [key for key, step in ends if tree.refers(tree.back(step)) and not tree.one(step)]


def _grouped_by(tree: JoinTree, thing: str) -> bool:
    """Is there a group for each row of a source, so that none of them is counted?"""
    group = tree.scope.select.args.get("group")
    return _names_row(tree, group.expressions if group is not None else (), thing)


def _count_keys(tree: JoinTree, things: Collection[str], counting: Sequence[exp.Expr]) -> bool:
    """Count keys, each but once, in place of the rows of some sources; say whether that can be written."""
    keys = {thing: tree.counts.row_key(table_of(tree.sources[thing])) or "" for thing in things}
    if "" in keys.values() or not all(_counts_rows(tree, one) for one in counting):
        return False
    for one in counting:
        thing = one.this.table if isinstance(one.this, exp.Column) else next(iter(keys))
        if thing in keys:
            one.set("this", exp.Distinct(expressions=[exp.column(keys[thing], table=thing)]))
    return True


def _counts_rows(tree: JoinTree, aggregate: exp.Expr) -> bool:
    """Is it a count that leaves no row out?"""
    column = aggregate.this
    if not isinstance(aggregate, exp.Count) or not isinstance(column, exp.Column):
        return isinstance(aggregate, exp.Count) and isinstance(column, exp.Star)
    return not tree.counts.nullable(table_of(tree.sources[column.table]), column.name)
