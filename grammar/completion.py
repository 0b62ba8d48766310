"""The fewest words that finish a query, exactly, for one set of terminals that are at hand.

The LR(0) items of the state on top of a stack are the only ways its prefix can go on. For an item
A -> a . b the cheapest way is to write the shortest yield of b, to pop a, and to go on from A; so the
cost of a stack is a shortest path over items, memoised by stack.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from .stacks import Node, Stacks
from .tables import END, Tables

__all__ = ["NEVER", "Completion", "shortest_yields"]

NEVER = 1 << 30
"""More words than any budget: cannot be finished."""


def shortest_yields(tables: Tables, available: frozenset[int]) -> list[int]:
    """Return for each nonterminal the fewest words it can become, or `NEVER`."""
    yields = [NEVER] * len(tables.nonterminals)
    changed = True
    while changed:
        changed = False
        for rule in tables.rules:
            length = sum(_symbol_yield(s, yields, available) for s in rule.body)
            if length < yields[rule.head]:
                yields[rule.head] = length
                changed = True
    return yields


def _symbol_yield(symbol: int, yields: list[int], available: frozenset[int]) -> int:
    if symbol < 0:
        return yields[~symbol]
    return 1 if symbol in available else NEVER


class Completion:
    """Costs of stacks when only the terminals ``available`` can be written."""

    def __init__(self, stacks: Stacks, available: frozenset[int]) -> None:
        self.stacks = stacks
        self.available = available
        tables = stacks.tables
        yields = shortest_yields(tables, available)
        tails = [[sum(_symbol_yield(s, yields, available) for s in r.body[i:]) for i in range(len(r.body) + 1)]
                 for r in tables.rules]  # fmt: skip
        # for each state: (symbols to pop, nonterminal to go on with, words to write before that)
        self._items = [[(dot, tables.rules[rule].head, tails[rule][dot]) for rule, dot in kernel if
                        tails[rule][dot] < NEVER] for kernel in tables.kernels]  # fmt: skip
        self._exits: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        self._costs: dict[Node, int] = {}
        self._needs: dict[Node, tuple[NDArray[np.int32], int]] = {}

    def needs(self, node: Node) -> tuple[NDArray[np.int32], int]:
        """Return for each terminal the words needed from ``node`` if it is written next, itself included.

        Shape (terminals + 1,), int32; the end of the query needs 0 words, what cannot come `NEVER`,
        and so does the last place, which stands for words outside the grammar. With it, the most words
        that any terminal needs: with so many left, the budget does not bind.
        """
        found = self._needs.get(node)
        if found is None:
            words = {END: 0} if self.stacks.complete(node) else {}
            for terminal, after in self.stacks.following(node).items():
                if terminal in self.available and terminal != END:
                    words[terminal] = min(1 + self.cost(after), NEVER)
            needs = np.full(len(self.stacks.tables.terminals) + 1, NEVER, np.int32)
            needs[list(words)] = list(words.values())
            needs.flags.writeable = False
            found = self._needs[node] = (needs, max((w for w in words.values() if w < NEVER), default=0))
        return found

    def cost(self, node: Node) -> int:
        """Return the fewest words that finish the query from ``node``, `NEVER` if none do."""
        costs = self._costs
        todo = [node]
        while todo:
            top = todo[-1]
            ways = self._ways(top)
            unknown = [after for after, _ in ways if after is not None and after not in costs]
            if unknown:
                todo.extend(unknown)
                continue
            costs[top] = min((w if after is None else w + costs[after] for after, w in ways), default=NEVER)
            todo.pop()
        return costs[node]

    def _ways(self, node: Node) -> list[tuple[Node | None, int]]:
        """Return the lower stacks that may follow, each with the words before it; None is the end."""
        below = node.parent
        if below is None:
            return [(None, words) for _, _, words in self._items[node.state]]
        ways: list[tuple[Node | None, int]] = []
        for pops, head, words in self._exits_of(below.state, node.state):
            ways.append((None if head < 0 else self.stacks.reduce(below, head, pops), words))
        return ways

    def _exits_of(self, below: int, state: int) -> list[tuple[int, int, int]]:
        """Return how a state upon ``below`` is left: symbols popped below it, nonterminal, fewest words.

        Items with one symbol before the dot keep the height of the stack (unit rules, left recursion):
        Dijkstra over the states that they lead to. Nonterminal -1 is the end of the query.
        """
        known = self._exits.get((below, state))
        if known is not None:
            return known
        tables = self.stacks.tables
        exits: dict[tuple[int, int], int] = {}
        best = {state: 0}
        heap = [(0, state)]
        while heap:
            words, at = heapq.heappop(heap)
            if words > best[at]:
                continue
            if at == tables.accepting:
                exits[0, -1] = min(words, exits.get((0, -1), NEVER))
                continue
            for dot, head, tail in self._items[at]:
                total = words + tail
                if dot == 1:
                    after = int(tables.goto[below, head])
                    if total < best.get(after, NEVER):
                        best[after] = total
                        heapq.heappush(heap, (total, after))
                elif total < exits.get((dot - 1, head), NEVER):
                    exits[dot - 1, head] = total
        self._exits[below, state] = [(pops, head, words) for (pops, head), words in exits.items()]
        return self._exits[below, state]
