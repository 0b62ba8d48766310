"""The way of a prefix whose stack lacks what stands around an open bracket: enough to make the stack whole again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Union

from .frames import WHOLE, Frame
from .nodes import Node
from .plans import Outlook, Plan
from .stacks import Stacks

__all__ = ["Place", "Trail", "follow"]

Trail = Union[Node, tuple["Trail", int]]  # noqa: UP007  # `|` takes no string
"""A stack that lacks nothing, or a trail and one more terminal; prefixes share what they have in common."""


Place = tuple[Plan, Frame, "Trail | None"]
"""Where a prefix stands: what may follow, what its stack lacks, and its trail, None if nothing lacks."""


def follow(outlook: Outlook, place: Place, word: int) -> Place:
    """Return the place after a word that a plan allows.

    Where a stack may be too high or deep, what its frame lacks is reckoned anew, or the stack made whole.
    """
    plan, frame, trail = place
    terminal = outlook.terminals[word]
    after = plan.after.get(terminal) or outlook.step(plan, terminal)
    if not isinstance(after, Plan):
        node, frame = after.go(frame)
        after = outlook.plan(node, None)
    if frame is WHOLE:
        return after, WHOLE, None
    trail = (trail or plan.node, terminal)
    node = after.node
    if node.depth + frame.depth < outlook.depth and node.height + frame.height <= outlook.low:
        return after, frame, trail
    stack = _whole(outlook.stacks, trail)
    if outlook.near(stack):
        return outlook.plan(stack, None), WHOLE, None
    return after, frame._replace(depth=stack.depth - node.depth, height=stack.height - node.height), stack


def _whole(stacks: Stacks, trail: Trail) -> Node:
    """Return the stack at the end of a trail."""
    terminals: list[int] = []
    while isinstance(trail, tuple):
        trail, terminal = trail
        terminals.append(terminal)
    return _unfolded(stacks, trail, reversed(terminals))


def _unfolded(stacks: Stacks, node: Node, terminals: Iterable[int]) -> Node:
    """Return the stack after terminals that may come, with what is complete on top reduced; without values.

    Nobody else asks for the stacks in between, so they are lists of states.
    """
    automaton, rules = stacks.automaton, stacks.tables.rules
    chain = _upward(node)
    states, kept = [each.state for each in chain], len(chain)

    def reduce(rule: int) -> None:
        nonlocal kept
        del states[len(states) - len(rules[rule].body) :]
        kept = min(kept, len(states))
        states.append(automaton.goto[states[-1]][rules[rule].head])

    for terminal in terminals:
        while terminal not in automaton.shifts[states[-1]]:
            reduce(next(rule for rule, among in automaton.reductions[states[-1]] if terminal in among))
        states.append(automaton.shifts[states[-1]][terminal])
        while (rule := automaton.complete[states[-1]]) is not None:
            reduce(rule)
    node = chain[kept - 1]
    for state in states[kept:]:
        node = stacks.push(node, state)
    return node


def _upward(node: Node) -> list[Node]:
    """Return all stacks that one stands on, the lowest first, and itself."""
    chain = [node]
    while chain[-1].parent is not None:
        chain.append(chain[-1].parent)
    return chain[::-1]
