"""Counts of walks: the productions of a grammar that were written, errors by kind and way, a digest of the queries."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from querent.grammar.lr.tables import END, Tables, load_functions, load_tables
from querent.grammar.semantics.rules import RULES

_NAMES = {"TABLE", "COLUMN", "QCOLUMN", "QSTAR", "ALIAS", "STRING", "WHOLE", "NUMBER"}
"""Terminals whose words belong to the schema and the questions."""

Stack = tuple[int, Any]  # A stack of LALR(1) states: the one on top, and the stack below it, which may be None


class Coverage:
    """The states of a grammar's tables, and how often each was entered with a word."""

    def __init__(self, tables: Tables, states: Counter[int]) -> None:
        self.tables = tables
        self.states = states
        self._action: list[list[int]] = tables.action.tolist()
        self._goto: list[list[int]] = tables.goto.tolist()
        self.step = lru_cache(50_000)(self._step)

    def note(self, terminals: Iterable[int]) -> set[int]:
        """Count the states that a finished text goes through, and return the rules by which it is reduced."""
        stack, used = START, set[int]()
        for terminal in (*terminals, END):
            stack, rules = self.step(stack, terminal)
            used.update(rules)
            self.states[stack[0]] += 1
        return used

    def _step(self, stack: Stack, terminal: int) -> tuple[Stack, tuple[int, ...]]:
        """Return the stack after one more word, which can follow, and the rules by which it was reduced before."""
        rules: list[int] = []
        while (action := self._action[stack[0]][terminal]) < 0:
            rule = self.tables.productions[-action - 1]
            rules.append(-action - 1)
            for _ in rule.body:
                stack = stack[1]
            stack = (self._goto[stack[0]][rule.head], stack)
        assert action, f"{self.tables.terminals[terminal]} cannot follow"
        return (action - 1, stack), tuple(rules)


START: Stack = (0, None)  # the stack of the empty text


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
    ways: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
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
