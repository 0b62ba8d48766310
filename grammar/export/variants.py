"""The rules of a grammar as top-down parsers take them: no left recursion, and white space where words meet.

    sum: product | sum "+" product            sum_w: product_w sum_more*
                                              sum_more: o_PLUS product_n

A rule comes once for each kind of text that it may stand behind, the last letter of its name, so that its first word
knows whether it needs white space. What ends with a word or with a sign counts as a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..lr.tables import Tables
from .spellings import CALL, MINUS, OTHER, WORD, ExportSpelling

__all__ = ["FREE", "NEEDED", "NONE", "ExportRule", "Variants"]

NEEDED, FREE, NONE = "s_", "o_", "t_"
"""How names of terminals begin: with white space before them, with or without, with none."""


class ExportRule(NamedTuple):
    """One rule: its name, its bodies, and the rule that may follow them any number of times, if there is one."""

    name: str
    bodies: list[list[str]]
    more: str = ""


class Variants:
    """The rules that a grammar needs on one schema."""

    def __init__(self, tables: Tables, spellings: Mapping[str, ExportSpelling]) -> None:
        self._spellings = spellings
        self._bodies: dict[str, list[list[str]]] = {}
        for production in tables.productions:
            body = [tables.terminals[s] if s >= 0 else str(tables.nonterminals[~s]) for s in production.body]
            # a class of functions may have none in this dialect
            if all(s in spellings for s in body if s in tables.terminals):
                self._bodies.setdefault(str(tables.nonterminals[production.head]), []).append(body)
        self._ends = self._last()
        self._wanted = {("start", OTHER): None}

    def _last(self) -> dict[str, str]:
        """Return what each rule ends with: a word unless all its bodies end with signs."""
        words = dict.fromkeys(self._bodies, False)
        before = -1
        while before != (before := sum(words.values())):
            for head, bodies in self._bodies.items():
                last = [body[-1] for body in bodies]
                words[head] = any(words[s] if s in words else self._spellings[s].ends != OTHER for s in last)
        return {head: WORD if word else OTHER for head, word in words.items()}

    def __iter__(self) -> Iterator[ExportRule]:
        """Yield the rules, the first one first."""
        done = 0
        while done < len(self._wanted):
            head, before = list(self._wanted)[done]
            done += 1
            bodies = [body for body in self._bodies[head] if body[0] != head]
            tails = [body[1:] for body in self._bodies[head] if body[0] == head]
            more = f"{head}_more" if tails else ""
            if tails and before == next(b for h, b in self._wanted if h == head):
                yield ExportRule(more, [self._spaced(tail, self._ends[head]) for tail in tails])
            yield ExportRule(f"{head}_{before}", [self._spaced(body, before) for body in bodies], more)

    def _spaced(self, body: Sequence[str], before: str) -> list[str]:
        """Return the names of a body's symbols when ``before`` is what stands before it."""
        found: list[str] = []
        for symbol in body:
            spelling = self._spellings.get(symbol)
            if spelling is None:
                self._wanted[symbol, before] = None
                found.append(f"{symbol}_{before}")
                before = self._ends[symbol]
                continue
            needed = before == spelling.begins and before in {WORD, MINUS}
            found.append((NONE if before == CALL else NEEDED if needed else FREE) + symbol)
            before = spelling.ends
        return found
