"""What the rows of one SELECT cannot be: twice the same, NULL, unmatched. The ground of the proofs in `equivalence`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from ...data.sql.sources import sources
from .names import Names

__all__ = ["Attribute", "Rows", "parts"]

Attribute = tuple[int, str]
"""A column of one FROM item: the item's place and the lower-cased name."""

_COMPARED = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like)
_STRICT = (
    *(exp.Paren, exp.Cast, exp.Neg, exp.Abs, exp.Round, exp.Date, exp.TimeToStr, exp.TsOrDsToDate),
    *(exp.TsOrDsToTimestamp, exp.DateAdd, exp.DateSub, exp.Year, exp.Month, exp.Day, exp.Hour),
)
_BOTH = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.TimestampDiff)
_CALLS = {"DATE", "DATETIME", "UNIXEPOCH", "STRFTIME"}


def parts(node: exp.Expr | None) -> list[exp.Expr]:
    """Return the conjuncts of a condition, or of a WHERE."""
    todo, found = [] if node is None else [node], list[exp.Expr]()
    while todo:
        part = todo.pop().unnest()
        if isinstance(part, exp.Where | exp.Having):
            todo.append(part.this)
        elif isinstance(part, exp.And):
            todo += [part.this, part.expression]
        else:
            found.append(part)
    return found


class Rows:
    """The rows that a SELECT's FROM and WHERE make.

    Args:
        select: the SELECT; its nodes are looked at where they stand.
        names: of the schema.
    """

    def __init__(self, select: exp.Select, names: Names) -> None:
        self._names = names
        self.items = list(sources(select))
        self.joins: list[exp.Join] = list(select.args.get("joins") or [])
        self._late = {self._place(j.this) for j in self.joins if j.side == "LEFT"}
        self._odd = any(j.side not in {"", "LEFT"} for j in self.joins)
        inner = [p for j in self.joins if not j.side for p in parts(j.args.get("on"))]
        self._sure = [*parts(select.args.get("where")), *inner]
        self._loose = [p for j in self.joins if j.side == "LEFT" for p in parts(j.args.get("on"))]

    def attribute(self, node: exp.Expr) -> Attribute | None:
        """Return which column of which item a node is, None if it is none of this SELECT's."""
        inner = node.unnest()
        item = self._names.source(inner) if isinstance(inner, exp.Column) else None
        place = -1 if item is None else self._place(item)
        return None if place < 0 else (place, inner.name.lower())

    def settle(self, known: Iterable[Attribute]) -> bool:
        """Is there one row at most for each choice of values of these columns?"""
        if self._odd or not self.items:
            return False
        closed = self._closed(set(known), self._sure)
        if not all(self._keyed(place, closed) for place in range(len(self.items)) if place not in self._late):
            return False
        closed = self._closed(closed, [*self._sure, *self._loose])
        return all(self._keyed(place, closed) for place in range(len(self.items)))

    def filled(self, attribute: Attribute) -> bool:
        """Is a column never NULL?"""
        place, name = attribute
        if any(attribute in self._refused(p, False) for p in self._sure):
            return True
        item = self.items[place]
        field = self._names.shape.field((item.name.lower(), name)) if isinstance(item, exp.Table) else None
        return field is not None and not field.nullable and place not in self._late and not self._odd

    def matched(self, join: exp.Join) -> bool:
        """Does a LEFT JOIN leave no row unmatched, since a condition refuses them or a reference forbids them?"""
        place = self._place(join.this)
        if any((place, "*") in self._refused(p, True) for p in self._sure):
            return True
        return self._referred(join, place)

    def _referred(self, join: exp.Join, place: int) -> bool:
        pairs: set[tuple[Attribute, str]] = set()
        for part in parts(join.args.get("on")):
            sides = [self.attribute(part.this), self.attribute(part.expression)] if isinstance(part, exp.EQ) else []
            mine = [s for s in sides if s is not None and s[0] == place]
            theirs = [s for s in sides if s is not None and s[0] != place]
            if len(mine) != 1 or len(theirs) != 1 or not self.filled(theirs[0]):
                return False
            pairs.add((theirs[0], mine[0][1]))
        if len({a[0] for a, _ in pairs}) != 1:
            return False
        child = self.items[next(iter(pairs))[0][0]]
        relation = self._names.shape.relations.get(child.name.lower()) if isinstance(child, exp.Table) else None
        wanted = {(a[1], column) for a, column in pairs}
        return relation is not None and any(
            r.table == join.this.name.lower() and set(zip(r.columns, r.references, strict=True)) == wanted
            for r in relation.references
        )

    def _place(self, item: exp.Expr) -> int:
        return next((n for n, own in enumerate(self.items) if own is item), -1)

    def _keys(self, place: int) -> Iterator[set[Attribute]]:
        item = self.items[place]
        if isinstance(item, exp.Table):
            relation = self._names.shape.relations.get(item.name.lower())
            for key in relation.keys if relation is not None else ():
                yield {(place, c) for c in key}
        elif isinstance(item, exp.Subquery) and isinstance(item.this, exp.Select):
            inner, shown = item.this, item.this.expressions
            group = inner.args.get("group")
            if group is not None:
                named = [next((e for e in shown if e.unalias() == g), None) for g in group.expressions]
                if all(e is not None for e in named):
                    yield {(place, e.alias_or_name.lower()) for e in named if e is not None}
            elif shown and all(isinstance(e.unalias(), exp.AggFunc) for e in shown):
                yield set()

    def _keyed(self, place: int, closed: set[Attribute]) -> bool:
        return any(key <= closed for key in self._keys(place))

    def _closed(self, closed: set[Attribute], conditions: list[exp.Expr]) -> set[Attribute]:
        """Add what equalities and keys determine."""
        rules = list(self._rules(conditions))
        while True:
            before = len(closed)
            closed |= {out for needs, out in rules if needs <= closed}
            for place, item in enumerate(self.items):
                if isinstance(item, exp.Table) and self._keyed(place, closed):
                    relation = self._names.shape.relations[item.name.lower()]
                    closed |= {(place, c) for c in relation.fields}
            if len(closed) == before:
                return closed

    def _rules(self, conditions: list[exp.Expr]) -> Iterator[tuple[set[Attribute], Attribute]]:
        for part in conditions:
            if not isinstance(part, exp.EQ):
                continue
            for one, two in ((part.this, part.expression), (part.expression, part.this)):
                out = self.attribute(one)
                if out is not None:
                    needs = {self.attribute(c) for c in two.find_all(exp.Column)}
                    yield {a for a in needs if a is not None}, out

    def _refused(self, part: exp.Expr, whole: bool) -> set[Attribute]:
        """Return the columns (or, if whole, the items as ``*``) that are not NULL where a condition holds."""
        node = part.unnest()
        if isinstance(node, exp.And):
            return self._refused(node.this, whole) | self._refused(node.expression, whole)
        if isinstance(node, exp.Or):
            return self._refused(node.this, whole) & self._refused(node.expression, whole)
        found: set[Attribute] = set()
        turned = node.this.unnest() if isinstance(node, exp.Not) else None
        if isinstance(node, _COMPARED) or isinstance(turned, _COMPARED):
            inner = turned if turned is not None else node
            found = self._strict(inner.this) | self._strict(inner.expression)
        elif isinstance(node, exp.Between):
            found = self._strict(node.this) | self._strict(node.args["low"]) | self._strict(node.args["high"])
        elif isinstance(node, exp.In):
            found = self._strict(node.this)
        elif isinstance(turned, exp.Between | exp.Is) or (isinstance(turned, exp.In) and turned.expressions):
            found = self._strict(turned.this) if not isinstance(turned, exp.Is) or _null(turned) else set()
        return {(place, "*") for place, _ in found} if whole else found

    def _strict(self, node: exp.Expr) -> set[Attribute]:
        """Return the columns without which an expression is NULL."""
        if isinstance(node, exp.Column):
            own = self.attribute(node)
            return set() if own is None else {own}
        if isinstance(node, _STRICT):
            return self._strict(node.this)
        if isinstance(node, _BOTH):
            return self._strict(node.this) | self._strict(node.expression)
        if isinstance(node, exp.Anonymous) and node.name.upper() in _CALLS:
            return {a for e in node.expressions for a in self._strict(e)}
        return set()


def _null(node: exp.Expr) -> bool:
    return isinstance(node.expression, exp.Null)
