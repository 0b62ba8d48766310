"""The stacks of LR states with the values of their symbols, one node for each symbol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..types.abstract_values import RuleViolation

__all__ = ["Node", "Reduction", "ReductionPath", "down", "values_of"]

_NONE: Mapping[int, RuleViolation] = {}


class Reduction(NamedTuple):
    """A reduction that the scope is told of: its nonterminal and its value; of ``(SELECT a FROM t)``: subquery."""

    head: str
    value: Any


class Node:
    """The top of one stack of states; equal stacks of one `GraphStack` are one object.

    Attributes:
        parent: the stack below, None at the bottom.
        state: the state on top.
        value: that of the symbol on top, as the semantic actions give it.
        children: the stacks one higher, as far as `GraphStack` has made them.
        lookaheads: what `GraphStack.lookaheads` found, None before.
        refused: terminals that a rule keeps from coming next.
        depth: how many brackets, CASEs and negations stand open.
        height: how many symbols a parser of the engine keeps for it, at most.
        inside: whether an aggregate's brackets stand open in the innermost query: ``SELECT MAX(a +``.
    """

    __slots__ = ("children", "depth", "height", "inside", "lookaheads", "parent", "refused", "state", "value")

    def __init__(self, parent: Node | None, state: int, value: Any, depth: int, height: int, *, inside: bool) -> None:
        self.parent = parent
        self.state = state
        self.value = value
        self.depth = depth
        self.height = height
        self.inside = inside
        self.children: dict[Any, Node] | None = None
        self.lookaheads: list[tuple[ReductionPath, frozenset[int]]] | None = None
        self.refused = _NONE


class ReductionPath(NamedTuple):
    """How a terminal can come next: on ``top``, after reductions; WHERE after ``FROM t``: source, joined, from."""

    top: Node
    reductions: tuple[Reduction, ...]


def down(node: Node | None, symbol: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield the symbols of a stack, the top first, with their values."""
    while node is not None:
        yield symbol[node.state], node.value
        node = node.parent


def values_of(node: Node, count: int) -> tuple[Any, ...]:
    """Return the values of the ``count`` topmost symbols, the lowest first."""
    values: list[Any] = []
    at: Node | None = node
    while at is not None and len(values) < count:
        values.append(at.value)
        at = at.parent
    return tuple(reversed(values))
