"""Which columns and output names can be written where a query stands."""

from __future__ import annotations

from dataclasses import dataclass

from .names import OTHER, Output, Source
from .select_scope import SelectScope
from .sources.grouped import GroupedColumns
from .sources.visible import times

__all__ = ["Resolver"]


@dataclass(frozen=True)
class Resolver(GroupedColumns):
    """The columns and the output names that can be written."""

    def writable(self, select: SelectScope) -> bool:
        """Say whether some column of the sources can be written as a key."""
        if any(
            self._writable(s, column, tables) and self.groupable(select, (s.name, column))
            for s in select.sources
            for column, tables in self.owned.get(s.name, ())
        ):
            return True
        return any(
            times(select, self.shown, column) == 1
            and not self.hidden(select.sources, {column})
            and self.holds(s, column)
            and self.groupable(select, (s.name, column))
            and not self.taken(select, column)
            for s in select.sources
            for column in self.shown(s) & self.bare.keys()
        )

    def _writable(self, source: Source, column: str, tables: frozenset[str]) -> bool:
        if source.table:
            return source.table in tables
        return not tables and column in self.shown(source) and not self.hidden([source], {column})

    def taken(self, select: SelectScope, column: str) -> bool:
        """Say whether another output has a bare column's name, or several have: ``SELECT a AS b, c AS b``: b."""
        if select.compound and not self.apart(select):  # the engine takes the column
            return False
        if self.quirks.columns_before_outputs and select.clause in {"group", "having"}:
            return False
        # GROUP BY takes the column before an output without a name
        untitled = select.clause == "order" and any(column in o.titles for o in select.outputs)
        named = [found for name, found in self.named(select) if name == column]
        return untitled or len(named) > 1 or any(found is None or found[1] != column for found in named)

    @staticmethod
    def called(select: SelectScope, name: str) -> list[Output]:
        """Return the output that is called by a name, if no other may be."""
        found = [o for o in select.outputs if o.may_be(name)]
        return found if len(found) == 1 and not found[0].titles else []

    def orderable(self, select: SelectScope, output: Output) -> Output:
        """Return an output of a first SELECT as a set operator knows it: of column `OTHER` if ORDER BY cannot find it.

        Where outputs need AS, the name of another one is sought among the first SELECT's columns, and must be it.
        """
        if not self.quirks.outputs_need_as or output.column is None or output.column[1] != output.name:
            return output
        owners = {s.name for s in select.sources if output.name in self.shown(s)}
        alike = output.column[0] == "" if output.name in select.merged else output.column[0] in ("", *owners)
        return output if alike and times(select, self.shown, output.name) == 1 else output._replace(column=OTHER)
