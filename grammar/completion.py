"""The fewest words that finish a query, for one set of terminals that are at hand.

The LR(0) items of the state on top of a stack are the only ways its prefix can go on. For an item
A -> a . b the cheapest way is to write the shortest yield of b, to pop a, and to go on from A; so the
cost of a stack is a shortest path over items, memoised by stack. Where phrases have values, b is written with
the stock of short phrases (stock.py) that the rules let stand there.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from .phrases import Refused
from .stacks import Node, Stacks, values_of
from .stock import Stock
from .tables import Tables
from .values import NEVER

__all__ = ["NEVER", "Completion", "Place", "Way", "Yields"]


class Yields:
    """The fewest words that each nonterminal, and each rest of a rule, can become."""

    def __init__(
        self, tables: Tables, available: frozenset[int], free: frozenset[tuple[str, str]] = frozenset()
    ) -> None:
        self._available = available
        named = tables.names
        heads = [str(n) for n in tables.nonterminals]
        # the terminals that count nothing in each nonterminal's rules
        self.free = [{t for t, name in enumerate(named) if (head, name) in free} for head in heads]
        self.of = [NEVER] * len(heads)
        changed = True
        while changed:
            changed = False
            for rule in tables.rules:
                length = self.rest(rule.head, rule.body)
                if length < self.of[rule.head]:
                    self.of[rule.head] = length
                    changed = True

    def rest(self, head: int, symbols: Sequence[int]) -> int:
        """Return the fewest words that symbols of one rule of ``head`` can become, in order, or `NEVER`."""
        words = 0
        for symbol in symbols:
            if symbol < 0:
                words += self.of[~symbol]
            elif symbol not in self._available:
                return NEVER
            else:
                words += symbol not in self.free[head]
        return min(words, NEVER)


MENDS = 2
"""How often a whole phrase is lengthened to make it fit: a cast, then IS NULL."""

_LOOKED = 1000
"""Phrases that are looked at for a reason, at most."""

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
        stacks: of the grammar.
        available: terminals at hand.
        stock: short phrases to write where phrases have values.
        free: terminals, each with the nonterminal of its rule, that the scope counts instead.
    """

    def __init__(
        self,
        stacks: Stacks,
        available: frozenset[int],
        *,
        stock: Stock | None = None,
        free: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        self.stacks = stacks
        self.available = available
        self._yields = Yields(stacks.tables, available, free)
        self._stock = stock
        self._exits: dict[Place, dict[Any, list[Way]]] = {}
        self._tails: dict[tuple[int, int], list[tuple[int, tuple[Any, ...]]]] = {}
        self._costs: dict[Node, int] = {}
        self._chains: dict[tuple[int, int], _Items] = {}
        self._known: dict[tuple[int, int, tuple[Any, ...]], list[tuple[Any, int]]] = {}
        self._branches = frozenset(s for s, name in enumerate(stacks.symbol) if name in {"THEN", "ELSE"})
        self._sums = frozenset(s for s, name in enumerate(stacks.symbol) if name in {"+", "-"})
        bodies = stacks.tables.bodies
        self._lists = frozenset(
            s
            for s, kernel in enumerate(stacks.tables.kernels)
            if any(
                bodies[r][dot : dot + 1] == ["expr_list"] or bodies[r][:dot] == ["expr_list", ","] for r, dot in kernel
            )
        )

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
            costs[top] = min((w if after is None else min(w + costs[after], NEVER) for after, w in ways), default=NEVER)
            todo.pop()
        return costs[node]

    def place(self, node: Node) -> Place:
        """Return what ways out of a symbol upon ``node`` depend on."""
        return node.state, values_of(node, self.stacks.span[node.state])

    def exits(self, place: Place, state: int, value: Any) -> list[Way]:
        """Return how a symbol upon a place is left, and the stack above that with it; the end has nonterminal -1."""
        known = self._exits.get(place)
        if known is None:
            known = self._exits[place] = {}
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
        return self.stacks.push(below, self.stacks.goto[below.state][head], value)

    def reasons(self, node: Node) -> list[Refused]:
        """Return why no query that begins with ``node`` can be finished; what shows the soonest comes first."""
        found: list[tuple[int, Refused]] = []
        heap = [(0, 0, node)]
        for number in range(_LOOKED):
            if not heap or (found and heap[0][0] > min(words for words, _ in found)):
                break
            words, _, at = heapq.heappop(heap)
            for place, (more, after) in enumerate(self._ended(at)):
                if isinstance(after, Refused):
                    found.append((words + more, after))
                else:
                    heapq.heappush(heap, (words + more, (number + 1) * _LOOKED + place, after))
        return [refused for _, refused in sorted(found, key=lambda pair: pair[0])]

    def _ended(self, node: Node) -> Iterator[tuple[int, Node | Refused]]:
        """Yield the phrases that ``node`` begins, each with its fewest words, and what is said against shorter ones."""
        phrases, tables = self.stacks.phrases, self.stacks.tables
        if phrases is None or node.state == tables.accepting:
            return
        for rule, dot in tables.kernels[node.state]:
            for words, tail in self._tail(rule, dot):
                try:
                    value = phrases.reduce(rule, (*values_of(node, dot), *tail))
                except Refused as refused:
                    yield words, refused
                    continue
                yield words, self.left(node, (dot, tables.rules[rule].head, value, words)) or node
                break

    def _ways(self, node: Node) -> list[tuple[Node | None, int]]:
        """Return the lower stacks that may follow, each with the words before it; None is the end."""
        below = node.parent
        if below is None:
            return [(None, words) for _, words in self._beginnings(node)]
        return [(self.left(below, way), way[-1]) for way in self.exits(self.place(below), node.state, node.value)]

    def _beginnings(self, root: Node) -> Iterator[tuple[int, int]]:
        tables = self.stacks.tables
        for rule, dot in tables.kernels[root.state]:
            for words, _ in self._tail(rule, dot):
                yield rule, words

    def _shortest(self, below: int, state: int) -> list[Way]:
        """Return how a state is left where nothing has a value: Dijkstra over the states that take its place."""
        tables = self.stacks.tables
        exits: dict[tuple[int, int, Any], int] = {}
        best = {state: 0}
        heap = [(0, state)]
        while heap:
            words, at = heapq.heappop(heap)
            if words > best[at]:
                continue
            if at == tables.accepting:
                exits[0, -1, None] = min(words, exits.get((0, -1, None), NEVER))
            for rule, dot in () if at == tables.accepting else tables.kernels[at]:
                head = tables.rules[rule].head
                for _, tail in self._results(rule, dot, (), ()):
                    total = words + tail
                    if dot > 1:
                        exits[dot - 1, head, None] = min(total, exits.get((dot - 1, head, None), NEVER))
                    elif total < best.get(self.stacks.goto[below][head], NEVER):
                        best[self.stacks.goto[below][head]] = total
                        heapq.heappush(heap, (total, self.stacks.goto[below][head]))
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
        for rule, dot in items.going:
            if not stock.settled(rule, dot, value):
                self._follow(exits, known, place, (rule, dot), (value, mends))
        for rule, dot in items.mending if mends else ():
            branch = stock.casts(rule) and self._branch(place, value)
            if (exits and not branch and not stock.limits(rule)) or stock.lengthens(rule, value, place[1]):
                continue
            if branch:
                self._follow(exits, known, place, (rule, dot), (value, 0))
            elif stock.casts(rule):
                for more in dict.fromkeys((0, mends - 1)):
                    if not exits:
                        self._follow(exits, known, place, (rule, dot), (value, more), once=True)
            else:
                self._follow(exits, known, place, (rule, dot), (value, mends - (not stock.lists(rule))))
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
        (below, under), (rule, dot), (value, mends) = place, item, left
        head = self.stacks.tables.rules[rule].head
        values = (*under[len(under) - dot + 1 :], value) if dot > 1 else (value,)
        for result, tail in self._results(rule, dot, values, under):
            if dot > 1 and self._stock is not None and self._stock.unwanted(rule, result, under):
                continue
            if dot > 1:
                ways: list[Way] = [(dot - 1, head, result, 0)]
            else:
                ways = self._leave(known, place, self.stacks.goto[below][head], result, mends)
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
        tables, stock = self.stacks.tables, self._stock
        found: list[tuple[int, int]] = []
        chain = [state]
        for at in chain:
            for rule, dot in () if at == tables.accepting else tables.kernels[at]:
                if stock.passes_on(rule):
                    after = self.stacks.goto[below][tables.rules[rule].head]
                    if after not in chain:
                        chain.append(after)
                elif not stock.detours(rule, dot, [r for r, _ in tables.kernels[at]]):
                    found.append((rule, dot))
        mending = [(rule, dot) for rule, dot in found if dot == 1 and stock.mends(rule)]
        going = [item for item in found if item not in mending]
        # a cast last: there are many types
        mending.sort(key=lambda item: stock.casts(item[0]))
        known = self._chains[below, state] = _Items(tables.accepting in chain, going, mending)
        return known

    def _results(self, rule: int, dot: int, values: tuple[Any, ...], under: tuple[Any, ...]) -> list[tuple[Any, int]]:
        """Return the values that a phrase can be finished with, each with the fewest words.

        Of values that differ only in what can be mended outside of the phrase, the shortest must do.
        """
        matching = None
        if self._stock is not None and self._stock.matches(rule):
            matching = self._stock.matching(rule, values, under)
        key = (rule, dot, values)
        known = self._known.get(key) if matching is None else None
        if known is not None:
            return known
        tails = matching
        if tails is None and self._stock is not None:
            tails = self._stock.arguments(rule, values)
        if tails is None:
            tails = self._tail(rule, dot)
        found: dict[object, tuple[Any, int]] = {}
        phrases = self.stacks.phrases
        sorts = 1 if self._stock is None else self._stock.sorts(rule, values)
        for words, tail in tails:
            try:
                result = None if phrases is None else phrases.reduce(rule, (*values, *tail))
            except Refused:
                continue
            sort = None if self._stock is None else self._stock.sort(rule, result, values)
            if sort not in found:
                found[sort] = (result, words)
                if len(found) == sorts:
                    break
        results = list(found.values())
        if matching is None:
            self._known[key] = results
        return results

    def _tail(self, rule: int, dot: int) -> list[tuple[int, tuple[Any, ...]]]:
        """Return what may stand after the dot: (words, values)."""
        key = (rule, dot)
        known = self._tails.get(key)
        if known is None:
            body = self.stacks.tables.rules[rule].body[dot:]
            known = self._tails[key] = sorted(self._written(rule, body), key=lambda tail: tail[0])
        return known

    def _written(self, rule: int, body: Sequence[int]) -> Iterator[tuple[int, tuple[Any, ...]]]:
        head = self.stacks.tables.rules[rule].head
        if self._stock is None:
            words = self._yields.rest(head, body)
            if words < NEVER:
                yield words, (None,) * len(body)
            return
        choices: list[list[tuple[int, Any]]] = []
        for symbol in body:
            if symbol >= 0 and symbol not in self.available:
                return
            known = self._stock.of(symbol, rule)
            if known is not None:
                choices.append(known)
            elif symbol >= 0:
                choices.append([(int(symbol not in self._yields.free[head]), None)])
            else:
                words = self._yields.of[~symbol]
                choices.append([(words, None)] if words < NEVER else [])
        for chosen in product(*choices):
            yield sum(words for words, _ in chosen), tuple(value for _, value in chosen)
