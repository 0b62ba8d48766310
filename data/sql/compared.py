"""The values of a SQL text: where its literals stand, and which column each is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sqlglot import TokenType, exp

from ..parsing import parse, words_of
from ..schema.schema import Schema
from .query import readable
from .sources import Stored

__all__ = ["SqlLiteral", "compared_columns", "sql_literals"]

_ORDERS = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)
_COMPARISONS = (*_ORDERS, exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.Like, exp.ILike, exp.In)
_RANGES = (*_ORDERS, exp.Limit, exp.Offset, exp.Mul, exp.Div, exp.Neg)


@dataclass(frozen=True)
class SqlLiteral:
    """One literal of a query.

    Attributes:
        start: first character in the SQL text, the opening quote for a string.
        end: one past the last character.
        value: the text, for strings without quotes and with doubled quotes made single.
        string: it stands in quotes.
        column: bare lower-cased name of the column it is compared with; empty if none.
        likely: a place where questions put values (ranges, limits, arithmetic, strings); the rest,
            numbers behind ``=`` or in a call, are mostly flags and codes that nobody says.
    """

    start: int
    end: int
    value: str
    string: bool
    column: str
    likely: bool


@lru_cache(maxsize=8192)
def sql_literals(sql: str, dialect: str) -> tuple[SqlLiteral, ...]:
    """Return the literals of a query, slotted or filled, from left to right.

    They have no column where sqlglot cannot parse the query; there are none where it finds no words in it.
    """
    text = readable(sql, dialect)
    tokens = words_of(text, dialect)
    # sqlglot keeps the places of most literals in its tree, and of all of them in its tokens
    tree = parse(text, dialect, tokens)
    nodes = {} if tree is None else {node.meta.get("start"): node for node in tree.find_all(exp.Literal)}
    found: list[SqlLiteral] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.token_type not in {TokenType.STRING, TokenType.NUMBER}:
            continue
        start, end, node = token.start, token.end + 1, nodes.get(token.start)
        string = token.token_type == TokenType.STRING
        value = sql[start + 1 : end - 1].replace("''", "'") if string else sql[start:end]
        column = None if node is None else _column_beside(node)
        likely = string or (_ranged(node) if node else before is not None and before.token_type == TokenType.INTERVAL)
        found.append(SqlLiteral(start, end, value, string, column.name.lower() if column else "", likely))
    return tuple(found)


def _ranged(literal: exp.Literal) -> bool:
    parent = literal.parent
    if isinstance(parent, exp.Add | exp.Sub):
        return literal is parent.expression
    return isinstance(parent, _RANGES) and not (isinstance(parent, exp.Between) and literal is parent.this)


def _column_beside(value: exp.Expr) -> exp.Column | None:
    """Return the first column of the comparison that a value stands in, not of a query within it."""
    comparison = value.find_ancestor(*_COMPARISONS, exp.Select)
    if not isinstance(comparison, _COMPARISONS):
        return None
    own = comparison.find_ancestor(exp.Select)
    return next((c for c in comparison.find_all(exp.Column) if c.find_ancestor(exp.Select) is own), None)


@lru_cache(maxsize=8192)
def compared_columns(sql: str, schema: Schema, dialect: str) -> tuple[tuple[str, str, str], ...]:
    """Return (literal or slot, table, column) for each value that a query compares with a column of a table.

    Empty where sqlglot cannot read the query.
    """
    tree = parse(readable(sql, dialect), dialect)
    found, stored = list[tuple[str, str, str]](), Stored(schema)
    for node in () if tree is None else tree.find_all(exp.Literal, exp.Placeholder):
        value = node.sql() if isinstance(node, exp.Literal) else f"{{{node.name}}}"
        found += dict.fromkeys((value, table, name) for _, table, name in stored.of(_column_beside(node)))
    return tuple(found)
