"""Stacks of LR states, shared: what may follow a prefix, found by simulating reductions on states alone."""

from __future__ import annotations

from .tables import END, Tables

__all__ = ["OPENERS", "Node", "Stacks"]

OPENERS = frozenset({"(", "CASE", "NOT", "-"})
"""Words that a nested construct begins with; every recursion of the grammar without one is on the left."""


class Node:
    """The top of one stack of states; equal stacks of one `Stacks` are one object.

    Attributes:
        parent: the stack below, None at the bottom.
        state: the state on top.
        children: the stacks one higher that are known; filled by `Stacks`.
        following: what `Stacks.following` found, None before.
        depth: how many brackets, CASEs and negations stand open.
    """

    __slots__ = ("children", "depth", "following", "parent", "state")

    def __init__(self, parent: Node | None, state: int, depth: int = 0) -> None:
        self.parent = parent
        self.state = state
        self.depth = depth
        self.children: dict[int, Node] | None = None
        self.following: dict[int, Node] | None = None


class Stacks:
    """Makes the stacks of one grammar and remembers what follows each.

    Prefixes that differ only in names, values or finished parts have the same stack, so few stacks
    serve many queries. `trim` forgets them all when they have become many; stacks in use stay valid.
    """

    def __init__(self, tables: Tables, *, limit: int = 100_000) -> None:
        self.tables = tables
        self.limit = limit
        self.count = 0
        self.root = Node(None, 0)
        self._goto: list[list[int]] = tables.goto.tolist()
        self._rules = [(rule.head, len(rule.body)) for rule in tables.rules]
        self._shifts: list[dict[int, int]] = []
        self._reductions: list[list[tuple[int, frozenset[int]]]] = []
        for row in tables.action.tolist():
            self._shifts.append({t: a - 1 for t, a in enumerate(row) if a > 0})
            rules = sorted({-a - 1 for a in row if a < 0})
            self._reductions.append([(r, frozenset(t for t, a in enumerate(row) if a == -r - 1)) for r in rules])
        self.openers = frozenset(t for t, name in enumerate(tables.terminals) if tables.texts.get(name) in OPENERS)
        self._opened = frozenset(shifts[t] for shifts in self._shifts for t in self.openers & shifts.keys())

    def push(self, node: Node, state: int) -> Node:
        """Return the stack with ``state`` on top of ``node``."""
        children = node.children
        if children is None:
            children = node.children = {}
        child = children.get(state)
        if child is None:
            child = children[state] = Node(node, state, node.depth + (state in self._opened))
            self.count += 1
        return child

    def reduce(self, node: Node, head: int, length: int) -> Node:
        """Return the stack after ``length`` symbols have become the nonterminal ``head``."""
        for _ in range(length):
            assert node.parent is not None, "a reduction deeper than the stack"
            node = node.parent
        return self.push(node, self._goto[node.state][head])

    def following(self, node: Node) -> dict[int, Node]:
        """Return the terminals that may come next, each with the stack after it.

        An LALR table may reduce before it finds that a terminal cannot come, so reductions are
        followed to the end, all terminals that share them together.
        """
        if node.following is not None:
            return node.following
        found: dict[int, Node] = {}
        open_: list[tuple[Node, frozenset[int] | None]] = [(node, None)]
        while open_:
            top, among = open_.pop()
            for terminal, state in self._shifts[top.state].items():
                if among is None or terminal in among:
                    found[terminal] = self.push(top, state)
            for rule, terminals in self._reductions[top.state]:
                some = terminals if among is None else terminals & among
                if some:
                    open_.append((self.reduce(top, *self._rules[rule]), some))
        node.following = found
        return found

    def complete(self, node: Node) -> bool:
        """Say whether the query may end here."""
        return END in self.following(node)

    def trim(self) -> bool:
        """Forget all stacks if they are more than ``limit``; say whether that happened."""
        if self.count <= self.limit:
            return False
        self.root, self.count = Node(None, 0), 0
        return True
