"""What may stand after the dot of a rule: the fewest words, or short phrases with their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from ..lr.tables import Tables
from ..semantics.actions import RuleViolation, SemanticActions
from ..types.abstract_values import NEVER
from .fillers import Stock

__all__ = ["Tails", "Yields"]


class Yields:
    """The fewest words that each nonterminal, and each rest of a rule, can become."""

    def __init__(
        self, tables: Tables, available: frozenset[int], free: frozenset[tuple[str, str]] = frozenset()
    ) -> None:
        self._available = available
        named = tables.names
        heads = [str(n) for n in tables.nonterminals]
        # the terminals that count nothing in each nonterminal's rules
        self.free = [{t for t, name in enumerate(named) if (head, name) in free} for head in heads]
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
        """Return the fewest words that symbols of one rule of ``head`` can become, in order, or `NEVER`."""
        words = 0
        for symbol in symbols:
            if symbol < 0:
                words += self.of[~symbol]
            elif symbol not in self._available:
                return NEVER
            else:
                words += symbol not in self.free[head]
        return min(words, NEVER)


class Tails:
    """The rests of rules made of the terminals ``available``, and where phrases have values of the ``stock``.

    Terminals that are ``free``, each with the nonterminal of its rule, count nothing.
    """

    def __init__(
        self,
        tables: Tables,
        actions: SemanticActions | None,
        available: frozenset[int],
        *,
        stock: Stock | None,
        free: frozenset[tuple[str, str]],
    ) -> None:
        self._tables = tables
        self._actions = actions
        self._available = available
        self._stock = stock
        self._yields = Yields(tables, available, free)
        self._tails: dict[tuple[int, int], list[tuple[int, tuple[Any, ...]]]] = {}
        self._results: dict[tuple[int, int, tuple[Any, ...]], list[tuple[Any, int]]] = {}

    def results(
        self, production: int, dot: int, values: tuple[Any, ...], under: tuple[Any, ...]
    ) -> list[tuple[Any, int]]:
        """Return the values that a phrase can be finished with, each with the fewest words.

        Of values that differ only in what can be mended outside of the phrase, the shortest must do.
        """
        matching = None
        if self._stock is not None and self._stock.matches(production):
            matching = self._stock.matching(production, values, under)
        key = (production, dot, values)
        known = self._results.get(key) if matching is None else None
        if known is not None:
            return known
        tails = matching
        if tails is None and self._stock is not None:
            tails = self._stock.arguments(production, values)
        if tails is None:
            tails = self.of(production, dot)
        found: dict[object, tuple[Any, int]] = {}
        actions = self._actions
        sorts = 1 if self._stock is None else self._stock.sorts(production, values)
        for words, tail in tails:
            result = None if actions is None else actions.judged(production, (*values, *tail))
            if isinstance(result, RuleViolation):
                continue
            sort = None if self._stock is None else self._stock.sort(production, result, values)
            if sort not in found:
                found[sort] = (result, words)
                if len(found) == sorts:
                    break
        results = list(found.values())
        if matching is None:
            self._results[key] = results
        return results

    def of(self, production: int, dot: int) -> list[tuple[int, tuple[Any, ...]]]:
        """Return what may stand after the dot: (words, values)."""
        key = (production, dot)
        known = self._tails.get(key)
        if known is None:
            body = self._tables.productions[production].body[dot:]
            known = self._tails[key] = sorted(self._written(production, body), key=lambda tail: tail[0])
        return known

    def _written(self, production: int, body: Sequence[int]) -> Iterator[tuple[int, tuple[Any, ...]]]:
        head = self._tables.productions[production].head
        if self._stock is None:
            words = self._yields.rest(head, body)
            if words < NEVER:
                yield words, (None,) * len(body)
            return
        choices: list[list[tuple[int, Any]]] = []
        for symbol in body:
            if symbol >= 0 and symbol not in self._available:
                return
            known = self._stock.of(symbol, production)
            if known is not None:
                choices.append(known)
            elif symbol >= 0:
                choices.append([(int(symbol not in self._yields.free[head]), None)])
            else:
                words = self._yields.of[~symbol]
                choices.append([(words, None)] if words < NEVER else [])
        for chosen in product(*choices):
            yield sum(words for words, _ in chosen), tuple(value for _, value in chosen)
