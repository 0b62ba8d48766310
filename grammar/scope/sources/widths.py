"""How many columns a select list may come to show: its stars stand before the FROM that says what they stand for.

A star shows every column of the sources, and one in a derived table makes the star around it wider, so that a few
words can show more columns than the engine takes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...types.abstract_values import MAX_WORDS
from ..names import STARRED, START, RequiredSource
from ..select_scope import SelectScope
from .catalogue import Catalogue

__all__ = ["Widths"]

_MAX_TERMS = MAX_WORDS // 2
"""The terms of ORDER BY and of windows in one query: each takes a word, and one behind it."""

_SPARE = 3
"""The sources that an item behind a star is sure to find room for."""


@dataclass
class Widths:
    """Counts columns against ``most``, those that one select list may show; 0 if any number.

    ``keyed`` where the keys of ORDER BY and the terms of windows count, too.
    """

    catalogue: Catalogue
    most: int
    keyed: bool
    _widest_table: int = field(init=False)

    def __post_init__(self) -> None:
        self._widest_table = max(map(len, self.catalogue.columns.values()), default=1)

    def _widest(self, select: SelectScope) -> int:
        return max(self._widest_table, *(len(table.columns) for table in select.common), 0)

    def fits(self, select: SelectScope) -> bool:
        """Say whether what is written, what FROM owes and an item that must come show no more than there is room for.

        What is owed counts as the widest table, so that the cheapest way on stays open. A source that is pending is
        judged once it has its name: then it is known what it pays.
        """
        if not self.most or select.compound or select.pending in {"table", "name", "derived"}:
            return True
        if select.clause not in {"items", "from", "on", "using"}:
            return True
        more = select.clause == "items" and _starting(select)
        if not select.star and not more:
            return _items(select) <= self._room(select)
        each, widest = select.star.count("*") + more, self._widest(select)
        owed = self._needed(select, select.needs, each) + each * len(select.asked) * widest
        if select.pending in {"open", "inner"} and select.promised is None:
            owed += each * widest
        elif select.pending == "source" or not select.sources:
            owed = max(owed, each * widest)
        spare = _SPARE * widest if more and select.star else 0
        return _items(select) + self._written(select, each) + owed + each * spare <= self._room(select)

    def inner(self, select: SelectScope) -> int:
        """Return the columns that there is room for in a derived table of ``select``, 0 for as many as anywhere."""
        promised, each = select.promised, select.star.count("*")
        times = each + (select.star.count(promised.name) if promised else 0)
        if not self.most or not times:
            return 0
        owed = self._needed(select, select.needs - {promised} if promised else select.needs, each)
        return max(1, (self._room(select) - _items(select) - self._written(select, each) - owed) // times)

    def sortable(self, select: SelectScope) -> bool:
        """Say whether ORDER BY may follow, however many keys it will have."""
        return not (self.most and self.keyed) or len(select.outputs) <= self.most - _MAX_TERMS

    def _room(self, select: SelectScope) -> int:
        return min(select.room or self.most, self.most - _MAX_TERMS * (self.keyed and select.windowed))

    def _written(self, select: SelectScope, each: int) -> int:
        """Return the columns that stars show of the sources, ``each`` of them so many times without its name."""
        shown = self.catalogue.columns
        return sum((each + select.star.count(source.name)) * len(source.shows(shown)) for source in select.sources)

    def _needed(self, select: SelectScope, needs: frozenset[RequiredSource], each: int) -> int:
        """Return the same of the sources that needs ask for, at most; a derived table shows some of its own."""
        bare, widest = [n for n in needs if not n.name], self._widest(select)
        owed = each * min(len(bare), len(frozenset[str]().union(*(n.tables for n in bare)))) * widest
        for need in needs:
            if need.name:
                width = widest if need.tables else max(1, len(need.columns)) * (widest + 1)
                owed += (each + select.star.count(need.name)) * width
        return owed


def _items(select: SelectScope) -> int:
    """Return the columns that are no stars, with those that must come."""
    return len(select.outputs) + len(select.asked) + (select.clause == "items" and select.term not in (START, STARRED))


def _starting(select: SelectScope) -> bool:
    """Say whether the next item may have to be a star: none is asked for, nor stands before it to be written again."""
    return select.term == START and not select.asked and (select.derived or not select.outputs)
