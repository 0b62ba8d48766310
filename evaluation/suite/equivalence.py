"""Sound rules by which two queries are the same on every database of a schema.

Both queries are brought to a normal form by rewriting what never changes the rows: under the schema's keys and NOT
NULL, and without regard to the order of rows that no ORDER BY of the whole query fixes. Equal forms mean equal
queries. A mutant without a proof may still be equivalent; it then counts as not told apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from ...data.sql.sources import sources
from .dependencies import Rows
from .names import Names

__all__ = ["Prover"]


class Prover:
    """Proves equivalence for the queries of one schema."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def of(self, gold: exp.Expr) -> Callable[[exp.Expr], str | None]:
        """Return a function that names the proof for a changed query, or returns None."""
        wanted = self.normal(gold)

        def proof(changed: exp.Expr) -> str | None:
            return "same normal form" if self.normal(changed) == wanted else None

        return proof

    def normal(self, tree: exp.Expr) -> str:
        """Return the normal form as text."""
        tree = tree.copy()
        for _ in range(4):
            before = tree.sql()
            for node in reversed(list(tree.walk())):
                if isinstance(node, exp.Select):
                    self._select(node)
                elif isinstance(node, exp.Count | exp.Sum | exp.Avg):
                    self._total(node)
                elif isinstance(node, exp.Min | exp.Max) and isinstance(node.this, exp.Distinct):
                    node.set("this", node.this.expressions[0])
                elif isinstance(node, exp.SetOperation) and node.args.get("distinct", True):
                    for side in (node.this, node.expression):
                        inner = side.unnest()
                        if isinstance(inner, exp.Select) and not inner.args.get("limit"):
                            inner.set("distinct", None)
                elif isinstance(node, exp.GTE | exp.LTE | exp.LT | exp.GT | exp.NEQ):
                    self._extreme(node)
            if tree.sql() == before:
                break
        return tree.sql()

    def _select(self, select: exp.Select) -> None:
        role, limit = self._role(select), select.args.get("limit")
        dropped: set[str] = set()
        if limit is None:
            dropped |= {"distinct", "order"} if role in {"set", "exists"} else set()
        some = limit is not None and limit.expression.name.isdigit() and int(limit.expression.name) > 0
        if role == "exists" and (some or limit is None):
            dropped |= {"order", "limit", "distinct"}
        if self._single(select) and not select.args.get("offset"):
            dropped |= {"distinct", "order", *(["limit"] if some else [])}
        if self._unique(select):
            dropped |= {"distinct"}
        for part in dropped:
            select.set(part, None)
        self._lone(select)
        self._joins(select)

    def _lone(self, select: exp.Select) -> None:
        """SUM, AVG and MAX of one row at most are its MIN."""
        if select.args.get("group") is not None or not Rows(select, self._names).settle(()):
            return
        for call in list(select.find_all(exp.Sum, exp.Avg, exp.Max)):
            if call.find_ancestor(exp.Select) is select and self._names.kind(call.this) in {"integer", "real"}:
                inner = call.this.expressions[0] if isinstance(call.this, exp.Distinct) else call.this
                call.replace(exp.Min(this=inner.copy()))

    def _joins(self, select: exp.Select) -> None:
        """A LEFT JOIN that leaves no row unmatched, or whose unmatched rows are refused, is an inner one."""
        for join in select.args.get("joins") or []:
            if join.side == "LEFT" and Rows(select, self._names).matched(join):
                join.set("side", None)
            if join.kind in {"INNER", "OUTER"}:
                join.set("kind", None)

    def _role(self, select: exp.Select) -> str:
        """Say what a SELECT is for: set (of IN), exists, or other."""
        outer: exp.Expr | None = select.parent
        while isinstance(outer, exp.Subquery | exp.Paren) and not (isinstance(outer, exp.Subquery) and outer.alias):
            outer = outer.parent
        return "set" if isinstance(outer, exp.In) else "exists" if isinstance(outer, exp.Exists) else "other"

    def _single(self, select: exp.Select) -> bool:
        """Does it return one row at most: aggregates without GROUP BY, or a key fixed?"""
        plain = select.args.get("group") is None
        aggregated = any(e.find(exp.AggFunc) is not None and _own(e, select) for e in select.expressions)
        return plain and (aggregated or Rows(select, self._names).settle(()))

    def _unique(self, select: exp.Select) -> bool:
        """Are its rows different anyhow: keys shown or determined by what is shown, or all that it groups by?"""
        shown = [e.unalias() for e in select.expressions]
        group = select.args.get("group")
        if group is not None and all(any(g == e for e in shown) for g in group.expressions):
            return True
        rows = Rows(select, self._names)
        known = [rows.attribute(e) for e in shown]
        if group is not None:
            return False
        if any(isinstance(e, exp.Star) for e in shown):
            return all(self._has_key(item) for item in rows.items) and not any(j.side for j in rows.joins)
        if any(e.find(exp.AggFunc) for e in shown):
            return False
        return rows.settle(a for a in known if a is not None)

    def _has_key(self, item: exp.Expr) -> bool:
        relation = self._names.shape.relations.get(item.name.lower()) if isinstance(item, exp.Table) else None
        return relation is not None and bool(relation.keys)

    def _total(self, call: exp.Count | exp.Sum | exp.Avg) -> None:
        """COUNT of what is never NULL is COUNT(*); the values of a key are different anyhow."""
        select = call.find_ancestor(exp.Select)
        inner, distinct = call.this, isinstance(call.this, exp.Distinct)
        if distinct:
            if len(inner.expressions) != 1:
                return
            inner = inner.expressions[0]
        if isinstance(call, exp.Count) and isinstance(inner, exp.Literal) and not distinct:
            call.set("this", exp.Star())
        if not isinstance(inner, exp.Column) or select is None:
            return
        rows = Rows(select, self._names)
        own = rows.attribute(inner)
        if own is None:
            return
        group = select.args.get("group")
        known = [rows.attribute(g) for g in group.expressions] if group is not None else []
        if distinct and rows.settle([own, *(a for a in known if a is not None)]):
            call.set("this", inner)
            distinct = False
        if isinstance(call, exp.Count) and not distinct and rows.filled(own):
            call.set("this", exp.Star())

    def _extreme(self, node: Any) -> None:
        """x >= (SELECT MAX(x) …) over at least the same rows is x = (SELECT MAX(x) …)."""
        select, query = node.find_ancestor(exp.Select), node.expression.unnest()
        if not isinstance(node.this, exp.Column) or not isinstance(query, exp.Select) or select is None:
            return
        shown = query.expressions[0] if len(query.expressions) == 1 else None
        call = {exp.GTE: exp.Max, exp.LTE: exp.Min}.get(type(node))
        if call is None or not isinstance(shown, call) or not isinstance(shown.this, exp.Column):
            return
        inner = list(sources(query))
        if len(inner) != 1 or query.args.get("group") or query.args.get("where") or query.args.get("having"):
            return
        if self._names.base(shown.this) == self._names.base(node.this) and isinstance(inner[0], exp.Table):
            node.replace(exp.EQ(this=node.this, expression=node.expression))


def _own(node: exp.Expr, select: exp.Select) -> bool:
    return any(call.find_ancestor(exp.Select) is select for call in node.find_all(exp.AggFunc))
