"""Counts of walks: the productions of a grammar that were written, errors by kind and way, a digest of the queries."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import querent.grammar
from querent.grammar.lr.compiled import load_tables
from querent.grammar.lr.functions import load_functions
from querent.grammar.lr.tables import DIALECTS, END, Tables
from querent.grammar.semantics.rules import RULES

__all__ = ["Coverage", "Stack", "Tally", "fingerprint", "show"]

_NAMES = {"TABLE", "COLUMN", "QCOLUMN", "QSTAR", "ALIAS", "STRING", "WHOLE", "NUMBER"}
"""Terminals whose words belong to the schema and the questions."""

_KEPT = 50_000
"""Stacks that are remembered before all are forgotten."""


class Stack:
    """A stack of LALR(1) states; what follows is remembered, so that texts share their beginnings."""

    __slots__ = ("after", "below", "pushed", "state")

    def __init__(self, below: Stack | None, state: int) -> None:
        self.below = below
        self.state = state
        self.pushed: dict[int, Stack] = {}
        self.after: dict[int, tuple[Stack, tuple[int, ...]]] = {}


class Coverage:
    """The states of a grammar's tables, and how often each was entered with a word."""

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
        """Return the stack after one more word, and the rules by which it was reduced before.

        Raises:
            ValueError: the grammar has no such text.
        """
        if terminal not in stack.after:
            stack.after[terminal] = self._step(stack, terminal)
        return stack.after[terminal]

    def note(self, terminals: Iterable[int]) -> set[int]:
        """Count the states that a finished text goes through, and return the rules by which it is reduced."""
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

    Where grouping binds and is not ``off``, no query has a star beside GROUP BY, which would have to name all columns.
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

    def name(symbol: int) -> str:
        if symbol < 0:
            return tables.nonterminals[~symbol]
        return tables.texts.get(tables.terminals[symbol], tables.terminals[symbol])

    head, body = tables.productions[rule].head, tables.productions[rule].body
    return f"{tables.nonterminals[head]}: {' '.join(map(name, body)) or '(nothing)'}"


def _counters() -> dict[str, Counter[str]]:
    return {}


@dataclass
class Tally:
    """The counts of a run.

    Attributes:
        kinds: errors by kind.
        ways: queries, errors and time-outs by way.
        words: how many words were written.
        rules: the numbers of the rules that queries without an error used.
        digest: of all queries, whatever their order: two constraints that write the same ones have the same.
    """

    schemas: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    ways: dict[str, Counter[str]] = field(default_factory=_counters)
    words: int = 0
    rules: set[int] = field(default_factory=set[int])
    digest: int = 0

    def written(self, query: str) -> None:
        """Take a query into the digest."""
        self.digest = (self.digest + int.from_bytes(hashlib.sha256(query.encode()).digest()[:8])) % 2**64

    def total(self, what: str) -> int:
        """Return a count over all ways: ``queries``, ``errors`` or ``time_outs``."""
        return sum(counts[what] for counts in self.ways.values())

    def result(self, dialect: str, off: Collection[str] = (), *, wide: bool = False) -> dict[str, Any]:
        """Return the figures of a run under the rules that are not ``off``."""
        able = writable(dialect, off, wide=wide)
        unused = [describe(load_tables(dialect, wide=wide), rule) for rule in sorted(able - self.rules)]
        return {
            "schemas": self.schemas,
            **{what: self.total(what) for what in ("queries", "errors", "time_outs")},
            "words": self.words,
            "by_kind": dict(self.kinds.most_common()),
            "by_way": {way: dict(counts) for way, counts in self.ways.items()},
            "productions": {"of": len(able), "never": unused},
            "digest": f"{self.digest:016x}",
        }


def fingerprint(dialect: str) -> str:
    """Return a SHA-256, in hex, over all files of which the constraint of a dialect is made."""
    folder = Path(querent.grammar.__file__).parent
    others = {f"{name}{end}" for name in set(DIALECTS) - {dialect} for end in (".lark", ".toml")}
    digest = hashlib.sha256()
    for file in sorted(p for p in folder.rglob("*") if p.suffix in {".py", ".lark", ".toml"}):
        if file.name not in others:
            digest.update(f"{file.relative_to(folder).as_posix()}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def show(result: dict[str, Any]) -> None:
    """Print the figures of a run for a person."""
    never = result["productions"]["never"]
    print(f"productions never used: {len(never)} of {result['productions']['of']}")
    for line in never:
        print(f"    {line}")
    for way, counts in result["by_way"].items():
        told = (f"{counts.get(what, 0)} {what.replace('_', '-')}" for what in ("queries", "errors", "time_outs"))
        print(f"{way:>9}: {', '.join(told)}")
    for kind, count in result["by_kind"].items():
        print(f"{count:9}  {kind}")
