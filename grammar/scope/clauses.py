"""The steps of the clauses behind FROM: WHERE, GROUP BY with its keys, HAVING, ORDER BY, LIMIT."""

from __future__ import annotations

from .names import OTHER, START, UNLIKE, Column, Name, RequiredSource
from .select_scope import Scope, SelectScope
from .steps import Steps

__all__ = ["Clauses"]


class Clauses(Steps):
    """Words and keys of these clauses."""

    def _sourced(self, select: SelectScope) -> None:
        """Refuse to go on without FROM where a column or a star needs one."""
        self.check("sources", not select.needs and not select.star, "the columns need a FROM")
        self.check("derived", not select.asked, f"the derived table must show {', '.join(sorted(select.asked))}")

    def _at_where(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT a WHERE``: refused, a needs a FROM."""
        if scope.select.clause == "items":
            self._sourced(scope.select)
            scope = self.change(scope, needs=frozenset[RequiredSource](), asked=frozenset[str]())
        return self.change(scope, clause="where", term=OTHER)

    def _at_group(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT * FROM t GROUP BY``: refused beside a star."""
        self.check("grouping", not scope.select.star, "no GROUP BY beside a star")
        self.nameable(scope.select)
        return self.change(scope, clause="group", term=START, grouped=True)

    def _at_by(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``GROUP BY``: words of keys are kept from here on."""
        return self.change(scope, words=self.unwritten)

    def _at_keys_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self.change(scope, term=START, words=self.unwritten)

    def _key(self, scope: Scope) -> Scope:
        """``GROUP BY a`` names a column, ``GROUP BY a + b`` the item of the same words."""
        select = scope.select
        if select.position:
            return self._placed_key(scope)
        if select.column is None:
            same = [item for item in select.items if item.words == select.words]
            able = select.words != UNLIKE and (len(same) == 1 or not self.quirks.key_names_one_item)
            named = same if able else []
            return self.change(scope, items=tuple(i for i in select.items if i not in named), words=None)
        keys = select.keys | {self.resolver.identity(select, select.column)}
        return self.change(scope, keys=keys, term=OTHER, words=None)

    def _placed_key(self, scope: Scope) -> Scope:
        """``GROUP BY 2``: the column that the second item is, or else that item."""
        select = scope.select
        column = select.listed[select.position - 1].column if select.position <= len(select.listed) else None
        keys = select.keys | ({self.resolver.identity(select, column)} if column else set[Column]())
        items = tuple(item for item in select.items if item.place != select.position)
        return self.change(scope, keys=keys, items=items, position=0, term=OTHER, words=None)

    def _at_number(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``GROUP BY 2``, ``ORDER BY 2``: an item of the select list, if it has so many."""
        select = scope.select
        if select.clause == "order" and select.term == START and not inside:
            scope = self.change(scope, unnumbered=True)
            select = scope.select
        n = int(name.name or 0)
        if not n or inside or select.term != START or select.clause not in {"group", "order"}:
            return scope if select.term == OTHER else self.change(scope, term=OTHER)
        shown = max(len(select.listed), len(select.outputs))
        self.check("constant terms", n <= shown, f"{n} is no item of the select list, which has {shown}")
        equal = not (select.star and self.resolver.types.strict) or all(o.value.type != "other" for o in select.outputs)
        self.check("comparisons", equal, "the star may hold a value without order there")
        if select.clause == "order":
            return self.change(scope, term=OTHER)
        aggregate = n <= len(select.listed) and select.listed[n - 1].aggregate
        self.check("aggregate place", not aggregate, f"item {n} holds an aggregate or a window function")
        return self.change(scope, position=n, term=OTHER)

    def _at_having(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT a FROM t GROUP BY b HAVING``: refused, a is not grouped; so is ``SELECT a FROM t HAVING``."""
        self.check("grouping", scope.select.grouped or not scope.select.star, "no HAVING beside a star")
        scope = self.change(scope, grouped=True)
        self.obligations.grouping.check(scope.select)
        return self.change(scope, clause="having", term=OTHER)

    def _at_order(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``ORDER BY``, but for that of an aggregate (``GROUP_CONCAT(a ORDER BY b)``); not within an operand."""
        if inside:
            return scope
        self.check("compound order", not scope.select.nested, "no ORDER BY within an operand of a set operator")
        self.check("width", self.obligations.widths.sortable(scope.select), "no ORDER BY beside so many columns")
        return self.change(scope, clause="order", term=START)

    def _at_order_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return scope if inside else self.change(scope, term=START)

    def _at_limit(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self.change(scope, clause="limit", term=OTHER)
