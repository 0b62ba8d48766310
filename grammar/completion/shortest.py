"""The fewest words that finish a query, for one set of terminals that are at hand.

The LR(0) items of the state on top of a stack are the only ways its prefix can go on. For an item
A -> a . b the cheapest way is to write the shortest yield of b, to pop a, and to go on from A; so the
cost of a stack is a shortest path over items, memoised by stack. Where phrases have values, b is written with
the stock of short phrases (stock.py) that the rules let stand there.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..stack.graph_stack import GraphStack
from ..stack.node import Node, values_of
from ..types.abstract_values import NEVER
from .fillers import Stock
from .suffixes import Tails

__all__ = ["NEVER", "Completion"]


MENDS = 2
"""How often a whole phrase is lengthened to make it fit: a cast, then IS NULL."""

Place = tuple[int, tuple[Any, ...]]
"""The state below a symbol, and the values of the symbols that its items began with."""


class _Items(NamedTuple):
    """How a symbol may go on: whether it is the whole query, (rule, dot) that lead on, and those that only mend."""

    whole: bool
    going: list[tuple[int, int]]
    mending: list[tuple[int, int]]


Way = tuple[int, int, Any, int]
"""Symbols to pop below the top, nonterminal to go on with, its value, words to write before that."""


class Completion:
    """Costs of stacks when only the terminals ``available`` can be written.

    Args:
        stack: of the grammar.
        available: terminals at hand.
        stock: short phrases to write where phrases have values.
        free: terminals, each with the nonterminal of its rule, that the scope counts instead.
    """

    def __init__(
        self,
        stack: GraphStack,
        available: frozenset[int],
        *,
        stock: Stock | None = None,
        free: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        self.stack = stack
        self.tails = Tails(stack.tables, stack.actions, available, stock=stock, free=free)
        self._stock = stock
        self._known: dict[Place, dict[Any, list[Way]]] = {}
        self._costs: dict[Node, int] = {}
        self._chains: dict[tuple[int, int], _Items] = {}
        self._branches = frozenset(s for s, name in enumerate(stack.symbol) if name in {"THEN", "ELSE"})
        self._sums = frozenset(s for s, name in enumerate(stack.symbol) if name in {"+", "-"})
        bodies = stack.tables.bodies
        self._lists = frozenset(
            s
            for s, kernel in enumerate(stack.tables.kernels)
            if any(
                bodies[r][dot : dot + 1] == ["expr_list"] or bodies[r][:dot] == ["expr_list", ","] for r, dot in kernel
            )
        )

    def cost(self, node: Node) -> int:
        """Return the fewest words that finish the query from ``node``, `NEVER` if none do."""
        costs = self._costs
        todo = [] if node in costs else [node]
        while todo:
            top = todo[-1]
            ways = self._ways(top)
            unknown = [after for after, _ in ways if after is not None and after not in costs]
            if unknown:
                todo.extend(unknown)
                continue
            costs[top] = min((w if after is None else min(w + costs[after], NEVER) for after, w in ways), default=NEVER)
            todo.pop()
        return costs[node]

    def _place(self, node: Node) -> Place:
        """Return what ways out of a symbol upon ``node`` depend on."""
        if self._stock is None:
            return node.state, ()
        return node.state, values_of(node, self.stack.automaton.span[node.state])

    def _exits(self, place: Place, state: int, value: Any) -> list[Way]:
        """Return how a symbol upon a place is left, and the stack above that with it; the end has nonterminal -1."""
        known = self._known.get(place)
        if known is None:
            known = self._known[place] = {}
        if self._stock is not None:
            return self._leave(known, place, state, value, MENDS)
        if state not in known:
            known[state] = self._shortest(place[0], state)
        return known[state]

    def left(self, below: Node, way: Way) -> Node | None:
        """Return the stack that a way out of a symbol upon ``below`` leads to; None at the end."""
        pops, head, value, _ = way
        if head < 0:
            return None
        for _ in range(pops):
            assert below.parent is not None
            below = below.parent
        return self.stack.push(below, self.stack.goto[below.state][head], value)

    def _ways(self, node: Node) -> list[tuple[Node | None, int]]:
        """Return the lower stacks that may follow, each with the words before it; None is the end."""
        below = node.parent
        if below is None:
            return [(None, words) for _, words in self._beginnings(node)]
        return [(self.left(below, way), way[-1]) for way in self._exits(self._place(below), node.state, node.value)]

    def _beginnings(self, root: Node) -> Iterator[tuple[int, int]]:
        tables = self.stack.tables
        for production, dot in tables.kernels[root.state]:
            for words, _ in self.tails.of(production, dot):
                yield production, words

    def _shortest(self, below: int, state: int) -> list[Way]:
        """Return how a state is left where nothing has a value: Dijkstra over the states that take its place."""
        tables = self.stack.tables
        exits: dict[tuple[int, int, Any], int] = {}
        best = {state: 0}
        heap = [(0, state)]
        while heap:
            words, at = heapq.heappop(heap)
            if words > best[at]:
                continue
            if at == tables.accepting:
                exits[0, -1, None] = min(words, exits.get((0, -1, None), NEVER))
            for production, dot in () if at == tables.accepting else tables.kernels[at]:
                head = tables.productions[production].head
                for _, tail in self.tails.results(production, dot, (), ()):
                    total = words + tail
                    if dot > 1:
                        exits[dot - 1, head, None] = min(total, exits.get((dot - 1, head, None), NEVER))
                    elif total < best.get(self.stack.goto[below][head], NEVER):
                        best[self.stack.goto[below][head]] = total
                        heapq.heappush(heap, (total, self.stack.goto[below][head]))
        return [(*way, words) for way, words in exits.items()]

    def _leave(self, known: dict[Any, list[Way]], place: Place, state: int, value: Any, mends: int) -> list[Way]:
        """Return how a symbol upon a place is left.

        An item with one symbol before the dot leaves another symbol in its place (unit rules, left recursion); one
        with more leaves the place. What is whole but fits nowhere is mended by going on, ``mends`` times at most.
        """
        key = (state, value, mends)
        found = known.get(key)
        if found is not None:
            return found
        assert self._stock is not None
        stock, items = self._stock, self._items(place[0], state)
        exits: dict[tuple[int, int, Any], int] = {(0, -1, None): 0} if items.whole else {}
        for production, dot in items.going:
            if not stock.settled(production, dot, value):
                self._follow(exits, known, place, (production, dot), (value, mends))
        for production, dot in items.mending if mends else ():
            branch = stock.casts(production) and self._branch(place, value)
            if (exits and not branch and not stock.limits(production)) or stock.lengthens(production, value, place[1]):
                continue
            if branch:
                self._follow(exits, known, place, (production, dot), (value, 0))
            elif stock.casts(production):
                for more in dict.fromkeys((0, mends - 1)):
                    if not exits:
                        self._follow(exits, known, place, (production, dot), (value, more), once=True)
            else:
                self._follow(exits, known, place, (production, dot), (value, mends - (not stock.lists(production))))
        found = known[key] = [(*way, words) for way, words in exits.items()]
        return found

    def _branch(self, place: Place, value: Any) -> bool:
        """Say whether of what type a value upon a place must be is for what stands around to say.

        So it is with the branches of CASE, and with NULL in lists, in brackets and calls that are of their parts'
        type, and behind a date.
        """
        state, under = place
        stock = self._stock
        assert stock is not None
        if state in self._branches or not stock.untyped(value):
            return state in self._branches
        return state in self._lists or stock.follows(under) or (state in self._sums and stock.shifts(under[:1]))

    def _follow(
        self,
        exits: dict[tuple[int, int, Any], int],
        known: dict[Any, list[Way]],
        place: Place,
        item: tuple[int, int],
        left: tuple[Any, int],
        *,
        once: bool = False,
    ) -> None:
        """Add the ways that go on by one item to ``exits``; ``left`` is the symbol's value and how often to mend.

        With ``once`` the first phrase that can be left is enough.
        """
        (below, under), (production, dot), (value, mends) = place, item, left
        head = self.stack.tables.productions[production].head
        values = (*under[len(under) - dot + 1 :], value) if dot > 1 else (value,)
        for result, tail in self.tails.results(production, dot, values, under):
            if dot > 1 and self._stock is not None and self._stock.unwanted(production, result, under):
                continue
            if dot > 1:
                ways: list[Way] = [(dot - 1, head, result, 0)]
            else:
                ways = self._leave(known, place, self.stack.goto[below][head], result, mends)
            for pops, to, what, more in ways:
                if tail + more < exits.get((pops, to, what), NEVER):
                    exits[pops, to, what] = tail + more
            if exits and once:
                break

    def _items(self, below: int, state: int) -> _Items:
        """Return the items of a state and of those that it becomes without a word or a new value."""
        known = self._chains.get((below, state))
        if known is not None:
            return known
        assert self._stock is not None
        tables, stock = self.stack.tables, self._stock
        found: list[tuple[int, int]] = []
        chain = [state]
        for at in chain:
            for production, dot in () if at == tables.accepting else tables.kernels[at]:
                if stock.passes_on(production):
                    after = self.stack.goto[below][tables.productions[production].head]
                    if after not in chain:
                        chain.append(after)
                elif not stock.detours(production, dot, [r for r, _ in tables.kernels[at]]):
                    found.append((production, dot))
        mending = [(production, dot) for production, dot in found if dot == 1 and stock.mends(production)]
        going = [item for item in found if item not in mending]
        # a cast last: there are many types
        mending.sort(key=lambda item: stock.casts(item[0]))
        known = self._chains[below, state] = _Items(tables.accepting in chain, going, mending)
        return known
