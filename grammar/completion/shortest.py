"""The fewest words that finish a query, for one set of terminals at hand; and why no query that begins so has an end.

The LR(0) items of the state on top of a stack are the only ways its prefix can go on. For an item
A -> a . b the cheapest way is to write the shortest yield of b, to pop a, and to go on from A; so the
cost of a stack is a shortest path over items, memoised by stack. b is written with the short phrases (fillers.py) that
the rules let stand there.
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import product
from typing import Any

from ..lr.tables import Tables
from ..stack.graph_stack import GraphStack, Node, values_of
from ..stack.time_limit import check_time
from ..types.abstract_values import NEVER, RuleViolation
from .fillers import Fillers, Suffix
from .pruning import Item, OpenItems, Place

_FREE = {("from", "FROM"), ("source", "TABLE")}
"""Terminals that count nothing in the productions of a nonterminal, as the scope counts them."""


def _shortest_yields(tables: Tables, available: frozenset[int], free: Sequence[Set[int]]) -> list[int]:
    """Return the fewest words that each nonterminal can become, `NEVER` where it cannot be written.

    Args:
        tables: of the grammar.
        available: the terminals at hand.
        free: by nonterminal, those that count nothing in its productions.
    """
    found = [NEVER] * len(tables.nonterminals)
    changed = True
    while changed:
        changed = False
        for production in tables.productions:
            head, body = production.head, production.body
            if all(symbol < 0 or symbol in available for symbol in body):
                words = min(sum(found[~s] if s < 0 else s not in free[head] for s in body), NEVER)
                if words < found[head]:
                    found[head], changed = words, True
    return found


class Suffixes:
    """The rests of productions made of the terminals ``available`` and of the short phrases of the ``fillers``."""

    def __init__(self, fillers: Fillers, available: frozenset[int]) -> None:
        self.actions = fillers.actions
        self._tables = fillers.actions.tables
        self._available = available
        self._fillers = fillers
        # the terminals that count nothing in each nonterminal's productions
        names, heads = self._tables.names, self._tables.nonterminals
        self._free = [{t for t, name in enumerate(names) if (head, name) in _FREE} for head in heads]
        self._yields = _shortest_yields(self._tables, available, self._free)
        self._suffixes: dict[tuple[int, int], list[Suffix]] = {}
        self._results: dict[tuple[int, int, tuple[Any, ...]], list[tuple[Any, int]]] = {}

    def results(
        self, production: int, dot: int, values: tuple[Any, ...], under: tuple[Any, ...]
    ) -> list[tuple[Any, int]]:
        """Return the values that a phrase can be finished with, where phrases have some, each with the fewest words.

        ``1 =`` makes a condition in one word more. Of values that differ only in what can be repaired outside of the
        phrase, the shortest must do.
        """
        fillers = self._fillers
        demanded = fillers.demanded(production, values, under) if fillers.demanding[production] else None
        key = (production, dot, values)
        known = self._results.get(key) if demanded is None else None
        if known is not None:
            return known
        suffixes = demanded
        if suffixes is None:
            suffixes = fillers.arguments(production, values)
        if suffixes is None:
            suffixes = self.of(production, dot)
        found: dict[object, tuple[Any, int]] = {}
        classes = fillers.class_count(production, values)
        for words, suffix in suffixes:
            result = self.actions.judged(production, (*values, *suffix))
            if isinstance(result, RuleViolation):
                continue
            found.setdefault(fillers.class_of(production, result, values), (result, words))
            if len(found) == classes:
                break
        results = list(found.values())
        if demanded is None:
            self._results[key] = results
        return results

    def of(self, production: int, dot: int) -> list[Suffix]:
        """Return what may stand after the dot, the shortest first: behind ``1 BETWEEN`` comes ``1 AND 1``."""
        key = (production, dot)
        known = self._suffixes.get(key)
        if known is None:
            body = self._tables.productions[production].body[dot:]
            known = self._suffixes[key] = sorted(self._written(production, body), key=lambda suffix: suffix[0])
        return known

    def _written(self, production: int, body: Sequence[int]) -> Iterator[Suffix]:
        head = self._tables.productions[production].head
        choices: list[list[tuple[int, Any]]] = []
        for symbol in body:
            if symbol >= 0 and symbol not in self._available:
                return
            known = self._fillers.of(symbol, production)
            if known is not None:
                choices.append(known)
            elif symbol >= 0:
                choices.append([(int(symbol not in self._free[head]), None)])
            else:
                words = self._yields[~symbol]
                choices.append([(words, None)] if words < NEVER else [])
        for chosen in product(*choices):
            yield sum(words for words, _ in chosen), tuple(value for _, value in chosen)


_REPAIRS = 2
"""How often a whole phrase is lengthened to make it fit: a cast, then IS NULL."""

Exit = tuple[int, int, Any, int]
"""Symbols to pop below the top, nonterminal to go on with, its value, words to write before that."""


class Completion:
    """Costs of stacks when only the terminals ``available`` can be written.

    Args:
        stack: of the grammar, whose phrases have values.
        fillers: short phrases to write.
        available: terminals at hand.
    """

    def __init__(self, stack: GraphStack, fillers: Fillers, available: frozenset[int]) -> None:
        self.stack = stack
        self.suffixes = Suffixes(fillers, available)
        self._fillers = fillers
        self._items = OpenItems(stack, fillers)
        self._known: dict[Place, dict[tuple[int, Any, int], list[Exit]]] = {}
        self._costs: dict[Node, int] = {}

    def cost(self, node: Node) -> int:
        """Return the fewest words that finish the query from ``node``, `NEVER` if none do.

        ``SELECT ( 1`` needs one, ``SELECT a`` one and those that the scope counts: ``FROM t``.
        """
        costs = self._costs
        todo = [] if node in costs else [node]
        while todo:
            check_time()
            top = todo[-1]
            successors = self._successors(top)
            unknown = [after for after, _ in successors if after is not None and after not in costs]
            if unknown:
                todo.extend(unknown)
                continue
            costs[top] = min(
                (w if after is None else min(w + costs[after], NEVER) for after, w in successors), default=NEVER
            )
            todo.pop()
        return costs[node]

    def upon(self, node: Node, exits: Iterable[Exit]) -> int:
        """Return the fewest words that finish the query from a symbol upon ``node``, given how it is left."""
        best = NEVER
        for way_out in exits:
            words = way_out[-1]
            after = self.below(node, way_out) if words < best else None
            best = min(best, words if after is None else words + self.cost(after))
        return best

    def forget(self) -> None:
        """Forget the costs of all stacks; what hangs on no stack stays."""
        self._costs = {}  # another thread may be at the old ones

    def below(self, node: Node, way_out: Exit) -> Node | None:
        """Return the stack that a way out of a symbol upon ``node`` leads to; None at the end.

        ``SELECT ( 1`` leads to ``SELECT atom``.
        """
        pops, head, value, _ = way_out
        if head < 0:
            return None
        for _ in range(pops):
            assert node.parent is not None
            node = node.parent
        return self.stack.push(node, self.stack.goto[node.state][head], value)

    def place(self, node: Node) -> Place:
        """Return what the ways out of a symbol upon ``node`` depend on."""
        return node.state, values_of(node, self.stack.automaton.span[node.state])

    def exits(self, place: Place, state: int, value: Any) -> list[Exit]:
        """Return how a symbol upon a place is left, and the stack above that with it; the end has nonterminal -1."""
        return self._leave(self._known.setdefault(place, {}), place, state, value, _REPAIRS)

    def _successors(self, node: Node) -> list[tuple[Node | None, int]]:
        """Return the lower stacks that may follow, each with the words before it; None is the end."""
        parent = node.parent
        if parent is None:
            items = self.stack.tables.kernels[node.state]
            return [(None, words) for item in items for words, _ in self.suffixes.of(*item)]
        exits = self.exits(self.place(parent), node.state, node.value)
        return [(self.below(parent, way_out), way_out[-1]) for way_out in exits]

    def _leave(
        self, known: dict[tuple[int, Any, int], list[Exit]], place: Place, state: int, value: Any, repairs: int
    ) -> list[Exit]:
        """Return how a symbol upon a place is left.

        An item with one symbol before the dot leaves another symbol in its place (unit productions, left recursion);
        one with more leaves the place. What is whole but fits nowhere is repaired by going on, ``repairs`` times at
        most: ``1`` behind WHERE becomes ``1 IS NULL``.
        """
        key = (state, value, repairs)
        found = known.get(key)
        if found is not None:
            return found
        pruning, items = self._fillers, self._items.of(place[0], state)
        exits: dict[tuple[int, int, Any], int] = {(0, -1, None): 0} if items.whole else {}
        for item in items.going:
            self._follow(exits, known, place, item, (value, repairs))
        for production, dot in items.repairing if repairs else ():
            is_cast = pruning.casts[production]
            is_open = is_cast and self._items.type_is_open(place, value)
            # outside of a query it is too late for its LIMIT
            fits = bool(exits) and not is_open and pruning.heads[production] != "query"
            if fits or pruning.never_repairs(production, value, place[1]):
                continue
            if is_open:
                self._follow(exits, known, place, (production, dot), (value, 0))
            elif is_cast:
                for more in dict.fromkeys((0, repairs - 1)):
                    if not exits:
                        self._follow(exits, known, place, (production, dot), (value, more), once=True)
            else:
                # columns are written as many as are demanded
                more = repairs - (pruning.heads[production] != "items")
                self._follow(exits, known, place, (production, dot), (value, more))
        found = known[key] = [(*way_out, words) for way_out, words in exits.items()]
        return found

    def _follow(
        self,
        exits: dict[tuple[int, int, Any], int],
        known: dict[tuple[int, Any, int], list[Exit]],
        place: Place,
        item: Item,
        left: tuple[Any, int],
        *,
        once: bool = False,
    ) -> None:
        """Add the ways out that go on by one item to ``exits``; ``left`` is the symbol's value and repairs to come.

        With ``once`` the first phrase that can be left is enough.
        """
        (below, under), (production, dot), (value, repairs) = place, item, left
        head = self.stack.tables.productions[production].head
        values = (*under[len(under) - dot + 1 :], value) if dot > 1 else (value,)
        for result, suffix in self.suffixes.results(production, dot, values, under):
            if dot > 1 and self._fillers.is_unwanted(production, result, under):
                continue
            if dot > 1:
                found: list[Exit] = [(dot - 1, head, result, 0)]
            else:
                found = self._leave(known, place, self.stack.goto[below][head], result, repairs)
            for pops, to, what, more in found:
                if suffix + more < exits.get((pops, to, what), NEVER):
                    exits[pops, to, what] = suffix + more
            if exits and once:
                break


_LOOKED = 1000
"""Phrases that are looked at for a reason, at most."""


def reason(completion: Completion, node: Node, written: Set[str]) -> RuleViolation | None:
    """Return why no query that begins with ``node`` can be finished, None if there is nothing to say.

    ``SELECT - 'x'`` on PostgreSQL: «neg does not take text». The problem that shows soonest is reported; a problem of a
    function or an operator that the query has comes before one of another.

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
    """Yield the phrases that ``node`` begins, each with its fewest words, and the violations of shorter ones."""
    actions, tables = completion.suffixes.actions, completion.stack.tables
    if node.state == tables.accepting:
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
