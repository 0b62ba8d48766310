"""The first k rows of each group: PER in the normal form, numbered rows in a derived table for engines.

    SELECT Product.Name FROM Product ORDER BY Product.Price DESC LIMIT 3 PER Product.Kind

    SELECT t1.Name FROM (SELECT Product.Name, Product.Kind, ROW_NUMBER() OVER
    (PARTITION BY Product.Kind ORDER BY Product.Price DESC) AS c1 FROM Product) AS t1
    WHERE t1.c1 <= 3 ORDER BY t1.Kind, t1.c1

`with_limit_by` turns the second form into the first, and `with_row_numbers` the first into the second. In a tree PER is
sqlglot's node for ClickHouse's LIMIT 3 BY Kind.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from sqlglot import exp

from ...data.schema.later_uses import names_in
from ...data.schema.schema import Schema
from ...data.sql.query import Query
from ...data.sql.sources import conjuncts, is_column
from .words import derived_name, output_name

Span = tuple[exp.Expr | None, exp.Expr]
"""The number of rows that are skipped, None for zero, and the number of rows that are taken."""


def for_engines(query: Query, schema: Schema) -> Query:
    """Return a query with numbered rows in place of PER; any other query is returned as is."""
    return query.rewritten([lambda tree: with_row_numbers(tree, schema)]) if " PER " in query.slotted else query


def with_row_numbers(query: exp.Query, schema: Schema) -> exp.Query:
    """Return a query with LIMIT BY in the form of a derived table with numbered rows; any other is returned as is.

    A query with a star or DISTINCT is returned as is, too; the grammar has no PER there.
    """
    past, limit, order = query.args.get("offset"), query.args.get("limit"), query.args.get("order")
    key = next((key for end in (limit, past) if isinstance(end, exp.Expr) for key in end.expressions), None)
    outputs = [one.unalias() for one in query.expressions]
    starred = any(one.is_star and not isinstance(one, exp.Count) for one in outputs)
    if key is None or order is None or query.args.get("distinct") or starred:
        return query
    columns = list(dict.fromkeys([*outputs, key]))
    taken = {one.name.lower() for one in query.find_all(exp.Identifier)}
    known = taken | {column.name.lower() for _, column in schema.columns()}
    times = Counter(column.name.lower() for column in columns if is_column(column))
    fresh = iter([exp.to_identifier(output_name(place, known)) for place in range(1, len(columns) + 2)])
    names = {one: one.this if is_column(one) and times[one.name.lower()] == 1 else next(fresh) for one in columns}
    number, table = next(fresh), exp.to_identifier(derived_name(1, taken | set(names_in(schema))))

    def of(name: exp.Identifier) -> exp.Column:
        return exp.Column(this=name.copy(), table=table.copy())

    window = exp.Window(this=exp.RowNumber(), partition_by=[key.copy()], order=order.copy(), over="OVER")
    inner = query.copy()
    named = [one.copy() if is_column(one) and names[one] is one.this else exp.alias_(one.copy(), names[one].copy())
             for one in columns]  # fmt: skip
    inner.set("expressions", [*named, exp.alias_(window, number.copy())])
    for clause in ("order", "limit", "offset"):
        inner.set(clause, None)
    most = query.args["limit"].expression
    last, whole = most.copy(), None if past is None else (_whole(past.expression), _whole(most))
    if past is not None:  # the number of the last row is one number where both are numbers, which slots are not
        last = exp.Add(this=past.expression.copy(), expression=last)
    if whole is not None and whole[0] is not None and whole[1] is not None:
        last = exp.Literal.number(whole[0] + whole[1])
    spans = [] if past is None else [exp.GT(this=of(number), expression=past.expression.copy())]
    # an output keeps the name of its column, though several have that name
    renamed = [exp.alias_(of(names[one]), one.this.copy()) if is_column(one) and one.this is not names[one]
               else of(names[one]) for one in outputs]  # fmt: skip
    outer = exp.Select(expressions=renamed)
    outer.set("from_", exp.From(this=exp.Subquery(this=inner, alias=exp.TableAlias(this=table.copy()))))
    outer.set("where", exp.Where(this=exp.and_(*spans, exp.LTE(this=of(number), expression=last), copy=False)))
    first = order.expressions[0].args
    nulls = bool(first.get("nulls_first")) != bool(first.get("desc"))  # the default of the dialect
    terms = [exp.Ordered(this=of(name), nulls_first=nulls) for name in (names[key], number)]
    outer.set("order", exp.Order(expressions=terms))
    return outer


def with_limit_by(tree: exp.Expr) -> exp.Expr:
    """Return the query from which `with_row_numbers` makes this one; any other query is returned as is.

    The outer query may lack its ORDER BY, and an offset may be a number or a slot.
    """
    start = tree.args.get("from_")
    derived = start.this if start is not None else None
    inner = derived.this if isinstance(derived, exp.Subquery) else None
    clauses = ("distinct", "limit", "offset", "with_")
    if not isinstance(tree, exp.Select) or _has(tree, "joins", "group", "having", *clauses):
        return tree
    if derived is None or not isinstance(inner, exp.Select) or _has(inner, "order", *clauses):
        return tree
    shows = {output.alias_or_name.lower(): output.unalias() for output in inner.expressions}
    windows = [output for output in shows.values() if output.find(exp.Window)]
    window = windows[0] if len(windows) == 1 and len(shows) == len(inner.expressions) else exp.Null()
    keys = window.args.get("partition_by") if isinstance(window.this, exp.RowNumber) else None
    if not keys or len(keys) > 1 or not is_column(keys[0]) or not window.args.get("order"):
        return tree

    def output_of(node: exp.Expr) -> exp.Expr | None:
        """Return the output of the derived table that a column stands for, None for any other node."""
        column = node.unnest()
        owned = isinstance(column, exp.Column) and column.table.lower() in ("", derived.alias.lower())
        return shows.get(column.name.lower()) if owned else None

    order = tree.args.get("order")
    sorting = [(output_of(term.this), bool(term.args.get("desc"))) for term in order.expressions] if order else []
    span = _span(conjuncts(tree.args.get("where")), lambda node: output_of(node) is window)
    outputs = [output_of(output.unalias()) for output in tree.expressions]
    if span is None or sorting not in ([], [(keys[0], False), (window, False)]) or None in outputs or window in outputs:
        return tree
    past, most = span
    inner.set("expressions", [output.copy() for output in outputs if output is not None])
    inner.set("order", window.args["order"])
    limit, offset = exp.Limit(expression=most.copy()), None if past is None else exp.Offset(expression=past.copy())
    (offset or limit).set("expressions", [keys[0]])  # behind what is written last
    inner.set("limit", limit)
    inner.set("offset", offset)
    return inner


def _has(select: exp.Select, *clauses: str) -> bool:
    return any(select.args.get(clause) for clause in clauses)


def _span(conditions: Sequence[exp.Expr], is_number: Callable[[exp.Expr], bool]) -> Span | None:
    """Return the rows of each group that conditions select: up to n, or from m + 1 to m + n; None for any others."""
    if not all(isinstance(one, exp.LTE | exp.GT) and is_number(one.this) for one in conditions):
        return None
    span: Span | None = None
    match [(type(one), one.expression.unnest()) for one in conditions]:
        case [(exp.LTE, last)]:
            span = None, last
        case [(exp.GT, past), (exp.LTE, exp.Add() as last)] if last.this.unnest() == past:
            span = past, last.expression.unnest()
        case [(exp.GT, past), (exp.LTE, last)] if (begin := _whole(past)) and (end := _whole(last)) and end > begin:
            span = past, exp.Literal.number(end - begin)
        case _:
            pass
    plain = all(part is None or _whole(part) is not None or isinstance(part, exp.Placeholder) for part in span or ())
    return span if plain else None


def _whole(node: exp.Expr) -> int | None:
    """Return the value of an integer literal, None for any other node."""
    return int(node.name) if isinstance(node, exp.Literal) and node.is_int else None
