"""The steps of the clauses behind FROM: WHERE, GROUP BY with its keys, HAVING, ORDER BY, LIMIT and PER.

It stands for a derived table that numbers the rows by ROW_NUMBER, so it may come where that can be written.
"""

from ..types.abstract_values import Mark, RuleViolation
from .column_steps import ColumnSteps, Steps
from .names import OTHER, START, UNLIKE, Column, Name, OpenReference
from .select_scope import Scope, SelectScope


class Clauses(Steps):
    """Words and keys of these clauses."""

    def _sourced(self, select: SelectScope) -> None:
        """Refuse to go on without FROM where a column or a star needs one."""
        self.check("sources", not select.needs and not select.star, "the columns need a FROM")
        self.check("derived", not select.required, f"the derived table must show {', '.join(sorted(select.required))}")

    def _at_where(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT a WHERE``: refused, a needs a FROM."""
        if scope.select.clause == "items":
            self._sourced(scope.select)
            scope = self.change(scope, needs=frozenset[OpenReference](), required=frozenset[str]())
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
        count = max(len(select.listed), len(select.outputs))
        self.check("constant terms", n <= count, f"{n} is no item of the select list, which has {count}")
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
        self.costs.check_grouped(scope.select)
        return self.change(scope, clause="having", term=OTHER)

    def _at_order(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``ORDER BY``, but for that of an aggregate (``GROUP_CONCAT(a ORDER BY b)``); not within an operand."""
        if inside:
            return scope
        self.check("compound order", not scope.select.nested, "no ORDER BY within an operand of a set operator")
        return self.change(scope, clause="order", term=START)

    def _at_order_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return scope if inside else self.change(scope, term=START)

    def _at_limit(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self.change(scope, clause="limit", term=OTHER)


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
        self.check(RULE, self._any_key(scope), "no column here can form the groups of PER")
        return scope

    def _at_per_key(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT a FROM t GROUP BY a ORDER BY MAX(b) LIMIT 3 PER t.c``: refused, a group may have several c."""
        select = scope.select
        self._column(self.change(scope, clause="order"), name, inside)
        column = (name.owner, name.name)
        aggregated = any(output.value.marks & Mark.AGGREGATE for output in select.outputs)
        once = not (aggregated or select.grouped) or self.resolver.one_a_group(select, column)
        self.check(RULE, once, f"{name.name} is not in GROUP BY")
        able = self.resolver.can_show_by_name(select, column)
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
