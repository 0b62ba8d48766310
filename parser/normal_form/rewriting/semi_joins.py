"""Sources that only ask for something, moved from FROM into a subquery, so that they repeat no row.

SELECT AVG(hotel.stars) FROM hotel          SELECT AVG(hotel.stars) FROM hotel
JOIN review ON hotel.id = review.hotel_id   WHERE hotel.id IN
WHERE review.score > 8                        (SELECT review.hotel_id FROM review WHERE review.score > 8)
"""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import exp

from ..binding import Binder
from ..joins import all_of, rebuild
from ..sources import Joined, QueryScope
from .join_tree import JoinStep, JoinTree, reads

__all__ = ["cut", "left_out", "widened"]


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
    inner = QueryScope(select, scope)
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
    scope.select.set("where", exp.Where(this=all_of(conditions)) if conditions else None)
    rebuild(scope, binder.ranks)
