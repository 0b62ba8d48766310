"""Which productions of a grammar were written: words replayed on its LALR(1) tables, rules noted as they reduce."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from querent.grammar.lr.compiled import load_tables
from querent.grammar.lr.functions import load_functions
from querent.grammar.lr.tables import END, Tables
from querent.grammar.semantics.rules import RULES

_NAMES = {"TABLE", "COLUMN", "QCOLUMN", "QSTAR", "ALIAS", "STRING", "WHOLE", "NUMBER"}
"""Terminals whose words are the schema's and the questions' own."""

_KEPT = 50_000
"""Stacks that are remembered before all are forgotten."""


class Stack:
    """A stack of states; what follows is remembered, so that texts share their beginnings.

    Attributes:
        state: the state on top.
        height: how many states lie below it.
    """

    __slots__ = ("after", "below", "height", "pushed", "state")

    def __init__(self, below: Stack | None, state: int) -> None:
        self.below = below
        self.state = state
        self.height: int = 0 if below is None else below.height + 1
        self.pushed: dict[int, Stack] = {}
        self.after: dict[int, tuple[Stack, tuple[int, ...]]] = {}


class Coverage:
    """Counts the states of one grammar as words are written.

    Args:
        tables: of the grammar.
        states: the counts to go on with.

    Attributes:
        states: how often each state was entered with a word: a place in one or several rules.
    """

    def __init__(self, tables: Tables, states: Counter[int]) -> None:
        self.tables = tables
        self.states = states
        self._action: list[list[int]] = tables.action.tolist()
        self._goto: list[list[int]] = tables.goto.tolist()
        self._root = Stack(None, 0)
        self._count = 0

    def root(self) -> Stack:
        """Return the stack of the empty text."""
        if self._count > _KEPT:
            self._root, self._count = Stack(None, 0), 0
        return self._root

    def step(self, stack: Stack, terminal: int) -> tuple[Stack, tuple[int, ...]]:
        """Return the stack after one more word, and the rules that it was reduced by before.

        Raises:
            ValueError: the grammar has no such text.
        """
        found = stack.after.get(terminal)
        if found is None:
            found = stack.after[terminal] = self._step(stack, terminal)
        return found

    def note(self, terminals: Iterable[int]) -> set[int]:
        """Count the states that a finished text goes through, and return the rules it is reduced by."""
        stack, used = self.root(), set[int]()
        for terminal in (*terminals, END):
            stack, rules = self.step(stack, terminal)
            used.update(rules)
            self.states[stack.state] += 1
        return used

    def _step(self, stack: Stack, terminal: int) -> tuple[Stack, tuple[int, ...]]:
        rules: list[int] = []
        while (action := self._action[stack.state][terminal]) < 0:
            rule = self.tables.productions[-action - 1]
            rules.append(-action - 1)
            for _ in rule.body:
                assert stack.below is not None, "a reduction deeper than the stack"
                stack = stack.below
            stack = self._push(stack, self._goto[stack.state][rule.head])
        if action == 0:
            raise ValueError(f"{self.tables.terminals[terminal]} cannot follow")
        return self._push(stack, action - 1), tuple(rules)

    def _push(self, stack: Stack, state: int) -> Stack:
        if state not in stack.pushed:
            stack.pushed[state] = Stack(stack, state)
            self._count += 1
        return stack.pushed[state]


def writable(dialect: str, off: Collection[str] = (), *, wide: bool = False) -> set[int]:
    """Return the rules that some query uses: not those of functions that a dialect has not, nor Lark's own start.

    Where grouping binds and is not ``off``, none has a star beside GROUP BY, which would have to name all columns.
    """
    tables, functions = load_tables(dialect, wide=wide), load_functions(dialect, wide=wide)
    classes = {spec.terminal for spec in functions.values()}
    able = {i for i, name in enumerate(tables.terminals) if name in tables.texts or name in classes | _NAMES}
    found, before = set[int](), -1
    while len(found) != before:
        before = len(found)
        found = {n for n, rule in enumerate(tables.productions) if able.issuperset(rule.body)}
        able |= {~tables.productions[n].head for n in found}
    binds = dialect in (RULES["grouping"].dialects or ()) and "grouping" not in off
    apart = {n for n in found if binds and {"starred", "group_by"} <= set(tables.bodies[n])}
    return {n for n in found - apart if not tables.nonterminals[tables.productions[n].head].startswith("$")}


def describe(tables: Tables, rule: int) -> str:
    """Return a rule as text: ``where: WHERE expr``; words stand for themselves, Lark's own helpers begin with __."""
    head, body = tables.productions[rule].head, tables.productions[rule].body
    names = [_name(tables, symbol) for symbol in body]
    return f"{tables.nonterminals[head]}: {' '.join(names) or '(nothing)'}"


def _name(tables: Tables, symbol: int) -> str:
    if symbol < 0:
        return tables.nonterminals[~symbol]
    name = tables.terminals[symbol]
    return tables.texts.get(name, name)
