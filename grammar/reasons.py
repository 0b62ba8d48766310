"""Why no query that begins so can be finished."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from .completion import Completion
from .nodes import Node, values_of
from .phrases import Refused

__all__ = ["reasons"]

_LOOKED = 1000
"""Phrases that are looked at for a reason, at most."""


def reasons(completion: Completion, node: Node) -> list[Refused]:
    """Return why no query that begins with ``node`` can be finished; what shows the soonest comes first."""
    found: list[tuple[int, Refused]] = []
    heap = [(0, 0, node)]
    for number in range(_LOOKED):
        if not heap or (found and heap[0][0] > min(words for words, _ in found)):
            break
        words, _, at = heapq.heappop(heap)
        for place, (more, after) in enumerate(_ended(completion, at)):
            if isinstance(after, Refused):
                found.append((words + more, after))
            else:
                heapq.heappush(heap, (words + more, (number + 1) * _LOOKED + place, after))
    return [refused for _, refused in sorted(found, key=lambda pair: pair[0])]


def _ended(completion: Completion, node: Node) -> Iterator[tuple[int, Node | Refused]]:
    """Yield the phrases that ``node`` begins, each with its fewest words, and what is said against shorter ones."""
    phrases, tables = completion.stacks.phrases, completion.stacks.tables
    if phrases is None or node.state == tables.accepting:
        return
    for rule, dot in tables.kernels[node.state]:
        for words, tail in completion.tails.of(rule, dot):
            try:
                value = phrases.reduce(rule, (*values_of(node, dot), *tail))
            except Refused as refused:
                yield words, refused
                continue
            yield words, completion.left(node, (dot, tables.rules[rule].head, value, words)) or node
            break
