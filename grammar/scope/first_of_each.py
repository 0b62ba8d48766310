"""The steps of PER, which networks write: ``ORDER BY b LIMIT 3 PER t.c``, the first three rows of each c.

It stands for a derived table that numbers the rows by ROW_NUMBER, so it may come where that can be written.
"""

from __future__ import annotations

from ..types.abstract_values import AGGREGATE
from ..types.violation import RuleViolation
from .column_steps import ColumnSteps
from .names import Name
from .select_scope import Scope, SelectScope

__all__ = ["FirstOfEach"]

RULE = "first of each"


class FirstOfEach(ColumnSteps):
    """PER and its column."""

    def _at_nulls(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``ORDER BY a DESC NULLS``: no row is numbered by it, as not all engines' windows know it."""
        return scope if inside else self.change(scope, unnumbered=True)

    def _at_per(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT * FROM t ORDER BY a LIMIT 3 PER``: refused, a derived table must show each column by a name."""
        select = scope.select
        self.check(RULE, not select.distinct, "no PER behind SELECT DISTINCT")
        self.check(RULE, not select.star, "no PER beside a star")
        self.check(RULE, not _named(select), "no PER beside an output with a name of its own")
        self.check(RULE, not select.unnumbered, "rows are numbered by columns and what is reckoned from them alone")
        opaque = self.resolver.types.opaque
        able = all(output.value.type not in opaque for output in select.outputs)
        self.check(self.resolver.types.hiding, able, "a derived table shows no values of this type")
        self.check(RULE, self._any_key(scope), "no column here tells the groups of PER apart")
        return scope

    def _at_per_key(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT a FROM t GROUP BY a ORDER BY MAX(b) LIMIT 3 PER t.c``: refused, a group may have several c."""
        select = scope.select
        self._column(self.change(scope, clause="order"), name, inside)
        column = (name.owner, name.name)
        aggregated = any(output.value.marks & AGGREGATE for output in select.outputs)
        once = not (aggregated or select.grouped) or self.resolver.one_a_group(select, column)
        self.check(RULE, once, f"{name.name} is not in GROUP BY")
        able = self.resolver.shown_by_name(select, column)
        self.check(self.resolver.types.hiding, able, f"rows are not grouped by {name.name}, of this type")
        return scope

    def _any_key(self, scope: Scope) -> bool:
        """Say whether some column may stand behind PER."""
        return any(
            self._is_key(scope, Name(source.name, column, tables, True))
            for source in scope.select.sources
            for column, tables in self.resolver.owned.get(source.name, ())
        )

    def _is_key(self, scope: Scope, name: Name) -> bool:
        try:
            self._at_per_key(scope, name, False)
        except RuleViolation:
            return False
        return True


def _named(select: SelectScope) -> bool:
    """Say whether an output has a name that is not its column's."""
    return any(o.name and (o.column is None or o.column[1] != o.name) for o in select.outputs)
