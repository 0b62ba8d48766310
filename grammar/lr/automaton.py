"""What an LR table says of its states, apart from any stack: where they lead, what they begin, end and open."""

from __future__ import annotations

from functools import lru_cache

from .functions import AGGREGATES
from .tables import Tables

__all__ = ["Automaton", "automaton_of"]

_OPENERS = frozenset({"(", "CASE", "NOT", "-"})
"""Words that a nested construct begins with; every recursion of the grammar without one is on the left."""

_MORE = {"(": 2, "SELECT": 3, "CASE": 2, "FROM": 1}
"""Symbols that SQLite's parser keeps beyond ours when these words stand open."""


class Automaton:
    """The states of one grammar's table, by number.

    Attributes:
        symbol: the symbol that leads to each.
        shifts: the state after each terminal that it shifts.
        shiftable: those terminals.
        goto: the state after each nonterminal.
        reductions: its rules, each with the terminals that it is reduced before.
        span: how many symbols its items look at, at most: those that they begin with.
        opened: those that a nested construct has led to.
        undecided: those after a subquery that may turn out an operand or an expression.
        aggregates: those after the name of an aggregate.
        selects: those after SELECT.
        queries: those in which a query has begun.
        brackets: those after the bracket that begins a subquery.
        demanding: those whose symbol has the value that the stack below demands, whatever its word is.
        rise: how many symbols more the engine's parser may have to keep with the symbol of each.
        next: the symbols that may come next after each.
        heads: the nonterminals that its items are of.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.symbol = tables.symbols
        self.goto: list[list[int]] = tables.goto.tolist()
        self.span = [
            max((self._begun(production, dot) for production, dot in kernel), default=0) for kernel in tables.kernels
        ]
        self.shifts: list[dict[int, int]] = []
        self.reductions: list[list[tuple[int, frozenset[int]]]] = []
        for row in tables.action.tolist():
            self.shifts.append({t: a - 1 for t, a in enumerate(row) if a > 0})
            productions = sorted({-a - 1 for a in row if a < 0})
            self.reductions.append([(r, frozenset(t for t, a in enumerate(row) if a == -r - 1)) for r in productions])
        self.shiftable = [frozenset(shifts) for shifts in self.shifts]
        texts = [tables.texts.get(name) for name in tables.terminals]
        self.opened = self._entered(frozenset(t for t, text in enumerate(texts) if text in _OPENERS))
        self.aggregates = self._entered(self._numbers(*AGGREGATES))
        self.selects = self._entered(self._numbers("SELECT"))
        # within an aggregate's brackets a subquery has columns of its own, in the ORDER BY behind its SELECT, too
        queries = {"select", "compound", "operand", "query"}
        self.queries = self.selects | {s for s, name in enumerate(self.symbol) if name in queries}
        heads = tables.heads
        self.heads = [{heads[production] for production, _ in kernel} for kernel in tables.kernels]
        self.undecided = frozenset(s for s, found in enumerate(self.heads) if found & {"operand", "atom"})
        begun = [{heads[production] for production, dot in kernel if dot == 1} for kernel in tables.kernels]
        self.brackets = frozenset(s for s, found in enumerate(begun) if "subquery" in found)
        self.demanding = self.selects | self.brackets | {s for s, name in enumerate(self.symbol) if name == "WHEN"}
        self.rise = [1 + _MORE.get(name, 0) for name in self.symbol]
        bodies = tables.bodies
        self.next = [{s for r, dot in kernel for s in bodies[r][dot : dot + 1]} for kernel in tables.kernels]

    def _begun(self, production: int, dot: int) -> int:
        # what the next item must be stands with SELECT, perhaps with DISTINCT behind it
        return dot + 2 if dot == 2 and self._tables.bodies[production] == ["items", ",", "item"] else dot

    def _numbers(self, *names: str) -> frozenset[int]:
        return frozenset(t for t, name in enumerate(self._tables.terminals) if name in names)

    def _entered(self, terminals: frozenset[int]) -> frozenset[int]:
        """Return the states that some terminals lead to."""
        return frozenset(shifts[t] for shifts in self.shifts for t in terminals & shifts.keys())


@lru_cache(maxsize=8)
def automaton_of(tables: Tables) -> Automaton:
    """Return the automaton of a table, one for all stacks."""
    return Automaton(tables)
