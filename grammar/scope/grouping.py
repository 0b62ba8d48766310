"""What GROUP BY must name: the columns beside aggregates, if it can."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from ..phrases import Refused
from .columns import Columns
from .levels import START, Level
from .sources import NEVER

__all__ = ["Grouping"]


@dataclass(frozen=True)
class Grouping:
    """The keys under the rules that are on."""

    columns: Columns
    on: frozenset[str]

    def owed(self, level: Level, own: Set[str]) -> int:
        """Return the words of the keys that are owed, `NEVER` if there are none for all.

        ``own`` are the columns that a derived table must still show by their own names.
        """
        grouped = level.aggregated or level.grouped
        if grouped and "ambiguous" in self.on and self.columns.alike(level):
            return NEVER
        if "grouping" not in self.on:
            return 0
        if (level.aggregated and self.columns.hidden_keys(level)) or (grouped and not self._groupable(level, own)):
            return NEVER
        if level.clause == "group":
            now = {self.columns.identity(level, level.column)} if level.column else set[object]()
            missing = len(self.columns.ungrouped(level) - now)
            more = missing - (level.term == START)
            return max(0, 2 * more)
        if level.aggregated and level.clause in {"items", "from", "on", "using", "closed", "where"}:
            count = len(level.plain) + len(own)
            return 2 * count + 1 if count else 0
        return 0

    def _groupable(self, level: Level, own: Set[str]) -> bool:
        if self.columns.unmatched(level):
            return False
        if not self.columns.types.strict or "comparisons" not in self.on:
            return True
        return all(self.columns.groupable(level, c) for c in level.plain) and all(map(self.columns.ordered, own))

    def check(self, level: Level) -> None:
        """Refuse columns beside aggregates that GROUP BY does not name.

        Raises:
            Refused: with the columns.
        """
        missing = self.columns.ungrouped(level)
        if "grouping" in self.on and (level.aggregated or level.grouped) and missing:
            names = ", ".join(sorted(name for _, name in missing))
            raise Refused("grouping", f"{names} must be in GROUP BY")
