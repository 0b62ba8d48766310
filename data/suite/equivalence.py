"""Sound rules by which two queries are the same on every database of a schema.

Both queries are brought to a normal form by rewriting what never changes the rows: under the schema's keys and NOT
NULL, and without regard to the order of rows that no ORDER BY of the whole query fixes. Equal forms mean equal
queries. A mutant without a proof may still be equivalent; it then counts as not told apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from .names import Names, sources

__all__ = ["Prover"]

_BOUNDS = (exp.EQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like, exp.Between, exp.NEQ, exp.In)


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
                elif isinstance(node, exp.Count):
                    self._count(node)
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
        if not self._at_most_one(select) or select.args.get("group") is not None:
            return
        for call in list(select.find_all(exp.Sum, exp.Avg, exp.Max)):
            if call.find_ancestor(exp.Select) is select and self._names.kind(call.this) in {"integer", "real"}:
                inner = call.this.expressions[0] if isinstance(call.this, exp.Distinct) else call.this
                call.replace(exp.Min(this=inner.copy()))

    def _joins(self, select: exp.Select) -> None:
        """A LEFT JOIN whose unmatched rows the WHERE refuses is an inner one."""
        for join in select.args.get("joins") or []:
            if join.side == "LEFT" and self._refused(select, join.this.alias_or_name):
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
        return (plain and aggregated) or (plain and self._at_most_one(select))

    def _at_most_one(self, select: exp.Select) -> bool:
        items = list(sources(select))
        if len(items) != 1 or not isinstance(items[0], exp.Table):
            return False
        relation = self._names.shape.relations.get(items[0].name.lower())
        fixed: set[str] = set()
        for part in _conjuncts(select.args.get("where")):
            if isinstance(part, exp.EQ):
                for one, two in ((part.this, part.expression), (part.expression, part.this)):
                    if isinstance(one, exp.Column) and self._names.source(one) is items[0] and _free(two, items[0]):
                        fixed.add(one.name.lower())
        return relation is not None and any(set(k) <= fixed for k in relation.keys)

    def _unique(self, select: exp.Select) -> bool:
        """Are its rows different anyhow: the key of each table shown, or all that it groups by?"""
        shown = [e.unalias() for e in select.expressions]
        group = select.args.get("group")
        if group is not None:
            return all(any(g == e for e in shown) for g in group.expressions)
        if any(e.find(exp.AggFunc) for e in shown):
            return False
        for item in sources(select):
            relation = self._names.shape.relations.get(item.name.lower()) if isinstance(item, exp.Table) else None
            if relation is None:
                return False
            mine = {e.name.lower() for e in shown if isinstance(e, exp.Column) and self._names.source(e) is item}
            fixed = self._fixed(select, item)
            if any(isinstance(e, exp.Star) for e in shown):
                mine = set(relation.fields)
            if not any(set(k) <= mine | fixed for k in relation.keys):
                return False
        return True

    def _fixed(self, select: exp.Select, item: exp.Expr) -> set[str]:
        """Return the columns of a table that the WHERE sets to a constant."""
        found: set[str] = set()
        for part in _conjuncts(select.args.get("where")):
            if isinstance(part, exp.EQ):
                one, two = part.this, part.expression
                if isinstance(one, exp.Column) and isinstance(two, exp.Literal) and self._names.source(one) is item:
                    found.add(one.name.lower())
        return found

    def _count(self, count: exp.Count) -> None:
        """COUNT of what is never NULL is COUNT(*), and the values of a key are different anyhow."""
        select = count.find_ancestor(exp.Select)
        inner, distinct = count.this, isinstance(count.this, exp.Distinct)
        if distinct:
            if len(inner.expressions) != 1:
                return
            inner = inner.expressions[0]
        if isinstance(inner, exp.Literal) and not distinct:
            count.set("this", exp.Star())
            return
        if not isinstance(inner, exp.Column) or select is None or not self._filled(inner, select):
            return
        if not distinct:
            count.set("this", exp.Star())
            return
        items = list(sources(select))
        base = self._names.base(inner)
        if len(items) == 1 and isinstance(items[0], exp.Table) and base is not None:
            fixed = self._fixed(select, items[0])
            if any(set(k) <= {base[1], *fixed} for k in self._names.shape.relations[base[0]].keys):
                count.set("this", exp.Star())

    def _filled(self, column: exp.Column, select: exp.Select) -> bool:
        """Is a column never NULL in the rows that a SELECT sees?"""
        item = self._names.source(column)
        if any(j.side in {"RIGHT", "FULL"} for j in select.args.get("joins") or []):
            return False
        for part in [*_conjuncts(select.args.get("where")), *_conditions(select)]:
            if isinstance(part, _BOUNDS) and any(side == column for side in _sides(part)):
                return True
        outer = [j.this for j in select.args.get("joins") or [] if j.side]
        field = self._names.shape.field(self._names.base(column)) if isinstance(item, exp.Table) else None
        return field is not None and not field.nullable and not any(item is o for o in outer)

    def _refused(self, select: exp.Select, name: str) -> bool:
        """Does the WHERE leave out rows in which this joined table is all NULL?"""
        for part in _conjuncts(select.args.get("where")):
            if isinstance(part, _BOUNDS):
                for side in _sides(part):
                    if isinstance(side, exp.Column) and side.table.lower() == name.lower():
                        return True
        return False

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


def _conjuncts(clause: exp.Expr | None) -> list[exp.Expr]:
    todo, found = [clause.this] if clause is not None else [], list[exp.Expr]()
    while todo:
        node = todo.pop().unnest()
        if isinstance(node, exp.And):
            todo += [node.this, node.expression]
        else:
            found.append(node)
    return found


def _conditions(select: exp.Select) -> list[exp.Expr]:
    """Return the conjuncts of the inner joins' ON."""
    found: list[exp.Expr] = []
    for join in select.args.get("joins") or []:
        on = join.args.get("on")
        if on is not None and not join.side:
            found += _conjuncts(exp.Where(this=on.copy()))
    return found


def _sides(node: exp.Expr) -> list[exp.Expr]:
    return [node.this] if isinstance(node, exp.In | exp.Between) else [node.this, node.expression]


def _free(node: exp.Expr, item: exp.Expr) -> bool:
    """Is an expression the same for all rows of a table?"""
    return isinstance(node, exp.Literal)
