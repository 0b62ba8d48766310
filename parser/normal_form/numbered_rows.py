"""Queries that number the rows of each group, read as the PER of the normal form: `first_of_each` the other way round.

    SELECT t.Name FROM (SELECT Name, Kind, ROW_NUMBER() OVER (PARTITION BY Kind ORDER BY Price DESC) AS n
    FROM Product) AS t WHERE t.n <= 3

    SELECT Product.Name FROM Product ORDER BY Product.Price DESC LIMIT 3 PER Product.Kind

In a tree PER is what sqlglot knows as ClickHouse's LIMIT 3 BY Kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from ...data.sql.parsing import words_of
from .sources import conjuncts, plain

__all__ = ["key_taken", "limited", "readable"]

_PER = re.compile(r"\bPER\b", re.IGNORECASE)

Span = tuple[exp.Expr | None, exp.Expr]
"""Rows that are passed over, None for none, and rows that are taken then."""


def readable(sql: str, dialect: str) -> str:
    """Return a query with a word that sqlglot reads in place of PER."""
    tokens = words_of(sql, dialect) if _PER.search(sql) else []
    for i in range(len(tokens) - 2, 1, -1):
        if tokens[i].text.upper() == "PER" and tokens[i - 2].text.upper() in ("LIMIT", "OFFSET"):
            return f"{sql[: tokens[i].start]}BY{sql[tokens[i].end + 1 :]}"
    return sql


def limited(tree: exp.Expr) -> exp.Expr:
    """Return a query with a LIMIT for each group where it takes numbered rows alone, as it was otherwise."""
    offset, limit = tree.args.get("offset"), tree.args.get("limit")
    if offset is not None and limit is not None and offset.expressions:
        limit.set("expressions", offset.expressions)
        offset.set("expressions", None)
    numbered = _Numbered.of(tree) if isinstance(tree, exp.Select) else None
    span = None if numbered is None else numbered.span()
    if numbered is None or span is None or not numbered.sorted_alike():
        return tree
    if any(_whole(number) is None and not isinstance(number, exp.Var) for number in span if number is not None):
        return tree  # neither a number nor a slot
    shown = [numbered.meant(output) for output in tree.expressions]
    if not all(shown):
        return tree
    inner, (past, most) = numbered.inner, span
    inner.set("expressions", [output.copy() for output in shown if output is not None])
    inner.set("order", numbered.window.args["order"])
    inner.set("limit", exp.Limit(expression=most.copy(), expressions=[numbered.key]))
    inner.set("offset", None if past is None else exp.Offset(expression=past.copy()))
    return inner


def key_taken(tree: exp.Expr) -> exp.Expr | None:
    """Take what tells the groups apart out of a query's LIMIT, and return it; None if there is none."""
    limit = tree.args.get("limit")
    keys = limit.expressions if limit is not None else []
    if limit is not None:
        limit.set("expressions", None)
    return keys[0] if keys else None


@dataclass(frozen=True)
class _Numbered:
    """A query of one derived table that numbers its rows.

    Attributes:
        outer: the query.
        inner: the derived table.
        called: its name, in lower case.
        shows: its other columns by their names, in lower case.
        number: the name of the number, in lower case.
        window: what numbers the rows.
    """

    outer: exp.Select
    inner: exp.Select
    called: str
    shows: Mapping[str, exp.Expr]
    number: str
    window: exp.Window

    @classmethod
    def of(cls, outer: exp.Select) -> _Numbered | None:
        """Take a query apart, None if it is another one."""
        start, clauses = outer.args.get("from_"), ("joins", "group", "having", "distinct", "limit", "offset", "with_")
        derived = start.this if start is not None else None
        if not isinstance(derived, exp.Subquery) or any(outer.args.get(clause) for clause in clauses):
            return None
        inner, clauses = derived.this, ("distinct", "order", "limit", "offset", "with_")
        if not isinstance(inner, exp.Select) or any(inner.args.get(clause) for clause in clauses):
            return None
        shows = {output.alias_or_name.lower(): output.unalias() for output in inner.expressions}
        windows = [name for name, output in shows.items() if output.find(exp.Window)]
        window = shows.pop(windows[0]) if len(windows) == 1 and len(shows) == len(inner.expressions) else None
        if not isinstance(window, exp.Window) or not isinstance(window.this, exp.RowNumber):
            return None
        keys = window.args.get("partition_by") or []
        if len(keys) != 1 or not isinstance(keys[0], exp.Column) or not window.args.get("order"):
            return None
        return cls(outer, inner, derived.alias.lower(), shows, windows[0], window)

    @property
    def key(self) -> exp.Column:
        """Return what tells the groups apart."""
        return self.window.args["partition_by"][0]

    def meant(self, output: exp.Expr) -> exp.Expr | None:
        """Return what a column of the derived table is within it, None for the number and what is no column of it."""
        column = plain(output.unalias())
        owned = isinstance(column, exp.Column) and column.table.lower() in ("", self.called)
        return self.shows.get(column.name.lower()) if owned else None

    def _is_number(self, node: exp.Expr) -> bool:
        return isinstance(node, exp.Column) and node.name.lower() == self.number

    def sorted_alike(self) -> bool:
        """Say whether the rows are in no order, or in that of PER: by group, and in each as they are numbered."""
        order = self.outer.args.get("order")
        if order is None:
            return True
        first, *others = order.expressions
        if self.meant(first.this) != self.key or first.args.get("desc"):
            return False
        if len(others) == 1 and self._is_number(plain(others[0].this)):
            return not others[0].args.get("desc")
        terms = self.window.args["order"].expressions[: len(others)]
        told = [(self.meant(one.this), bool(one.args.get("desc"))) for one in others]
        return told == [(plain(term.this), bool(term.args.get("desc"))) for term in terms]

    def span(self) -> Span | None:
        """Return which rows of each group are taken, None if that is not told by their number alone."""
        where = self.outer.args.get("where")
        bounds = [bound for one in conjuncts(where.this if where else None) for bound in self._bounds(plain(one))]
        match bounds:
            case [("<=", most)]:
                return None, most
            case [("<", most)] if (last := _whole(most)) is not None:
                return None, _number(last - 1)
            case [("=", place)] if (one := _whole(place)) is not None:
                return (None if one == 1 else _number(one - 1)), _number(1)
            case [(">", past), ("<=", last)]:
                return _between(past, last)
            case [(">=", first), ("<=", last)] if (begin := _whole(first)) is not None:
                return _between(_number(begin - 1), last)
            case _:
                return None

    def _bounds(self, condition: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
        """Yield what a condition asks of the number, and something that has no meaning of any other one."""
        sign = _SIGNS.get(type(condition), "")
        if not self._is_number(plain(condition.this)):
            yield "", condition
        elif isinstance(condition, exp.Between):
            yield ">=", plain(condition.args["low"])
            yield "<=", plain(condition.args["high"])
        else:
            yield sign, plain(condition.expression) if sign else condition


_SIGNS: Mapping[type[exp.Expr], str] = {exp.LTE: "<=", exp.LT: "<", exp.EQ: "=", exp.GT: ">", exp.GTE: ">="}


def _between(past: exp.Expr, last: exp.Expr) -> Span | None:
    """Return the rows behind one number up to another: behind m, up to m + n."""
    if isinstance(last, exp.Add):
        return (past, plain(last.expression)) if plain(last.this) == past else None
    begin, end = _whole(past), _whole(last)
    if begin is None or end is None or end <= begin:
        return None
    return (_number(begin) if begin else None), _number(end - begin)


def _whole(node: exp.Expr) -> int | None:
    """Return the whole number that is written out, None for anything else."""
    return int(node.name) if isinstance(node, exp.Literal) and node.is_int else None


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)
