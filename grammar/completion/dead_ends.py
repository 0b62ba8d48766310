"""Why no query that begins so can be finished."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Set

from ..stack.node import Node, values_of
from ..types.violation import RuleViolation
from .shortest import Completion

__all__ = ["reason"]

_LOOKED = 1000
"""Phrases that are looked at for a reason, at most."""


def reason(completion: Completion, node: Node, written: Set[str]) -> RuleViolation | None:
    """Return why no query that begins with ``node`` can be finished, None if there is nothing to say.

    ``SELECT - 'x'`` on PostgreSQL: «neg does not take text». What shows the soonest is told, but sooner than of a
    function or an operator that the query does not have, one that it has.

    Args:
        written: the query's words in upper case, empty if they are not known.
    """
    found: list[tuple[int, RuleViolation]] = []
    heap = [(0, 0, node)]
    for number in range(_LOOKED):
        if not heap or (found and heap[0][0] > found[0][0] and _names_one(found[0][1], written)):
            break
        words, _, at = heapq.heappop(heap)
        for place, (more, after) in enumerate(_ended(completion, at)):
            if isinstance(after, RuleViolation):
                found.append((words + more, after))
            else:
                heapq.heappush(heap, (words + more, (number + 1) * _LOOKED + place, after))
        found.sort(key=lambda pair: (not _names_one(pair[1], written), pair[0]))
    return found[0][1] if found else None


def _names_one(refused: RuleViolation, written: Set[str]) -> bool:
    """Say whether a problem begins with one of some words, if any are known, or with none that is SQL."""
    first = refused.problem.split(maxsplit=1)[0]
    return not written or first in written or first.isdigit() or first != first.upper()


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
