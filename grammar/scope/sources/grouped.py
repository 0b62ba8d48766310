"""Which of the columns that sources show a group has one value of, and by which names GROUP BY finds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..names import Column
from ..select_scope import Scope, SelectScope
from .visible import VisibleColumns

__all__ = ["GroupedColumns"]


@dataclass(frozen=True)
class GroupedColumns(VisibleColumns):
    """The columns that sources show, as GROUP BY takes them."""

    def grouped(self, select: SelectScope, column: Column) -> bool:
        """Say whether a column has one value in each group: GROUP BY names it, or its table's key, if that does."""
        if column in select.keys:
            return True
        if not self.quirks.key_groups_table:
            return False
        table = next((s.table for s in select.sources if s.name == column[0]), "")
        return table in self.keys and (column[0], self.keys[table]) in select.keys

    def one_a_group(self, select: SelectScope, column: Column) -> bool:
        """Say whether a column has one value in each group, to engines that ask nothing of columns beside groups, too.

        GROUP BY names it, or its table's key.
        """
        table = next((s.table for s in select.sources if s.name == column[0]), "")
        key = (column[0], self.keys[table]) if table in self.keys else column
        return column in select.keys or key in select.keys

    def ungrouped(self, select: SelectScope) -> frozenset[Column]:
        """Return what GROUP BY has not named so far, nor as an item: ``SELECT a, b + c FROM t GROUP BY b + c``: a."""
        now = select.position  # ``GROUP BY 2|``
        owed = select.alone.union(*(item.columns for item in select.items if not now or item.place != now))
        placed = select.listed[now - 1].column if 0 < now <= len(select.listed) else None
        named = self.identity(select, placed) if placed else None
        return frozenset(column for column in owed if not self.grouped(select, column) and column != named)

    def apart(self, select: SelectScope) -> bool:
        """Say whether names may stand for a SELECT's own outputs, where `outputs` are those of the first one."""
        return select.compound and self.quirks.operands_have_outputs

    def named(self, select: SelectScope) -> Sequence[tuple[str, Column | None]]:
        """Return the names and columns of the outputs for which GROUP BY and HAVING may take a column."""
        return select.own if self.apart(select) else [(o.name, o.column) for o in select.outputs]

    def replaced(self, scope: Scope) -> set[Column | None]:
        """Return the columns of a star that HAVING does not find: ``EXISTS (SELECT * FROM t GROUP BY a HAVING b)``."""
        within = scope.outer is not None and not scope.select.derived  # it may be another subquery
        return {o.column for o in self.starred(scope.select)} if within else set()

    def hidden_keys(self, select: SelectScope) -> frozenset[str]:
        """Return the columns that GROUP BY cannot name, an output being called so: ``SELECT a, MAX(b) AS a``."""
        if self.quirks.columns_before_outputs:
            return frozenset()
        bare = select.bare_plain
        named = [*self.named(select), *[(select.alias, select.column)] * bool(select.alias)]
        return frozenset(n for n, column in named if n in bare and (column is None or column[1] != n))

    def alike(self, select: SelectScope) -> frozenset[str]:
        """Return the names that several keys of a derived table have, and an output of it that is no column.

        An engine that takes a condition of the query around into the table looks for the output among the keys.
        """
        several = self.several(select)
        if not several or select.compound:  # to be on the safe side behind set operators
            return several
        made = {o.name for o in select.outputs if o.column is None} | (
            {select.alias} if select.column is None else set()
        )
        return several & made

    def several(self, select: SelectScope) -> frozenset[str]:
        """Return the names that several keys of a derived table have or will have (`Quirks.equal_keys_clash`)."""
        if not (select.derived and self.quirks.equal_keys_clash):
            return frozenset()
        now = {self.identity(select, select.column)} if select.clause == "group" and select.column else set[Column]()
        names = [name for _, name in select.plain | select.keys | now]
        return frozenset(name for name in names if names.count(name) > 1)
