"""The fewest words that finish a query, exactly, for one set of terminals that are at hand.

The LR(0) items of the state on top of a stack are the only ways its prefix can go on. For an item
A -> a . b the cheapest way is to write the shortest yield of b, to pop a, and to go on from A; so the
cost of a stack is a shortest path over items, memoised by stack.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .stacks import Node, Stacks
from .tables import END, Tables

__all__ = ["NEVER", "Completion", "Yields"]

NEVER = 1 << 30
"""More words than any budget: cannot be finished."""


class Yields:
    """The fewest words that each nonterminal, and each rest of a rule, can become.

    ``levels[n]`` holds for when n more constructs may be opened (`stacks.OPENERS`); what follows an opener in
    its rule stands inside of it, one level lower. The last level stands for all above, where nothing changes.
    """

    def __init__(self, tables: Tables, available: frozenset[int], openers: frozenset[int]) -> None:
        self._rules, self._available, self._openers = tables.rules, available, openers
        self.levels: list[list[int]] = []
        while len(self.levels) < 2 or self.levels[-1] != self.levels[-2]:
            self._add_level([NEVER] * len(tables.nonterminals))
        # a rest of a rule opens some itself before it comes to the levels where nothing changes
        most = max(sum(symbol in openers for symbol in rule.body) for rule in tables.rules)
        self.levels += self.levels[-1:] * most

    def _add_level(self, yields: list[int]) -> None:
        self.levels.append(yields)
        changed = True
        while changed:
            changed = False
            for rule in self._rules:
                length = self.rest(rule.body, len(self.levels) - 1)
                if length < yields[rule.head]:
                    yields[rule.head] = length
                    changed = True

    def rest(self, symbols: Sequence[int], level: int) -> int:
        """Return the fewest words that symbols of one rule can become, in order, or `NEVER`."""
        words = 0
        for symbol in symbols:
            if symbol < 0:
                words += self.levels[level][~symbol]
            elif symbol not in self._available or (level == 0 and symbol in self._openers):
                return NEVER
            else:
                words += 1
                level -= symbol in self._openers
        return min(words, NEVER)


class Completion:
    """Costs of stacks when only the terminals ``available`` can be written.

    With a ``depth``, no more than so many nested constructs may stand open at a time.
    """

    def __init__(self, stacks: Stacks, available: frozenset[int], *, depth: int | None = None) -> None:
        self.stacks = stacks
        self.available = available
        self.depth = depth
        rules = stacks.tables.rules
        openers = frozenset[int]() if depth is None else stacks.openers
        yields = Yields(stacks.tables, available, openers)
        self._top = len(yields.levels) - 1
        # by level and state: (symbols to pop, nonterminal to go on with, words to write before that)
        self._items = [
            [
                [
                    (dot, rules[rule].head, words)
                    for rule, dot in kernel
                    if (words := yields.rest(rules[rule].body[dot:], level)) < NEVER
                ]
                for kernel in stacks.tables.kernels
            ]
            for level in range(self._top + 1)
        ]
        self._exits: dict[tuple[int, int, int], list[tuple[int, int, int]]] = {}
        self._costs: dict[Node, int] = {}
        self._needs: dict[Node, tuple[NDArray[np.int32], int]] = {}

    def _level(self, node: Node) -> int:
        """Return how many more constructs may be opened upon ``node``, as far as it matters; -1 is one too many."""
        return self._top if self.depth is None else max(-1, min(self._top, self.depth - node.depth))

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
        level = self._level(node)
        if level < 0:
            return []
        if below is None:
            return [(None, words) for _, _, words in self._items[level][node.state]]
        ways: list[tuple[Node | None, int]] = []
        for pops, head, words in self._exits_of(below, node.state, level):
            ways.append((None if head < 0 else self.stacks.reduce(below, head, pops), words))
        return ways

    def _exits_of(self, below: Node, state: int, level: int) -> list[tuple[int, int, int]]:
        """Return how a state upon ``below`` is left: symbols popped below it, nonterminal, fewest words.

        Items with one symbol before the dot keep the height of the stack (unit rules, left recursion):
        Dijkstra over the states that they lead to. Nonterminal -1 is the end of the query.
        """
        beneath = self._level(below)  # the level of states that are reached by a nonterminal: none opens
        known = self._exits.get((below.state, state, beneath))
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
            for dot, head, tail in self._items[level if at == state else beneath][at]:
                total = words + tail
                if dot == 1:
                    after = int(tables.goto[below.state, head])
                    if total < best.get(after, NEVER):
                        best[after] = total
                        heapq.heappush(heap, (total, after))
                elif total < exits.get((dot - 1, head), NEVER):
                    exits[dot - 1, head] = total
        self._exits[below.state, state, beneath] = [(pops, head, words) for (pops, head), words in exits.items()]
        return self._exits[below.state, state, beneath]
