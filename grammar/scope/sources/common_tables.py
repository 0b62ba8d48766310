"""The steps of WITH: the queries that it names, and where FROM names them."""

from __future__ import annotations

from ...types.abstract_values import AbstractValue
from ..names import CommonTable, Name
from ..select_scope import Scope, SelectScope
from .from_clause import FromClause

__all__ = ["CommonTables"]


class CommonTables(FromClause):
    """Words of WITH, and its names in FROM, beside the other sources.

    Engines differ in what such a name hides where: in ``WITH t AS (SELECT a FROM t)`` t is the table to most, and
    refers to itself to SQLite, where each query of WITH may name those behind it, too. So none is called as a table is.
    """

    def _at_with(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``WITH``: an alias must be left that is no table's name."""
        self.check("unique", self._free(scope.select), "no name is left")
        return self.change(scope, clause="with", pending="name")

    def _at_ctes_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``WITH a AS (SELECT 1),``: another name must be left."""
        return self._at_with(scope, name, inside)

    def _free(self, select: SelectScope) -> bool:
        return any(not self._taken(select, alias) for alias in self.resolver.catalogue.aliases)

    def _taken(self, select: SelectScope, name: str) -> str:
        """Return what is called by a name already, empty if nothing."""
        catalogue = self.resolver.catalogue
        if catalogue.clashes(name, (table.name for table in select.common)):
            return "a query of WITH"
        return "a table" if catalogue.is_table(name) else ""

    def _at_defined(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``WITH a AS (SELECT 1), a``: refused, as is a table's name."""
        taken = self._taken(scope.select, name.owner)
        self.check("unique", not taken, f"{taken} is called {name.owner} already")
        return self.change(scope, defined=name.owner, pending="defined")

    def _at_defining(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``WITH a AS (``: its query begins, as that of a derived table does."""
        return self.change(scope, pending="open")

    def _common_table(self, scope: Scope, inner: SelectScope, shown: tuple[tuple[str, AbstractValue], ...]) -> Scope:
        """``WITH a AS (SELECT 1 AS n)``: a shows n."""
        select = scope.select
        # the tables behind a set operator are not joined with those around it
        size = 1 if inner.compound else max(1, self.obligations.sources.counted(inner.sources))
        table = CommonTable(select.defined, shown, inner.made_of, size)
        return self.change(scope, common=(*select.common, table), defined="", pending="", made_of="")

    def _at_common_table(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``FROM a``, of WITH: it is joined as a derived table is."""
        select = scope.select
        table = next((one for one in select.common if one.name == name.owner), None)
        self.check("visible", table is not None, f"no query of WITH is called {name.owner}")
        table = table or CommonTable(name.owner, ())
        self.check("column counts", not select.same, "behind a set operator a star stands for one table")
        self.check("common columns", select.join in {"", "comma", "join"}, "a query of WITH is joined ON a condition")
        unnamed = any(not column for column, _ in table.columns) and self.resolver.told(select.bares)
        self.check("ambiguous", not unnamed, f"{name.owner} has a column without a name, which may be called so")
        if table.made_of:
            scope = self._made_of(scope, table.made_of)
        scope = self._in_brackets(scope)
        self.obligations.joins.link("", scope.select)
        return self.payable(self.change(scope, pending="table", written=table.source), name.owner)
