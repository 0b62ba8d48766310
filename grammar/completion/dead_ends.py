"""Why no query that begins so can be finished."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from ..stack.node import Node, values_of
from ..types.violation import RuleViolation
from .shortest import Completion

__all__ = ["reasons"]

_LOOKED = 1000
"""Phrases that are looked at for a reason, at most."""


def reasons(completion: Completion, node: Node) -> list[RuleViolation]:
    """Return why no query that begins with ``node`` can be finished; what shows the soonest comes first.

    ``SELECT - 'x'`` on PostgreSQL: «neg does not take text».
    """
    found: list[tuple[int, RuleViolation]] = []
    heap = [(0, 0, node)]
    for number in range(_LOOKED):
        if not heap or (found and heap[0][0] > min(words for words, _ in found)):
            break
        words, _, at = heapq.heappop(heap)
        for place, (more, after) in enumerate(_ended(completion, at)):
            if isinstance(after, RuleViolation):
                found.append((words + more, after))
            else:
                heapq.heappush(heap, (words + more, (number + 1) * _LOOKED + place, after))
    return [refused for _, refused in sorted(found, key=lambda pair: pair[0])]


def _ended(completion: Completion, node: Node) -> Iterator[tuple[int, Node | RuleViolation]]:
    """Yield the phrases that ``node`` begins, each with its fewest words, and what is said against shorter ones."""
    actions, tables = completion.stack.actions, completion.stack.tables
    if actions is None or node.state == tables.accepting:
        return
    for production, dot in tables.kernels[node.state]:
        for words, suffix in completion.suffixes.of(production, dot):
            try:
                value = actions.reduce(production, (*values_of(node, dot), *suffix))
            except RuleViolation as refused:
                yield words, refused
                continue
            yield words, completion.below(node, (dot, tables.productions[production].head, value, words)) or node
            break
