"""Joins that repeat rows, under what counts each row: what the counted rows are, and how each is taken once.

A SUM, AVG or COUNT of a column takes rows of the column's table. COUNT(*) takes the rows of the join, but where a table
is joined that rows refer to and nothing is read from it: then it is there to be counted («how many hotels have a score
above 8»), since the query would be the same without it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlglot import exp

from ..binding import Binder
from .join_tree import JoinTree, is_counted, own_nodes, reads, table_of
from .once import apart, over_distinct
from .semi_joins import cut, left_out, widened

__all__ = ["rows_once", "without_needless"]


def rows_once(tree: JoinTree, binder: Binder) -> bool:
    """Take each row once where an aggregate takes it as often as a join repeats it; say whether anything changed."""
    if tree.shows_all or tree.scope.select.args.get("distinct"):
        return False
    counting = [one for one in own_nodes(tree.scope.select, exp.AggFunc) if is_counted(one)]
    things = _counted(tree, counting)
    if not any(tree.repeats(thing, tree.sources) for thing in things):
        return False
    kept = widened(tree, tree.read() | things)
    again = {thing for thing in things if tree.repeats(thing, kept)}
    summed = bool(again) and not _count_keys(tree, again, counting)
    if summed and (len(things) > 1 or not apart(tree, next(iter(again)))):
        return False
    if kept != set(tree.sources):
        cut(tree, kept, binder)
    if summed:
        over_distinct(tree, again.pop(), binder)
        return True
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
    sides = (condition.this, condition.expression) if isinstance(condition, exp.EQ) else ()
    named = [side for side in sides if isinstance(side, exp.Column)]
    own = [column for side in named for column in (side, *tree.same(side)) if column.table == thing]
    return any(tree.counts.names_row(table_of(tree.sources[thing]), column.name) for column in own)


def _bare(tree: JoinTree) -> list[str]:
    """Return the ends of a tree that rows refer to and nothing is read from."""
    read = tree.read() | {key for key in tree.sources if tree.conditioned(key)}
    ends = [(key, steps[0]) for key, steps in tree.steps.items() if len(steps) == 1 and key not in read]
    return [key for key, step in ends if tree.refers(tree.back(step)) and not tree.one(step)]


def _grouped_by(tree: JoinTree, thing: str) -> bool:
    """Is there a group for each row of a source, so that none of them is counted?"""
    group = tree.scope.select.args.get("group")
    terms = [term for term in group.expressions if isinstance(term, exp.Column)] if group is not None else []
    own = [column for term in terms for column in (term, *tree.same(term)) if column.table == thing]
    return any(tree.counts.names_row(table_of(tree.sources[thing]), column.name) for column in own)


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


def without_needless(tree: JoinTree, binder: Binder) -> bool:
    """Leave out sources that rows refer to and nothing is read from; say whether there were any.

    Where a row may refer to nothing, the join asks for those that do, and stays.
    """
    if tree.shows_all:
        return False
    gone: set[str] = set()
    read = tree.read() | {key for key in tree.sources if tree.conditioned(key)}
    while end := next((key for key in tree.sources if key not in read | gone and _needless(tree, key, gone)), None):
        gone.add(end)
    if gone:
        left_out(tree, gone, binder)
    return bool(gone)


def _needless(tree: JoinTree, key: str, gone: Collection[str]) -> bool:
    """Does a source that nothing is read from take part in one join, with what refers to it?"""
    steps = [step for step in tree.steps[key] if step.other.key not in gone]
    return len(steps) == 1 and tree.one(back := tree.back(steps[0])) and tree.always(back)
