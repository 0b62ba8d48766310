"""What queries and their select lists are worth: the reductions that make a `QueryType`."""

from __future__ import annotations

from collections.abc import Sequence

from ..types.abstract_values import (
    AGGREGATE,
    DERIVED,
    NAME,
    ONE,
    PLAIN,
    STARRED,
    WINDOW,
    AbstractValue,
    QueryType,
    positions_of,
)
from .checks import Checks, Parts
from .clause_actions import TABLE

__all__ = ["QueryActions"]


class QueryActions(Checks):
    """A method for each head of a production, called with its body."""

    # ---- queries

    def _start(self, parts: Parts) -> None:
        """``SELECT a FROM t ORDER BY b LIMIT 3 PER t.c``: what is ordered is held to what any query is."""
        if parts[-1][0] == "limit_per":
            self._query(parts[:2])

    def _query(self, parts: Parts) -> QueryType:
        """``SELECT a FROM t ORDER BY MAX(b)``: refused, there is no group; ``SELECT DISTINCT a FROM t ORDER BY b``."""
        given = dict(parts)
        columns: QueryType = given.get("select") or given["compound"]
        if given.get("order_by", 0) & ONE and not self.wide:
            self.ordered(columns.values[0] if columns.values else AbstractValue("any" if self.orderly else "other"))
        self._positioned("ORDER BY", given.get("order_by", 0), columns)
        if "compound" in given and given.get("order_by"):
            self.check("compound order", given["order_by"] & NAME != 0, "only output columns order a compound query")
        if columns.distinct and given.get("order_by"):
            self.check("distinct order", given["order_by"] & NAME != 0, "DISTINCT is ordered by its output columns")
        if "compound" not in given and not columns.aggregate:
            self.check("aggregate place", not given.get("order_by", 0) & AGGREGATE, "ORDER BY an aggregate of no group")
        if given.get("order_by"):
            columns = self.resolved(columns)
        return columns._replace(
            distinct=False,
            aggregate=False,
            plain=False,
            compound="compound" in given,
            single=columns.single or bool(given.get("limit")),
            limited=columns.limited or "limit" in given,
            windowed=bool(given.get("order_by", 0) & WINDOW) and "limit" not in given,
        )

    def _positioned(self, clause: str, marks: int, columns: QueryType) -> None:
        """Refuse ``SELECT a FROM t ORDER BY 2``; which columns a star shows, the scope knows."""
        if columns.values is None:
            return
        for n in positions_of(marks):
            self.check("constant terms", n <= len(columns.values), f"{clause} {n}, of {len(columns.values)} columns")
            for value in columns.values[n - 1 : n]:
                self.ordered(value)
                if clause == "GROUP BY":
                    self.no_aggregate(value)

    def _compound(self, parts: Parts) -> QueryType:
        """``SELECT a, b FROM t UNION SELECT a FROM s``: refused, the sides have 2 columns and 1."""
        left, right = parts[0][1], parts[2][1]
        alike = (left.values is None) == (right.values is None) and left.star == right.star
        self.check("column counts", alike and (left.star or left.values is not None), "a star beside a set operator")
        self.check("nested operands", not left.compound and not right.compound, "an operand is a compound query itself")
        if left.values is None or right.values is None:
            return QueryType(None, limited=left.limited or right.limited, star=left.star)
        self.check("column counts", len(left.values) == len(right.values), "set operators need as many columns")
        joined = [self.join_types(pair) for pair in zip(left.values, right.values, strict=False)]
        return QueryType(tuple(joined), limited=left.limited or right.limited)

    def _operand(self, parts: Parts) -> QueryType:
        """``(SELECT * FROM t) UNION``; ``(SELECT a FROM t ORDER BY RANK() OVER (ORDER BY a)) UNION``: refused."""
        columns: QueryType = parts[0][1]
        able = self.types.windowed_operands or not columns.windowed
        self.check("aggregate place", able, "a window function orders no operand without LIMIT")
        # behind brackets a set operator must follow, and not every star can stand beside one where types are strict
        bare = parts[0][0] == "select" or not self.types.strict
        return columns if bare else columns._replace(star=False)

    def _subquery(self, parts: Parts) -> QueryType:
        """``(SELECT a FROM t)``: what the query within returns."""
        return parts[1][1]

    def _select(self, parts: Parts) -> QueryType:
        """``SELECT MAX(a) FROM t``: one row; ``a IN (SELECT b, c FROM t)``: refused, one column is wanted."""
        given = dict(parts)
        items: QueryType = given.get("items") or given["starred"]
        demand: tuple[str, ...] | str | None = parts[0][1]
        if demand == STARRED:
            self.check("column counts", items.star, "a bare star is wanted here, as before the set operator")
        if isinstance(demand, tuple):
            fits = items.values is not None and len(items.values) == len(demand)
            self.check("column counts", fits, f"{len(demand)} columns are wanted here")
            for wanted, value in zip(demand, items.values or (), strict=False):
                self.compare([AbstractValue(wanted), self.shown(value)])
        # a column needs a FROM, and beside an aggregate GROUP BY, though neither may be written yet
        alone = not items.plain or (items.aggregate and "grouping" not in self.on)
        single = "group_by" not in given and alone and (items.aggregate or "from" not in given)
        single |= bool(given.get("where")) and given.get("from") == TABLE
        for value in items.values or ():
            if demand == DERIVED:
                self.check(self.types.hiding, self.showable(value), "a derived table shows no values of this type")
            if "DISTINCT" in given:
                self.ordered(value)
        if "DISTINCT" in given:
            items = self.resolved(items)
        if given.get("group_by"):
            aggregated = items.values is None and items.aggregate
            self.check("aggregate place", not aggregated, "GROUP BY a number beside a star and an aggregate")
            self._positioned("GROUP BY", given["group_by"], items)
        if "having" in given and "group_by" not in given:
            alone = items.aggregate or self.types.lone_having
            self.check("aggregate place", alone, "HAVING without a group")
            items = items._replace(aggregate=True)
        if self.wide and items.values is not None:
            items = items._replace(values=tuple(v._replace(marks=0) for v in items.values))
        aggregate = items.aggregate or "group_by" in given
        items = items._replace(star=items.star and given.get("from") == TABLE)
        return items._replace(single=single, aggregate=aggregate, distinct="DISTINCT" in given)

    def _items(self, parts: Parts) -> QueryType:
        """``a, MAX(b)``: two columns, one of them outside of aggregates."""
        item: AbstractValue = parts[-1][1]
        before: QueryType = parts[0][1] if len(parts) > 1 else QueryType(())
        held = item.marks & (AGGREGATE | WINDOW) if self.wide else 0
        values = (*(before.values or ()), AbstractValue(item.type, item.magnitude, held))
        aggregate = before.aggregate or bool(item.marks & AGGREGATE)
        plain = before.plain or (bool(item.marks & PLAIN) and "single row" in self.on)
        return QueryType(values, aggregate=aggregate, plain=plain)

    def _starred(self, parts: Parts) -> QueryType:
        """``*, a``: any number of columns."""
        # a star hides the items beside it from where they are checked; DISTINCT could stand before them
        aggregate = False
        for _, value in parts:
            columns: Sequence[AbstractValue] = (value,) if isinstance(value, AbstractValue) else ()
            aggregate |= isinstance(value, AbstractValue) and bool(value.marks & AGGREGATE)
            if isinstance(value, QueryType):
                columns = value.values or ()
                aggregate |= value.aggregate
            for column in columns:
                self.ordered(column)
        return QueryType(None, aggregate=aggregate, star=len(parts) == 1 and parts[0][1] == "*")

    def _star(self, parts: Parts) -> str:
        return parts[0][0]

    def _item(self, parts: Parts) -> AbstractValue:
        """``a + 1 AS n``: as the expression."""
        return parts[0][1]
