"""What a source, and what USING and NATURAL do to the level whose FROM they stand in.

The words of FROM and their costs ask the same questions here, so that what was counted can be written.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..phrases import Refused
from .columns import Columns
from .levels import Level, Source
from .shown import times

__all__ = ["Joins"]


@dataclass(frozen=True)
class Joins:
    """Joins under the rules that are on."""

    columns: Columns
    on: frozenset[str]

    def check(self, rule: str, holds: bool, problem: str) -> None:
        """Refuse if ``rule`` is on and does not hold."""
        if not holds and rule in self.on:
            raise Refused(rule, problem)

    def placed(self, level: Level, name: str = "") -> Level:
        """Return the level once its pending source stands in FROM under a name, or a table under its own.

        Raises:
            Refused: that name is taken, FROM owes something else under it, or the join cannot be made.
        """
        assert level.written is not None, "no source is pending"
        name = name or self.columns.table_name(level.written.table)
        taken = {s.name.lower() for s in level.sources} | {n.name.lower() for n in level.needs if n.name != name}
        self.check("unique", not name or name.lower() not in taken, f"FROM has a source {name} already")
        # to SQLite a comma is a join like any other
        apart = level.join == "comma" and self.columns.dialect != "sqlite"
        source = level.written._replace(name=name, group=level.sources[-1].group + apart if level.sources else 0)
        self.fits(level, source)
        needs = frozenset(n for n in level.needs if not name or n.name != name)
        kept = frozenset(n for n in needs if n.name or not self.columns.shows(source, n))
        if kept == level.needs:
            self.link(source.table, level)
        bare = level.bare | {c for n in needs - kept for c in n.columns}
        after = level._replace(
            needs=kept, sources=(*level.sources, source), bare=bare, pending="", written=None, promised=None
        )
        return self.merged(after, self.common(after)) if level.join.startswith("natural") else after

    def link(self, table: str, level: Level) -> None:
        """Refuse a table that nothing asks for and no foreign key links to what is in FROM, where one must."""
        if table and not self.columns.catalogue.linked(table, level):
            raise Refused("joins", f"no foreign key links {table} to what is in FROM")

    def fits(self, level: Level, source: Source) -> None:
        """Refuse a source that is not what FROM owes under its name."""
        need = next((n for n in level.needs if n.name == source.name), None)
        for column in sorted({c for n in level.needs if not n.name for c in n.columns} & self.columns.shown(source)):
            self.check("sources", self.columns.holds(source, column), f"{column} of {source.name} is another column")
        if need is None or not source.name:
            return
        table = source.table in need.tables if need.tables else not source.table
        self.check("sources", table, f"{source.name} must be another source")
        if not need.tables:
            names = [name for name, _ in source.columns]
            shown = all(names.count(column) == 1 for column in need.columns)
            self.check("derived", shown, f"{source.name} must show {', '.join(sorted(need.columns))}")

    def merged(self, level: Level, columns: frozenset[str]) -> Level:
        """Return the level where columns of a join have become one, which no later source may show again."""
        return level._replace(merged=level.merged | columns, bare=level.bare | columns) if columns else level

    def common(self, level: Level) -> frozenset[str]:
        """Return the columns that the last source shares with those that it is joined to.

        Raises:
            Refused: one of them cannot become one column with the others.
        """
        *left, right = self._joined(level)
        named = not self.columns.hidden((*left, right), self.columns.shown(right))
        self.check("common columns", named, "a derived table has a column without a name")
        common = frozenset(c for c in self.columns.shown(right) if any(c in self.columns.shown(s) for s in left))
        for column in sorted(common):
            able = self._mergeable(level, left, right, column)
            self.check("common columns", able, f"{column} cannot become one column")
        return common

    def joinable(self, level: Level) -> frozenset[str]:
        """Return the columns that the last source can be joined by with USING."""
        *left, right = self._joined(level)
        bare = self.columns.shown(right) & self.columns.bare.keys()
        seen = (c for c in bare if not self.columns.hidden((*left, right), {c}))
        return frozenset(c for c in seen if self._mergeable(level, left, right, c))

    @staticmethod
    def _joined(level: Level) -> list[Source]:
        """Return the last source and those that it is joined to."""
        return [s for s in level.sources if s.group == level.sources[-1].group]

    def _mergeable(self, level: Level, left: list[Source], right: Source, column: str) -> bool:
        """Say whether a column of two tables can become one: it was not written bare so far, and is of one type.

        SQLite and MariaDB would read an earlier bare column anew.
        """
        both = [s for s in (*left, right) if column in self.columns.shown(s)]
        once = len(both) == 2 and all(s.table for s in both) and times(level, self.columns.shown, column) == 2
        values = [self.columns.value(s, column) for s in both]
        return once and column not in level.bare and self.columns.types.join(values) not in (None, "other")
