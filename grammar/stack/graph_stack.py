"""Stacks of LR states with the values of their symbols, shared: what may follow a prefix.

Each stack is one `Node`, the top of a chain; equal stacks are one object. Follow sets are found by simulating
reductions. Where there are semantic actions, each reduction yields a value or is refused, and the words that need a
refused reduction cannot come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..lr.tables import Tables
from ..semantics.actions import SemanticActions
from ..types.abstract_values import DERIVED, ONE_VALUE, STARRED, AbstractValue, RuleViolation
from .time_limit import check_time

_NONE: Mapping[int, RuleViolation] = {}


class Reduction(NamedTuple):
    """A reduction that changes the scope: its nonterminal and its value; of ``(SELECT a FROM t)``: subquery."""

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


_WATCHED = frozenset({"item", "source", "joined", "join_on", "from", "select", "subquery", "keys", "operand"})
"""Nonterminals whose reductions change the scope."""


class GraphStack:
    """The stacks of one grammar, and what follows each.

    Prefixes that differ only in names of one type, or in finished parts, have the same stack: ``SELECT a FROM t WHERE``
    and ``SELECT b, c FROM s WHERE``. `trim` forgets them all when they have become many; stacks in use stay valid.
    """

    def __init__(self, tables: Tables, actions: SemanticActions | None = None, *, limit: int = 200_000) -> None:
        self.tables = tables
        self.actions = actions
        self.limit = limit
        self.count = 0
        self.root = Node(None, 0, None, 0, 0, inside=False)
        self.automaton = tables.automaton
        # these are used most
        self.shifts, self.goto, self.symbol = self.automaton.shifts, self.automaton.goto, self.automaton.symbol

    def push(self, node: Node, state: int, value: Any = None) -> Node:
        """Return the stack with ``state`` on top of ``node``."""
        children = node.children
        if children is None:
            children = node.children = {}
        child = children.get((state, value))
        if child is None:
            inside = state in self.automaton.aggregates or (node.inside and state not in self.automaton.queries)
            child = Node(node, state, value, *self.height(node, state), inside=inside)
            children[state, value] = child
            self.count += 1
        return child

    def shift(self, path: ReductionPath, terminal: int, value: Any = None) -> Node:
        """Return the stack after a terminal that ``path`` leads to."""
        top, state = path.top, self.shifts[path.top.state][terminal]
        return self.push(top, state, self.value(top, state, value))

    def value(self, top: Node, state: int, value: Any) -> Any:
        """Return the value of a state's symbol upon ``top``: that of its word, or what the stack demands of a query."""
        if self.actions is None or state not in self.automaton.demanding:
            return value
        if state in self.automaton.selects:
            return self._demand(top)
        if state in self.automaton.brackets:
            return self._demand(self.push(top, state))
        return next(v for name, v in down(top, self.symbol) if name in {"CASE", "expr"})

    def height(self, top: Node, state: int) -> tuple[int, int]:
        """Return how deep and how high a stack with ``state`` upon ``top`` is: see `Node`."""
        return top.depth + (state in self.automaton.opened), top.height + self.automaton.rise[state]

    def _demand(self, node: Node) -> Any:
        """Return what a SELECT upon ``node`` must return.

        A tuple of types, one for each column, for ``(a, b) IN (SELECT`` and ``SELECT a, b FROM t UNION SELECT``;
        `ONE_VALUE` for ``a > (SELECT``; `STARRED` for ``SELECT * FROM t UNION SELECT``; `DERIVED` for ``FROM (SELECT``
        and ``WITH a AS (SELECT``; None for any columns, as of ``EXISTS (SELECT``.
        """
        chain = list(down(node, self.symbol))
        operators = {"UNION", "ALL", "INTERSECT", "EXCEPT", "set_operator"}
        if chain[0][0] in operators:
            left = next(v for name, v in chain if name in {"operand", "compound"})
            return tuple(v.type for v in left.values) if left.values is not None else STARRED
        below = chain[1][0] if len(chain) > 1 else ""
        if chain[0][0] != "(" or below in {"", "EXISTS", "with"}:
            return None
        if below == "AS" or (below in {"FROM", ",", "JOIN"} and self._sources(node.parent)):
            return DERIVED
        parent = node.parent
        operator = below in operators and parent is not None and "operand" in self.automaton.next[parent.state]
        if node.parent is not None and (operator or below == "("):
            return self._demand(node.parent)
        compared = below != "ALL" or chain[2][0] == "comparison"  # and not ``SELECT ALL (``
        if below in {"IN", "ANY", "SOME", "ALL"} and compared:
            left = next(v for name, v in chain[2:] if name in {"sum", "row", "predicate"})
            return (
                tuple(v.type for v in left)
                if isinstance(left, tuple) and not isinstance(left, AbstractValue)
                else (left.type,)
            )
        return ONE_VALUE

    def _sources(self, node: Node | None) -> bool:
        return node is not None and bool(self.automaton.next[node.state] & {"source", "joined", "joins"})

    def reduce(self, node: Node, production: int) -> Node:
        """Return the stack after a reduction by ``production``.

        Raises:
            RuleViolation: a rule is broken.
        """
        head, body = self.tables.productions[production].head, self.tables.productions[production].body
        values: list[Any] = []
        for _ in body:
            assert node.parent is not None, "a reduction deeper than the stack"
            values.append(node.value)
            node = node.parent
        value = None if self.actions is None else self.actions.reduce(production, tuple(reversed(values)))
        return self.push(node, self.goto[node.state][head], value)

    def paths(self, node: Node) -> dict[int, ReductionPath]:
        """Return the terminals that may come next, each with the way there."""
        return {terminal: path for path, terminals in self.lookaheads(node) for terminal in terminals}

    def lookaheads(self, node: Node) -> list[tuple[ReductionPath, frozenset[int]]]:
        """Return the ways to the terminals that may come next, with the terminals.

        An LALR table may reduce before it finds that a terminal cannot come, so reductions are
        followed to the end, all terminals that share them together.
        """
        if node.lookaheads is not None:
            return node.lookaheads
        check_time()
        found: list[tuple[ReductionPath, frozenset[int]]] = []
        pending: list[tuple[Node, frozenset[int] | None, tuple[Reduction, ...]]] = [(node, None, ())]
        while pending:
            top, among, reductions = pending.pop()
            here = self.automaton.shiftable[top.state] if among is None else self.automaton.shiftable[top.state] & among
            if here:
                found.append((ReductionPath(top, reductions), here))
            for production, terminals in self.automaton.reductions[top.state]:
                some = terminals if among is None else terminals & among
                if not some:
                    continue
                try:
                    after = self.reduce(top, production)
                except RuleViolation as refused:
                    node.refused = {**node.refused, **dict.fromkeys(some, refused.with_traceback(None))}
                    continue
                pending.append((after, some, (*reductions, *self._reduction(production, after))))
        node.lookaheads = found
        return found

    def _reduction(self, production: int, after: Node) -> tuple[Reduction, ...]:
        name, body = self.tables.heads[production], self.tables.bodies[production]
        if name == "atom" and body == ["subquery"]:
            return (Reduction("subquery", after.value),)
        if name == "operand" and body[0] != "subquery":
            return ()
        if name not in _WATCHED or (name == "subquery" and after.state in self.automaton.undecided):
            return ()
        return (Reduction(name, after.value),)

    def complete(self, node: Node) -> bool:
        """Say whether the query may end here."""
        return 0 in self.paths(node)

    def trim(self) -> bool:
        """Forget all stacks if they are more than ``limit``; say whether that happened."""
        if self.count <= self.limit:
            return False
        self.forget()
        return True

    def forget(self, but: Iterable[Node] = ()) -> None:
        """Forget all stacks but some with those below them; those in use stay valid."""
        kept: set[Node] = set()
        for node in but:
            at: Node | None = node
            while at is not None and at not in kept:
                kept.add(at)
                at = at.parent
        for node in kept:
            node.children = {key: child for key, child in tuple((node.children or {}).items()) if child in kept}
        if self.root not in kept:
            self.root = Node(None, 0, None, 0, 0, inside=False)
        self.count = len(kept)
        if self.actions is not None:
            self.actions.memo.clear()
