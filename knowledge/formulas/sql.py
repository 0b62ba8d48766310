"""SQL expressions of other people, as right sides of formulas."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from sqlglot import exp

from ...data.sql.parsing import PARSE_ERRORS, read_tree, told_error
from .expression import AGGREGATES, DAYS, ExpressionError

__all__ = [
    "Resolve",
    "bound",
    "case_of",
    "column",
    "counted",
    "filtered",
    "last_part",
    "named",
    "text_of",
]

Resolve = Callable[[str, str], exp.Expr]
"""(qualifier or nothing, name) -> what a name of an expression stands for."""

_NUMERIC = {
    exp.DataType.Type.DOUBLE,
    exp.DataType.Type.FLOAT,
    exp.DataType.Type.DECIMAL,
    exp.DataType.Type.UBIGINT,
}


def bound(text: str, resolve: Resolve) -> exp.Expr:
    """Return an expression whose names are replaced by what they stand for.

    Raises:
        ExpressionError: it does not parse, or is more than one expression.
    """
    try:
        parsed = read_tree(f"SELECT {text}", "mysql" if "`" in text else "")
    except PARSE_ERRORS as error:
        raise ExpressionError(f"{text!r} is no SQL expression: {told_error(error)}") from None
    told = {key for key, value in parsed.args.items() if value}
    if not isinstance(parsed, exp.Select) or told != {"expressions"} or len(parsed.expressions) != 1:
        raise ExpressionError(f"{text!r} is not one expression")

    def replaced(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        found = resolve(node.table, node.name).copy()
        inside = isinstance(node.parent, (exp.Binary, exp.Unary, exp.Between, exp.In))
        return exp.paren(found) if inside and isinstance(found, (exp.Binary, exp.Not, exp.Between, exp.In)) else found

    whole = parsed.transform(replaced)
    for node in reversed(list(whole.walk())):  # what stands inside before what it stands in
        if (said := _tidy(node)) is not node:
            node.replace(said)
    return whole.expressions[0].unalias()


def text_of(tree: exp.Expr) -> str:
    """Return an expression as a formula's right side."""
    return tree.sql(dialect="sqlite", comments=False)


def column(table: str, name: str) -> exp.Expr:
    """Return a column of a table as a concept."""
    return exp.Column(this=_identifier(name), table=_identifier(table) if table else None)


def named(name: str) -> exp.Expr:
    """Return a concept or formula by its name."""
    return exp.Column(this=_identifier(name))


def filtered(tree: exp.Expr, condition: exp.Expr) -> exp.Expr:
    """Return an expression whose aggregates see only the rows of a condition.

    Raises:
        ExpressionError: it has no aggregate.
    """
    if not tree.find(*AGGREGATES):
        raise ExpressionError(f"{text_of(tree)!r} has no aggregate that could be filtered")
    return tree.copy().transform(lambda node: _counting(node, condition) if isinstance(node, AGGREGATES) else node)


def counted(tree: exp.Expr, rows: str) -> exp.Expr:
    """Return an expression that says whose rows it counts, where it names no column.

    Args:
        rows: a table, or its key as table.column.

    Raises:
        ExpressionError: nobody knows whose rows these are.
    """
    if tree.find(exp.Column):
        return tree
    if not rows:
        raise ExpressionError(f"{text_of(tree)!r} names no column; count a key")
    table, _, key = rows.rpartition(".")

    def replaced(node: exp.Expr) -> exp.Expr:
        rowwise = isinstance(node, exp.Sum) and isinstance(node.this, exp.Literal) and node.this.name == "1"
        if rowwise or (isinstance(node, exp.Count) and isinstance(node.this, (exp.Star, exp.Literal))):
            return exp.Count(this=column(table, key) if table else named(key))
        return node

    return tree.copy().transform(replaced)


def last_part(name: str) -> str:
    """Return a table's own name, of one with database and schema before."""
    return name.rpartition(".")[2].strip('"`[] ')


def _counting(node: exp.Expr, condition: exp.Expr) -> exp.Expr:
    """Return an aggregate of the rows where a condition holds."""
    inner = node.this
    if isinstance(inner, exp.Distinct):
        return type(node)(this=exp.Distinct(expressions=[case_of(condition, one) for one in inner.expressions]))
    return type(node)(this=case_of(condition, exp.Literal.number(1) if isinstance(inner, exp.Star) else inner))


def case_of(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    """Return a value where a condition holds, and nothing elsewhere."""
    if isinstance(value, exp.Case) and not value.args.get("default") and len(value.args["ifs"]) == 1:
        (branch,) = value.args["ifs"]
        both = exp.and_(condition.copy(), branch.this.copy(), copy=False)
        return exp.Case(ifs=[exp.If(this=both, true=branch.args["true"].copy())])
    return exp.Case(ifs=[exp.If(this=condition.copy(), true=value.copy())])


def _tidy(node: exp.Expr) -> exp.Expr:
    """Return a node as formulas write it; what they cannot say is left, and refused when they are parsed."""
    if isinstance(node, exp.Div):  # decimal, and NULL by zero, wherever it came from
        node.set("typed", True)
        node.set("safe", True)
        if isinstance(node.expression, exp.Nullif) and node.expression.expression.name == "0":
            node.set("expression", node.expression.this)
    needless = isinstance(node, exp.Paren) and isinstance(node.this, (exp.Column, exp.Paren, exp.Literal, exp.Func))
    if needless or (isinstance(node, (exp.Cast, exp.TryCast)) and node.to.this in _NUMERIC):
        return node.this
    return _said_otherwise(node)


def _said_otherwise(node: exp.Expr) -> exp.Expr:
    """Return what formulas have for a function or a comparison that they do not."""
    if isinstance(node, exp.If) and not isinstance(node.parent, exp.Case):
        return exp.Case(ifs=[exp.If(this=node.this, true=node.args["true"])], default=node.args.get("false"))
    if isinstance(node, (exp.EQ, exp.Is)) and isinstance(node.expression, exp.Boolean):
        return node.this if node.expression.this else exp.not_(node.this)
    if isinstance(node, exp.DateDiff) and (node.text("unit") or "DAY").upper() == "DAY":
        return exp.Anonymous(this=DAYS, expressions=[node.expression, node.this])
    return node


@lru_cache(maxsize=10_000)
def _plain(name: str) -> bool:
    """May a name stand without quotes?"""
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        return False
    try:
        return read_tree(f"SELECT {name}.{name}, {name}", "sqlite").expressions[-1].sql() == name
    except PARSE_ERRORS:
        return False


def _identifier(name: str) -> exp.Identifier:
    return exp.Identifier(this=name, quoted=not _plain(name))
