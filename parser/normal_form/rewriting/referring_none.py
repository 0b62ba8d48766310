"""Rows beside what they refer to in their own table: who has no manager is listed, too.

SELECT staff.name, staff_2.name FROM staff     SELECT staff.name, staff_2.name FROM staff
JOIN staff AS staff_2 ON staff.boss = …        LEFT JOIN staff AS staff_2 ON staff.boss = …
"""

from __future__ import annotations

from sqlglot import exp

from ..binding import Binder
from .empty_groups import join_left
from .join_tree import JoinStep, JoinTree, own_nodes, reads, table_of

__all__ = ["with_referring_none"]


def with_referring_none(tree: JoinTree, binder: Binder) -> bool:
    """Let rows come in that refer to none of their own table; say whether anything was changed."""
    select = tree.scope.select
    if select.args.get("group") or select.args.get("order") or any(own_nodes(select, exp.AggFunc)) or tree.shows_all:
        return False
    step = next((step for steps in tree.steps.values() for step in steps if _may_lack(tree, step)), None)
    if step is None:
        return False
    join_left(tree, [step], binder)
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
