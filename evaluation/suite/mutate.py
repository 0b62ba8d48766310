"""Mutants: a gold query with one thing changed, as a parser might get it wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from .names import NameResolver
from .neighbours import DAY, Value, is_time, other, shifted
from .shape import Place

__all__ = ["KINDS", "Mutant", "mutants"]

KINDS = (
    *("comparison", "aggregate", "column", "constant", "distinct", "order", "limit", "connective"),
    *("join", "set operation", "condition", "between", "arithmetic", "grouping"),
)
_COLUMNS = 3  # other columns tried in place of one
_COMPARISONS: dict[type[exp.Expr], tuple[type[exp.Expr], ...]] = {
    exp.EQ: (exp.NEQ, exp.LTE, exp.GTE),
    exp.NEQ: (exp.EQ, exp.LT, exp.GT),
    exp.LT: (exp.LTE, exp.GT, exp.EQ),
    exp.LTE: (exp.LT, exp.GTE, exp.EQ),
    exp.GT: (exp.GTE, exp.LT, exp.EQ),
    exp.GTE: (exp.GT, exp.LTE, exp.EQ),
}
_NUMERIC = (exp.Sum, exp.Avg, exp.Min, exp.Max)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div)
_SETS = (exp.Union, exp.Intersect, exp.Except)

Known = Mapping[Place, Sequence[Value]]
"""The constants that gold queries compare each column with."""


@dataclass(frozen=True)
class Mutant:
    """One changed query.

    Attributes:
        kind: what was changed, one of `KINDS`.
        tree: the changed query's syntax tree.
        sql: its text in the dialect of the gold query.
    """

    kind: str
    tree: exp.Expr
    sql: str


def mutants(tree: exp.Expr, *, dialect: str, names: NameResolver, known: Known, seed: int = 0) -> list[Mutant]:
    """Return the mutants of a query; no two have the same text, and none the query's own.

    Args:
        tree: of the gold query, values filled in; it is left as it is.
        dialect: of its text.
        names: of its schema.
        known: constants of all gold queries, for another entity in place of one.
        seed: chooses among many columns and entities.
    """
    own = tree.sql(dialect=dialect)
    maker = _Maker(names, known, random.Random(f"{seed} {own}"))
    made: dict[str, Mutant] = {own: Mutant("", tree, own)}
    nodes = list(tree.walk())
    for place, node in enumerate(nodes):
        for kind, edit in maker.edits(node):
            changed = tree.copy()
            twin = next(n for i, n in enumerate(changed.walk()) if i == place)
            changed = edit(twin) or changed
            sql = changed.sql(dialect=dialect)
            made.setdefault(sql, Mutant(kind, changed, sql))
    return list(made.values())[1:]


Edit = Callable[[Any], exp.Expr | None]
"""Changes a node in place; returns the whole tree anew if that node was its root."""


class _Maker:
    """Names the edits of each node."""

    def __init__(self, names: NameResolver, known: Known, draw: random.Random) -> None:
        self._names, self._known, self._draw = names, known, draw

    def edits(self, node: exp.Expr) -> Iterator[tuple[str, Edit]]:
        """Yield kind and edit."""
        for kind, edits in (
            ("comparison", self._comparison),
            ("aggregate", self._aggregate),
            ("column", self._column),
            ("constant", self._constant),
            ("distinct", self._distinct),
            ("order", self._order),
            ("limit", self._limit),
            ("connective", self._connective),
            ("join", self._join),
            ("set operation", self._set),
            ("condition", self._condition),
            ("between", self._between),
            ("arithmetic", self._arithmetic),
            ("grouping", self._grouping),
        ):
            for edit in edits(node):
                yield kind, edit

    def _comparison(self, node: exp.Expr) -> Iterator[Edit]:
        for to in _COMPARISONS.get(type(node), ()):
            yield lambda n, to=to: _replaced(n, to(this=n.this, expression=n.expression))
        if isinstance(node, exp.In | exp.Like | exp.Exists | exp.Is | exp.Between):
            if isinstance(node.parent, exp.Not):
                yield lambda n: _replaced(n.parent, n)
            else:
                yield lambda n: _replaced(n, exp.Not(this=n.copy()))
        if isinstance(node, exp.Like):
            yield lambda n: _replaced(n, exp.EQ(this=n.this, expression=n.expression))

    def _aggregate(self, node: exp.Expr) -> Iterator[Edit]:
        if not isinstance(node, exp.Count | exp.Sum | exp.Avg | exp.Min | exp.Max):
            return
        inner = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
        if isinstance(inner, exp.Star) or inner is None or (isinstance(inner, exp.Literal)):
            return
        numeric = self._names.kind(inner) in {"integer", "real"}
        group = (*_NUMERIC, exp.Count) if numeric else (exp.Min, exp.Max, exp.Count)
        for to in group:
            if type(node) is not to:
                yield lambda n, to=to: _replaced(n, to(this=n.this))

    def _column(self, node: exp.Expr) -> Iterator[Edit]:
        base = self._names.base(node) if isinstance(node, exp.Column) else None
        item = self._names.source(node) if isinstance(node, exp.Column) else None
        if base is None or not isinstance(item, exp.Table) or isinstance(node.this, exp.Star):
            return
        relation = self._names.shape.relations[base[0]]
        kind = relation.fields[base[1]].kind
        alike = [f for n, f in relation.fields.items() if n != base[1] and _alike(f.kind, kind)]
        for field in alike if len(alike) <= _COLUMNS else self._draw.sample(alike, _COLUMNS):
            yield lambda n, name=field.name: n.set("this", exp.to_identifier(name))

    def _constant(self, node: exp.Expr) -> Iterator[Edit]:
        if not isinstance(node, exp.Literal) or isinstance(node.parent, exp.Limit | exp.Offset):
            return
        for value in self._beside(node):
            yield lambda n, value=value: n.set("this", value)

    def _beside(self, node: exp.Literal) -> list[str]:
        text = str(node.this)
        if not node.is_string:
            one = 1 if "." not in text else 10 ** -len(text.rpartition(".")[2])
            number = float(text) if "." in text else int(text)
            near = [number + one, number - one] if number >= one else [number + one]
            return [f"{n:.{len(text.rpartition('.')[2])}f}" if "." in text else str(n) for n in near]
        if is_time(text):
            return [shifted(text, DAY), shifted(text, -DAY)]
        if isinstance(node.parent, exp.Like):
            parts = [text.removeprefix("%"), text.removesuffix("%"), f"%{text}", f"{text}%"]
            return [p for p in parts if p != text and p.strip("%") and "%%" not in p]
        column = _compared(node)
        places = [] if column is None else self._names.places(column)
        known = [v for p in places for v in self._known.get(p, ()) if isinstance(v, str) and v != text]
        entity = [self._draw.choice(known)] if known else []
        return [*entity, other(text)]

    def _distinct(self, node: exp.Expr) -> Iterator[Edit]:
        if isinstance(node, exp.Select):
            flag = None if node.args.get("distinct") else exp.Distinct()
            yield lambda n: n.set("distinct", flag)
        if isinstance(node, exp.Count | exp.Sum | exp.Avg):
            if isinstance(node.this, exp.Distinct) and len(node.this.expressions) == 1:
                yield lambda n: n.set("this", n.this.expressions[0])
            elif isinstance(node.this, exp.Expr) and not isinstance(node.this, exp.Star | exp.Literal | exp.Distinct):
                yield lambda n: n.set("this", exp.Distinct(expressions=[n.this]))

    def _order(self, node: exp.Expr) -> Iterator[Edit]:
        if isinstance(node, exp.Ordered):
            yield _turn
            if isinstance(node.parent, exp.Order):
                yield _drop_listed

    def _limit(self, node: exp.Expr) -> Iterator[Edit]:
        if not isinstance(node, exp.Limit) or not isinstance(node.expression, exp.Literal):
            return
        count = int(node.expression.this)
        for to in (count + 1, count - 1):
            if to > 0:
                yield lambda n, to=to: n.set("expression", exp.Literal.number(to))
        yield _drop

    def _connective(self, node: exp.Expr) -> Iterator[Edit]:
        if isinstance(node, exp.And | exp.Or):
            to = exp.Or if isinstance(node, exp.And) else exp.And
            yield lambda n: _replaced(n, to(this=_wrapped(n.this), expression=_wrapped(n.expression)))

    def _join(self, node: exp.Expr) -> Iterator[Edit]:
        if not isinstance(node, exp.Join) or node.args.get("on") is None:
            return
        if node.side == "LEFT":
            yield lambda n: _joined(n, None)
        elif not node.side:
            yield lambda n: _joined(n, "LEFT")

    def _set(self, node: exp.Expr) -> Iterator[Edit]:
        if not isinstance(node, exp.SetOperation):
            return
        for to in _SETS:
            if not isinstance(node, to):
                yield lambda n, to=to: _replaced(n, to(**{**n.args, "distinct": True}))
        if isinstance(node, exp.Union):
            yield lambda n: n.set("distinct", not n.args.get("distinct"))

    def _condition(self, node: exp.Expr) -> Iterator[Edit]:
        if isinstance(node, exp.Where | exp.Having) and not isinstance(node.this, exp.And):
            yield _drop
        if isinstance(node, exp.And | exp.Or):
            yield lambda n: _replaced(n, n.this)
            yield lambda n: _replaced(n, n.expression)

    def _between(self, node: exp.Expr) -> Iterator[Edit]:
        if not isinstance(node, exp.Between):
            return
        for low, high in ((exp.GT, exp.LTE), (exp.GTE, exp.LT)):
            yield lambda n, low=low, high=high: _replaced(
                n,
                exp.paren(
                    exp.And(
                        this=low(this=n.this.copy(), expression=n.args["low"]),
                        expression=high(this=n.this.copy(), expression=n.args["high"]),
                    )
                ),
            )

    def _arithmetic(self, node: exp.Expr) -> Iterator[Edit]:
        if not isinstance(node, _ARITHMETIC) or isinstance(node.expression, exp.Interval):
            return
        for to in _ARITHMETIC:
            if type(node) is not to:
                yield lambda n, to=to: _replaced(n, to(this=_wrapped(n.this), expression=_wrapped(n.expression)))

    def _grouping(self, node: exp.Expr) -> Iterator[Edit]:
        if not isinstance(node, exp.Group):
            return
        if len(node.expressions) == 1:
            yield _drop
        else:
            for place in range(len(node.expressions)):
                yield lambda n, place=place: n.set(
                    "expressions", [e for i, e in enumerate(n.expressions) if i != place]
                )


def _replaced(node: exp.Expr, new: exp.Expr) -> exp.Expr | None:
    if node.parent is None:
        return new
    node.replace(new)
    return None


def _drop(node: exp.Expr) -> None:
    node.pop()


def _joined(node: exp.Expr, side: str | None) -> None:
    node.set("side", side)
    node.set("kind", None)


def _turn(node: exp.Expr) -> None:
    node.set("desc", not node.args.get("desc"))
    node.set("nulls_first", not node.args.get("nulls_first"))  # they stay at the end where the dialect has them


def _drop_listed(node: exp.Expr) -> None:
    order = node.parent
    if order is None:
        return
    if len(order.expressions) == 1:
        order.pop()
    else:
        order.set("expressions", [e for e in order.expressions if e is not node])


def _wrapped(node: exp.Expr) -> exp.Expr:
    return exp.paren(node.copy()) if isinstance(node, (exp.Connector, *_ARITHMETIC)) else node.copy()


def _compared(node: exp.Literal) -> exp.Expr | None:
    """Return what a literal is compared with."""
    parent = node.parent
    if isinstance(parent, exp.In):
        return parent.this
    if isinstance(parent, exp.Binary):
        return parent.this if parent.expression is node else parent.expression
    return None


def _alike(one: str, two: str) -> bool:
    numbers, times = {"integer", "real"}, {"date", "time"}
    return one == two or {one, two} <= numbers or {one, two} <= times
