"""The first k rows of each group: PER in the normal form, numbered rows in a derived table for engines.

    SELECT Product.Name FROM Product ORDER BY Product.Price DESC LIMIT 3 PER Product.Kind

    SELECT t1.Name FROM (SELECT Product.Name, Product.Kind, ROW_NUMBER() OVER
    (PARTITION BY Product.Kind ORDER BY Product.Price DESC) AS c1 FROM Product) AS t1
    WHERE t1.c1 <= 3 ORDER BY t1.Kind, t1.c1

`with_limit_by` reads the second as the first, `with_row_numbers` writes the first as the second. In a tree PER is what
sqlglot knows as ClickHouse's LIMIT 3 BY Kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from ...data.schema.later_uses import names_in
from ...data.schema.schema import Schema
from ...data.sql.query import Query
from ...data.sql.scopes import conjuncts, is_column
from .words import derived_name, output_name

__all__ = ["for_engines", "with_limit_by", "with_row_numbers"]

Span = tuple[exp.Expr | None, exp.Expr]
"""The number of rows that are passed over, None for none, and of those that are taken then."""


def for_engines(query: Query, schema: Schema) -> Query:
    """Return a query of the grammar without PER, whose rows are numbered instead; any other query is returned as is."""
    return query.rewritten([lambda tree: with_row_numbers(tree, schema)]) if " PER " in query.slotted else query


def with_row_numbers(query: exp.Query, schema: Schema) -> exp.Query:
    """Return a query with LIMIT BY as one of a derived table that numbers its rows; any other query is returned as is.

    Beside a star or DISTINCT the grammar has no PER; such a query is returned as is, too, and no engine takes it.
    """
    key, order, outputs = _limit_key(query), query.args.get("order"), [one.unalias() for one in query.expressions]
    if key is None or order is None or query.args.get("distinct") or any(map(_is_star, outputs)):
        return query
    columns = list(dict.fromkeys([*outputs, key]))
    taken = {one.name.lower() for one in query.find_all(exp.Identifier)}
    known = taken | {column.name.lower() for _, column in schema.columns()}
    times = Counter(_column_name(column).lower() for column in columns)
    names, places = dict[exp.Expr, exp.Identifier](), iter(range(1, len(columns) + 2))
    for column in columns:
        alone = is_column(column) and times[_column_name(column).lower()] == 1
        names[column] = column.this if alone else exp.to_identifier(output_name(next(places), known))
    number = exp.to_identifier(output_name(next(places), known))
    table = exp.to_identifier(derived_name(1, taken | set(names_in(schema))))
    window = exp.Window(this=exp.RowNumber(), partition_by=[key.copy()], order=order.copy(), over="OVER")
    inner = query.copy()
    shown = [one.copy() if is_column(one) and names[one] is one.this else exp.alias_(one.copy(), names[one].copy())
             for one in columns]  # fmt: skip
    inner.set("expressions", [*shown, exp.alias_(window, number.copy())])
    for clause in ("order", "limit", "offset"):
        inner.set(clause, None)

    def of(name: exp.Identifier) -> exp.Column:
        return exp.Column(this=name.copy(), table=table.copy())

    past, most = query.args.get("offset"), query.args["limit"].expression
    last = most if past is None else _sum(past.expression, most)
    spans: list[exp.Expr] = [exp.LTE(this=of(number), expression=last.copy())]
    if past is not None:
        spans.insert(0, exp.GT(this=of(number), expression=past.expression.copy()))
    outer = exp.Select(expressions=[_renamed(of(names[one]), one) for one in outputs])
    outer.set("from_", exp.From(this=exp.Subquery(this=inner, alias=exp.TableAlias(this=table.copy()))))
    outer.set("where", exp.Where(this=exp.and_(*spans, copy=False)))
    first = order.expressions[0].args
    nulls = bool(first.get("nulls_first")) != bool(first.get("desc"))  # as the dialect has it where nobody says
    terms = [exp.Ordered(this=of(name), nulls_first=nulls) for name in (names[key], number)]
    outer.set("order", exp.Order(expressions=terms))
    return outer


def _limit_key(query: exp.Query) -> exp.Expr | None:
    """Return the column that tells the groups of a LIMIT BY apart; sqlglot keeps it where the clause ends."""
    ends = [query.args.get("limit"), query.args.get("offset")] if isinstance(query, exp.Select) else []
    return next((key for end in ends if end is not None for key in end.expressions), None)


def _is_star(output: exp.Expr) -> bool:
    return output.is_star and not isinstance(output, exp.Count)


def _column_name(node: exp.Expr) -> str:
    return node.name if is_column(node) else ""


def _renamed(column: exp.Column, output: exp.Expr) -> exp.Expr:
    """Return a column of the derived table under the name that its output had, though several have that name."""
    name = _column_name(output)
    return column if name in ("", column.name) else exp.alias_(column, output.this.copy())


def _sum(past: exp.Expr, most: exp.Expr) -> exp.Expr:
    """Return the number of the last row: one number where both are numbers, which slots are not."""
    one, other = _whole(past), _whole(most)
    return exp.Add(this=past.copy(), expression=most.copy()) if one is None or other is None else _number(one + other)


def with_limit_by(tree: exp.Expr) -> exp.Expr:
    """Return a query of numbered rows as one with a LIMIT for each group; any other query is returned as is."""
    numbered = _Numbered.of(tree) if isinstance(tree, exp.Select) else None
    span = None if numbered is None else numbered.span()
    if numbered is None or span is None or not numbered.sorted_alike():
        return tree
    if any(_whole(number) is None and not isinstance(number, exp.Placeholder) for number in span if number is not None):
        return tree  # neither a number nor a slot
    shown = [numbered.meant(output) for output in tree.expressions]
    if not all(shown):
        return tree
    inner, (past, most) = numbered.inner, span
    inner.set("expressions", [output.copy() for output in shown if output is not None])
    inner.set("order", numbered.window.args["order"])
    limit, offset = exp.Limit(expression=most.copy()), None if past is None else exp.Offset(expression=past.copy())
    (offset or limit).set("expressions", [numbered.key])  # behind what is written last
    inner.set("limit", limit)
    inner.set("offset", offset)
    return inner


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
        column = output.unalias().unnest()
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
        if len(others) == 1 and self._is_number(others[0].this.unnest()):
            return not others[0].args.get("desc")
        terms = self.window.args["order"].expressions[: len(others)]
        told = [(self.meant(one.this), bool(one.args.get("desc"))) for one in others]
        return told == [(term.this.unnest(), bool(term.args.get("desc"))) for term in terms]

    def span(self) -> Span | None:
        """Return which rows of each group are taken, None if that is not told by their number alone."""
        where = self.outer.args.get("where")
        bounds = [bound for one in conjuncts(where.this if where else None) for bound in self._bounds(one.unnest())]
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
        if not self._is_number(condition.this.unnest()):
            yield "", condition
        elif isinstance(condition, exp.Between):
            yield ">=", condition.args["low"].unnest()
            yield "<=", condition.args["high"].unnest()
        else:
            yield sign, condition.expression.unnest() if sign else condition


_SIGNS: Mapping[type[exp.Expr], str] = {exp.LTE: "<=", exp.LT: "<", exp.EQ: "=", exp.GT: ">", exp.GTE: ">="}


def _between(past: exp.Expr, last: exp.Expr) -> Span | None:
    """Return the rows behind one number up to another: behind m, up to m + n."""
    if isinstance(last, exp.Add):
        return (past, last.expression.unnest()) if last.this.unnest() == past else None
    begin, end = _whole(past), _whole(last)
    if begin is None or end is None or end <= begin:
        return None
    return (_number(begin) if begin else None), _number(end - begin)


def _whole(node: exp.Expr) -> int | None:
    """Return the whole number that is written out, None for anything else."""
    return int(node.name) if isinstance(node, exp.Literal) and node.is_int else None


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)
