"""What may stand after the dot of an LR item: short phrases with their values and the words that they take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from ..lr.tables import Tables
from ..types.abstract_values import NEVER, RuleViolation
from .fillers import Fillers, Suffix

__all__ = ["Suffixes", "Yields"]


_FREE = {("from", "FROM"), ("source", "TABLE")}
"""Terminals that count nothing in the productions of a nonterminal, as the scope counts them."""


class Yields:
    """The fewest words that each nonterminal, and each rest of a production, can become."""

    def __init__(self, tables: Tables, available: frozenset[int]) -> None:
        self._available = available
        heads = [str(n) for n in tables.nonterminals]
        # the terminals that count nothing in each nonterminal's productions
        self.free = [{t for t, name in enumerate(tables.names) if (head, name) in _FREE} for head in heads]
        self.of = [NEVER] * len(heads)
        changed = True
        while changed:
            changed = False
            for production in tables.productions:
                length = self.rest(production.head, production.body)
                if length < self.of[production.head]:
                    self.of[production.head] = length
                    changed = True

    def rest(self, head: int, symbols: Sequence[int]) -> int:
        """Return the fewest words that symbols of one production of ``head`` can become, in order, or `NEVER`."""
        words = 0
        for symbol in symbols:
            if symbol < 0:
                words += self.of[~symbol]
            elif symbol not in self._available:
                return NEVER
            else:
                words += symbol not in self.free[head]
        return min(words, NEVER)


class Suffixes:
    """The rests of productions made of the terminals ``available`` and of the short phrases of the ``fillers``."""

    def __init__(self, fillers: Fillers, available: frozenset[int]) -> None:
        self.actions = fillers.actions
        self._tables = fillers.actions.tables
        self._available = available
        self._fillers = fillers
        self._yields = Yields(self._tables, available)
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
                choices.append([(int(symbol not in self._yields.free[head]), None)])
            else:
                words = self._yields.of[~symbol]
                choices.append([(words, None)] if words < NEVER else [])
        for chosen in product(*choices):
            yield sum(words for words, _ in chosen), tuple(value for _, value in chosen)
