"""The LALR(1) tables of each dialect, from files that `build` writes, and what they say of their states.

A state is a number, 0 the first. Terminal 0 is ``$END``. Symbols of rule bodies are terminal numbers,
or ``~n`` for the n-th nonterminal.

A file that was made of another text than the grammar's is passed over, and the tables are compiled anew.
"""

import io
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.errors import ConstraintError

DIALECTS = ("sqlite", "mysql", "postgres")
END = 0
"""The terminal of the end of the query."""


@dataclass(frozen=True)
class Production:
    """``head -> body``; ``head`` counts nonterminals."""

    head: int
    body: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Tables:
    """One compiled grammar.

    Attributes:
        terminals: names; number 0 is ``$END``.
        texts: the word of each keyword or operator terminal, by name.
        nonterminals: names.
        productions: all rules.
        action: (states, terminals) int32: 0 error, s + 1 shift to s, -(r + 1) reduce by rule r. Reading
            ``$END`` in the accepting state counts as a shift to itself.
        goto: (states, nonterminals) int32: the next state, or -1.
        kernels: the items (rule, dot) that each state stands for.
        accepting: the state in which a whole query has been read.
        source: the text that Lark read.
    """

    terminals: tuple[str, ...]
    texts: Mapping[str, str]
    nonterminals: tuple[str, ...]
    productions: tuple[Production, ...]
    action: NDArray[np.int32]
    goto: NDArray[np.int32]
    kernels: tuple[tuple[tuple[int, int], ...], ...]
    accepting: int
    source: str

    @cached_property
    def names(self) -> list[str]:
        """Return the text of each keyword and operator, the name of each other terminal."""
        return [self.texts.get(t, t) for t in self.terminals]

    @cached_property
    def heads(self) -> list[str]:
        """Return the name of each rule's head."""
        return [str(self.nonterminals[production.head]) for production in self.productions]

    @cached_property
    def bodies(self) -> list[list[str]]:
        """Return the symbols of each rule's body, by text or name."""
        return [
            [self.names[s] if s >= 0 else str(self.nonterminals[~s]) for s in production.body]
            for production in self.productions
        ]

    @cached_property
    def symbols(self) -> list[str]:
        """Return the name, or the text, of the symbol that leads to each state."""
        found = [""] * len(self.kernels)
        for row in self.action.tolist():
            for terminal, action in enumerate(row):
                if action > 0 and terminal:
                    found[action - 1] = self.names[terminal]
        for row in self.goto.tolist():
            for nonterminal, state in enumerate(row):
                if state >= 0:
                    found[state] = str(self.nonterminals[nonterminal])
        return found

    @cached_property
    def automaton(self) -> "Automaton":
        """Return the states, one object for all stacks."""
        return Automaton(self)


def grammar_text(dialect: str, *, wide: bool = False) -> str:
    """Return the core grammar and the dialect's changes to it as one text, with those of its form, wide or narrow."""
    if dialect not in DIALECTS:
        raise ConstraintError(f"no grammar for dialect {dialect!r}", hint=f"use one of {', '.join(DIALECTS)}")
    folder = resources.files(__package__ or __name__)
    names = ("core", dialect, "wide", f"{dialect}-wide") if wide else ("core", dialect, "narrow")
    return "\n".join((folder / f"{name}.lark").read_text("utf-8") for name in names)


ARRAYS = ("action", "goto")
"""Fields of `Tables` that a file keeps as arrays; all others are JSON."""


@lru_cache
def load_tables(dialect: str, *, wide: bool = False) -> Tables:
    """Return the tables of a dialect, in the wide form or not, read or compiled once a process."""
    text = grammar_text(dialect, wide=wide)
    found = read_compiled(file_name(dialect, wide=wide), text)
    if found is None:
        from .build import compile_grammar  # slow to import, too

        found = compile_grammar(text)
    return found


def file_name(dialect: str, *, wide: bool) -> str:
    """Return what the file of a dialect's tables is called, without its ending."""
    return f"{dialect}-wide" if wide else dialect


def read_compiled(name: str, text: str) -> Tables | None:
    """Return the tables that were compiled of ``text``, None if the file called so has others."""
    file = resources.files(__package__ or __name__) / "built" / f"{name}.npz"
    if not file.is_file():
        return None
    with np.load(io.BytesIO(file.read_bytes())) as stored:
        known: dict[str, Any] = json.loads(str(stored["fields"]))
        if known["source"] != text:
            return None
        known |= {name: stored[name] for name in ARRAYS}
    known["productions"] = tuple(Production(head, tuple(body)) for head, body in known["productions"])
    known["kernels"] = tuple(tuple((production, dot) for production, dot in kernel) for kernel in known["kernels"])
    known |= {name: tuple(known[name]) for name in ("terminals", "nonterminals")}
    return Tables(**known)


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


AGGREGATES = frozenset({"COUNT", "AGG", "AGG2", "SPREAD", "JOIN_TEXT"})
"""The classes of functions that make one value of many rows."""

WINDOWED = frozenset({"RANKING", "NUMBERING", "TILED", "SHIFTED", "VALUED", "NTH", "OVER_COUNT", "OVER_AGG"})
"""The classes of functions that OVER stands behind."""


@dataclass(frozen=True)
class FunctionSpec:
    """A function's name in upper case and its class, which is its terminal in the grammar.

    ``windowed`` is its class where OVER stands behind it, empty if that is no other or never does.
    """

    name: str
    terminal: str
    windowed: str = ""

    @property
    def terminals(self) -> tuple[str, ...]:
        """Return its classes."""
        return (self.terminal, self.windowed) if self.windowed else (self.terminal,)

    @property
    def takes_parentheses(self) -> bool:
        """Say whether ``(`` follows its name."""
        return self.terminal != "NILADIC"


@lru_cache
def load_functions(dialect: str, *, wide: bool = False) -> Mapping[str, FunctionSpec]:
    """Return the functions of a dialect by name, with those of the wide form if ``wide``."""
    data = tomllib.loads((resources.files(__package__ or __name__) / "functions.toml").read_text("utf-8"))
    more = {**data["wide"].get("core", {}), **data["wide"].get(dialect, {})} if wide else {}
    classes: dict[str, str] = {**data["core"], **data.get(dialect, {}), **more}
    return {name: FunctionSpec(name, *found.split()) for name, found in sorted(classes.items()) if found}
