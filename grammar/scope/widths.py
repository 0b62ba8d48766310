"""How many columns a select list may come to show: its stars stand before the FROM that says what they stand for.

A star shows every column of the sources, and one in a derived table makes the star around it wider, so that a few
words can show more columns than the engine takes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..values import MOST_WORDS
from .levels import STARRED, START, Level, Need
from .sources import Catalogue

__all__ = ["Widths"]

_SPARE = 3
"""The sources that an item behind a star is sure to find room for."""


@dataclass
class Widths:
    """Counts columns against ``most``, those that one select list may show; 0 if any number.

    ``keyed`` where the keys of ORDER BY count, too.
    """

    catalogue: Catalogue
    most: int
    keyed: bool
    _widest: int = field(init=False)

    def __post_init__(self) -> None:
        self._widest = max(map(len, self.catalogue.columns.values()), default=1)

    def fits(self, level: Level) -> bool:
        """Say whether what is written, what FROM owes and an item that must come show no more than there is room for.

        What is owed counts as the widest table, so that the cheapest way on stays open. A source that is pending is
        judged once it has its name: then it is known what it pays.
        """
        if not self.most or level.compound or level.pending in {"table", "name", "derived"}:
            return True
        if level.clause not in {"items", "from", "on", "using"}:
            return True
        more = level.clause == "items" and (bool(level.asked) or _starting(level))
        if not level.star and not more:
            return _items(level) <= self._room(level)
        each = level.star.count("*") + more
        owed = self._needed(level, level.needs, each) + each * len(level.asked) * self._widest
        if level.pending in {"open", "inner"} and level.promised is None:
            owed += each * self._widest
        elif level.pending == "source" or not level.sources:
            owed = max(owed, each * self._widest)
        spare = _SPARE * self._widest if more and level.star else 0
        return _items(level) + self._written(level, each) + owed + each * spare <= self._room(level)

    def inner(self, level: Level) -> int:
        """Return the columns that there is room for in a derived table of ``level``, 0 for as many as anywhere."""
        promised, each = level.promised, level.star.count("*")
        times = each + (level.star.count(promised.name) if promised else 0)
        if not self.most or not times:
            return 0
        owed = self._needed(level, level.needs - {promised} if promised else level.needs, each)
        return max(1, (self._room(level) - _items(level) - self._written(level, each) - owed) // times)

    def sortable(self, level: Level) -> bool:
        """Say whether ORDER BY may follow, however many keys it will have."""
        return not (self.most and self.keyed) or len(level.outputs) <= self.most - MOST_WORDS // 2

    def _room(self, level: Level) -> int:
        return level.room or self.most

    def _written(self, level: Level, each: int) -> int:
        """Return the columns that stars show of the sources, ``each`` of them so many times without its name."""
        shown = self.catalogue.columns
        return sum((each + level.star.count(source.name)) * len(source.shows(shown)) for source in level.sources)

    def _needed(self, level: Level, needs: frozenset[Need], each: int) -> int:
        """Return the same of the sources that needs ask for, at most; a derived table shows some of its own."""
        bare = [n for n in needs if not n.name]
        owed = each * min(len(bare), len(frozenset[str]().union(*(n.tables for n in bare)))) * self._widest
        for need in needs:
            if need.name:
                width = self._widest if need.tables else max(1, len(need.columns)) * (self._widest + 1)
                owed += (each + level.star.count(need.name)) * width
        return owed


def _items(level: Level) -> int:
    """Return the columns that are no stars, with those that must come."""
    return len(level.outputs) + len(level.asked) + (level.clause == "items" and level.term not in (START, STARRED))


def _starting(level: Level) -> bool:
    """Say whether the next item may have to be a star: no other stands before it that could be written again."""
    return level.term == START and (level.derived or not level.outputs)
