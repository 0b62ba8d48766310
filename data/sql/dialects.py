"""One query in another dialect: what sqlglot's generators leave undone.

Formulas are written in MySQL and run on SQLite and PostgreSQL, too. sqlglot translates most of them (quotes, division,
the order of NULLs); the functions here replace what it would hand through untranslated.
"""

from sqlglot import exp
from sqlglot.errors import ErrorLevel

from ..errors import QueryError
from ..parsing import PARSE_ERRORS, parse_problem, read_tree
from .query import readable, unbracketed, written

_FORMATS = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "HOUR": "%H"}


def translate(sql: str, *, read: str, write: str) -> str:
    """Return a query, slotted or filled, in another dialect.

    Args:
        sql: one query; its slots are in braces, see `slots`.
        read: its dialect, one of `domain.DIALECTS`.
        write: the dialect wanted.

    Raises:
        QueryError: it does not parse, or the other dialect cannot express it.
    """
    if read == write:
        return sql
    try:
        tree = read_tree(readable(sql, read), read)
        for node in reversed(list(tree.walk()) if write != "mysql" else ()):  # the inner ones first
            node.replace(_translated(node, write))
        tree = unbracketed(tree) if write == "sqlite" else tree
        return written(tree, write, unsupported_level=ErrorLevel.RAISE)
    except PARSE_ERRORS as error:
        raise QueryError(f"cannot be translated from {read} to {write}: {parse_problem(error)}") from error


def _translated(node: exp.Expr, write: str) -> exp.Expr:
    """Return a node of a query as SQLite or PostgreSQL needs it, the same one where sqlglot writes that itself."""
    match node:
        case exp.Year() | exp.Month() | exp.Day() | exp.Hour():
            part = node.key.upper()
            time = node.this.this if isinstance(node.this, exp.TsOrDsToDate) else node.this
            if write == "sqlite":
                return exp.cast(exp.func("STRFTIME", exp.Literal.string(_FORMATS[part]), time), "INTEGER")
            return exp.Extract(this=exp.var(part), expression=_timestamp(time))
        case exp.TimestampDiff():
            if node.text("unit").upper() != "SECOND":
                raise QueryError(f"TIMESTAMPDIFF({node.text('unit')}, …) is not translated", hint="use SECOND")
            if write == "sqlite":
                later, earlier = (exp.func("UNIXEPOCH", time) for time in (node.this, node.expression))
                return exp.paren(exp.Sub(this=later, expression=earlier))
            gap = exp.Sub(this=_timestamp(node.this), expression=_timestamp(node.expression))
            return exp.func("TRUNC", exp.Extract(this=exp.var("EPOCH"), expression=exp.paren(gap)))
        case exp.Div() if write == "sqlite" and not node.this.find(exp.Case, exp.Subquery):
            if any(not number.is_string and "." in number.name for number in node.this.find_all(exp.Literal)):
                node.set("typed", True)  # the dividend is a fraction already, and needs no cast
        case exp.Round() if write == "postgres" and node.args.get("decimals") and not isinstance(node.this, exp.Cast):
            node.set("this", exp.cast(node.this, "DECIMAL"))  # PostgreSQL rounds doubles to whole numbers only
        case _:
            pass
    return node


def _timestamp(time: exp.Expr) -> exp.Expr:
    """Return a time with a type, which PostgreSQL does not give to a mere string."""
    return exp.cast(time, "TIMESTAMP") if isinstance(time, exp.Literal) else time
