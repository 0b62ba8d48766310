"""One prefix, and how many words each choice needs to the end of the query: worked out when it is asked for."""

from __future__ import annotations

from typing import NamedTuple

from ..scope.select_scope import Scope
from ..stack.node import Node
from ..types.abstract_values import NEVER
from ..types.violation import RuleViolation
from .word_costs import SomeWords, Totals, WordCosts

__all__ = ["NextWords"]

_ASKED = 48
"""How many classes of words are asked for before it pays to work out all."""


class _Known(NamedTuple):
    totals: Totals
    most: int
    refused: dict[int, RuleViolation]


class NextWords:
    """One prefix, as far as what follows depends on it; each part is worked out when it is first asked for.

    Attributes:
        node: the stack.
        scope: the names.
        after: what words that have been asked for lead to.
    """

    __slots__ = ("_admitted", "_asked", "_costs", "_known", "after", "node", "scope")

    def __init__(self, node: Node, scope: Scope | None, costs: WordCosts) -> None:
        self.node = node
        self.scope = scope
        self.after: dict[int, NextWords] = {}
        self._costs = costs
        self._asked: dict[int, int] = {}  # the totals of classes, -1 where they hang on all
        self._admitted: dict[SomeWords, int] = {}  # words left with which they may come; with which not, below 0
        self._known: _Known | None = None

    @property
    def totals(self) -> Totals:
        """For each word the fewest words that finish the query beginning with it, `NEVER` if it may not come.

        0 for the end if the query may end here. Shape (words,), read-only.
        """
        return self._worked_out().totals

    @property
    def most(self) -> int:
        """The largest of the totals that is not `NEVER`."""
        return self._worked_out().most

    @property
    def refused(self) -> dict[int, RuleViolation]:
        """What the scope says against terminals."""
        return self._worked_out().refused

    def admits(self, some: SomeWords, left: int) -> bool:
        """Say whether any of some words may come with so many left; at first these alone are looked at."""
        if self._known is None and len(self._asked) < _ASKED:
            for terminal, number in self._costs.unnamed(some):
                total = self._asked.get(number)
                if total is None:
                    total = self._asked[number] = self._costs.total(self.node, self.scope, terminal, number)
                if 0 <= total <= left:
                    return True
                if total < 0:
                    break
            else:
                return self._admits_named(some, left)
        return bool((self.totals[some.words] <= left).any())

    def _admits_named(self, some: SomeWords, left: int) -> bool:
        known = self._admitted.get(some)
        if known is not None and (left >= known >= 0 or left < -known):
            return known >= 0
        found = self._costs.admits_named(self.node, self.scope, some, left)
        self._admitted[some] = left if found else -1 - left
        return found

    def _worked_out(self) -> _Known:
        if self._known is None:
            totals, refused = self._costs.totals(self.node, self.scope)
            totals.flags.writeable = False
            self._costs.bytes += totals.nbytes
            self._known = _Known(totals, int(totals[totals < NEVER].max(initial=0)), refused)
        return self._known
