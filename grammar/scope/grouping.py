"""What GROUP BY must name: the columns beside aggregates, if it can."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from ..types.violation import RuleViolation
from .names import START
from .resolver import Resolver
from .select_scope import SelectScope
from .sources.from_cost import NEVER

__all__ = ["Grouping"]


@dataclass(frozen=True)
class Grouping:
    """The keys under the rules that are on."""

    resolver: Resolver
    on: frozenset[str]

    def owed(self, select: SelectScope, own: Set[str]) -> int:
        """Return the words of the keys that are owed, `NEVER` if there are none for all.

        After ``SELECT a, MAX(b) FROM t`` these are 3, ``GROUP BY a``; after ``GROUP BY c`` 2, ``, a``.
        ``own`` are the columns that a derived table must still show by their own names.
        """
        grouped = select.aggregated or select.grouped
        if grouped and "ambiguous" in self.on and self.resolver.alike(select):
            return NEVER
        if "grouping" not in self.on:
            return 0
        if (select.aggregated and self.resolver.hidden_keys(select)) or (grouped and not self._groupable(select, own)):
            return NEVER
        if select.clause == "group":
            now = {self.resolver.identity(select, select.column)} if select.column else set[object]()
            missing = len(self.resolver.ungrouped(select) - now)
            more = missing - (select.term == START)
            return max(0, 2 * more)
        if select.aggregated and select.clause in {"items", "from", "on", "using", "closed", "where"}:
            count = len(select.plain) + len(own)
            return 2 * count + 1 if count else 0
        return 0

    def _groupable(self, select: SelectScope, own: Set[str]) -> bool:
        if self.resolver.unmatched(select):
            return False
        if not self.resolver.types.strict or "comparisons" not in self.on:
            return True
        return all(self.resolver.groupable(select, c) for c in select.plain) and all(map(self.resolver.ordered, own))

    def check(self, select: SelectScope) -> None:
        """Refuse columns that GROUP BY does not name: ``SELECT a, MAX(b) FROM t GROUP BY b``.

        Raises:
            RuleViolation: with the columns.
        """
        missing = self.resolver.ungrouped(select)
        if "grouping" in self.on and (select.aggregated or select.grouped) and missing:
            names = ", ".join(sorted(name for _, name in missing))
            raise RuleViolation("grouping", f"{names} must be in GROUP BY")
