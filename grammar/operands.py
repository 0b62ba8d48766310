"""Left operands that nothing behind them asks for: ``a OR b AND`` may go on as ``b AND`` may.

With a rule A -> A op B where B alone is an A, too, what may follow B does not hang on whether ``A op`` came before.
Stacks that leave it out are few.
"""

from __future__ import annotations

from .nodes import Node
from .stacks import Stacks

__all__ = ["Operands"]


class Operands:
    """Finds left operands that may be left out of the stacks of a grammar without values."""

    def __init__(self, stacks: Stacks) -> None:
        self._stacks = stacks
        tables = stacks.tables
        self._units = {(rule.head, rule.body[0]): n for n, rule in enumerate(tables.rules) if len(rule.body) == 1}
        self._lengths = [
            0 if state in stacks.automaton.opened else self._length(state) for state in range(len(stacks.symbol))
        ]
        self._known: dict[tuple[int, int, int], bool] = {}

    def _length(self, state: int) -> int:
        """Return how many symbols a left operand and its operator are, if a state stands behind such; else 0."""
        tables = self._stacks.tables
        heads = {(dot, tables.rules[rule].head) for rule, dot in tables.kernels[state]}
        if len(heads) != 1 or any(tables.rules[rule].body[dot - 1] < 0 for rule, dot in tables.kernels[state]):
            return 0
        ((dot, head),) = heads
        return dot if all(tables.rules[rule].body[0] == ~head for rule, _ in tables.kernels[state]) else 0

    def without(self, top: Node, terminal: int) -> Node:
        """Return the stack that a terminal may be shifted on instead of ``top``: the left operands left out."""
        while length := self._lengths[top.state]:
            below: Node | None = top
            for _ in range(length):
                below = below and below.parent
            if below is None or not self._alike(below.state, top.state, terminal):
                return top
            top = below
        return top

    def _alike(self, below: int, top: int, terminal: int) -> bool:
        """Say whether what begins with a terminal is the same upon two states, and ends as the same phrase there."""
        key = below, top, terminal
        known = self._known.get(key)
        if known is None:
            shifts = self._stacks.shifts
            known = shifts[below].get(terminal) == shifts[top][terminal]
            tables = self._stacks.tables
            begun = (n for n in range(len(tables.nonterminals)) if terminal in tables.begins[~n])
            known = known and all(self._same(below, top, n) for n in begun)
            self._known[key] = known
        return known

    def _same(self, below: int, top: int, nonterminal: int) -> bool:
        """Say whether a nonterminal may go on upon two states alike, but that it is a whole right operand upon one."""
        tables, goto = self._stacks.tables, self._stacks.goto
        upper, lower = goto[top][nonterminal], goto[below][nonterminal]
        if upper < 0 or upper == lower:
            return True
        if lower < 0:
            return False
        whole = {(r, d + 1) for r, d in tables.kernels[top] if tables.rules[r].body[d:] == (~nonterminal,)}
        unit = self._units.get((tables.rules[tables.kernels[top][0][0]].head, ~nonterminal))
        ends = {(unit, 1)} if unit is not None and whole else set[tuple[int, int]]()
        return ends <= {*tables.kernels[lower]} and {*tables.kernels[upper]} - whole == {*tables.kernels[lower]} - ends
