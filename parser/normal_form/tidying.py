"""Expressions said one way: no needless brackets, NOT beside its IN, numbers in one spelling."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlglot import Dialect, exp

from ...data.errors import QueryError
from .sources import plain

__all__ = ["spelled", "tidied"]

_PREDICATES = (
    exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Is, exp.In, exp.Between, exp.Like, exp.Glob, exp.Escape,
)  # fmt: skip
_NEGATABLE = (exp.In, exp.Between, exp.Like, exp.Glob, exp.Is)
_BINDING: dict[type[exp.Expr], int] = {
    exp.Or: 1,
    exp.And: 2,
    exp.Not: 3,
    **dict.fromkeys(_PREDICATES, 4),
    exp.Add: 5,
    exp.Sub: 5,
    exp.Mul: 6,
    exp.Div: 6,
    exp.Mod: 6,
    exp.Neg: 7,
    exp.DPipe: 8,
}
"""How fast operators bind; what is not here needs no brackets."""

_SUMS = range(5, 8)
_LEFT = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
_ASSOCIATIVE = (exp.And, exp.Or)
_SAFE = (
    exp.Func, exp.Where, exp.Having, exp.Select, exp.Ordered, exp.Group, exp.Join, exp.If, exp.Case, exp.Paren,
    exp.Tuple, exp.Distinct,
)  # fmt: skip
"""What has commas, keywords or brackets of its own around its parts."""


def tidied(tree: exp.Expr) -> exp.Expr:
    """Return a query with its expressions in normal form."""
    for node in reversed(list(tree.walk())):
        if isinstance(node, exp.Count) and isinstance(node.this, exp.Literal):
            node.set("this", exp.Star())  # no literal is NULL
        elif isinstance(node, exp.Literal) and not node.is_string:
            node.set("this", _number(node.name))
        elif isinstance(node, exp.Ordered) and not node.args.get("desc"):
            node.set("desc", None)
        elif isinstance(node, exp.Offset) and node.expression.name == "0" and node.parent:
            node.parent.set("offset", None)
    for node in list(tree.find_all(exp.Paren)):
        if _needless(node):
            node.replace(node.this)
    return tree


def _number(text: str) -> str:
    """Return a number without zeros that say nothing; ``3.0`` stays apart from ``3``, which divides otherwise."""
    if text.isdigit():
        return text.lstrip("0") or "0"
    whole, dot, part = text.partition(".")
    if not dot or not (whole + part).isdigit():
        return text
    return f"{whole.lstrip('0') or '0'}.{part.rstrip('0') or '0'}"


def _needless(paren: exp.Paren) -> bool:
    inner, parent = paren.this, paren.parent
    mine = _BINDING.get(type(inner), 0 if isinstance(inner, exp.Binary) else 9)
    if isinstance(inner, exp.Subquery | exp.Paren) or parent is None:
        return True
    around = _BINDING.get(type(parent))
    if around is None:
        safe = isinstance(parent, _SAFE) and not isinstance(parent, exp.Binary)  # REGEXP is a function to sqlglot
        return safe and not isinstance(inner, exp.Query | exp.Tuple)
    if isinstance(inner, exp.DPipe) and around in _SUMS:  # dialects differ in which binds faster
        return False
    if isinstance(parent, exp.In) and paren is not parent.this:
        return True
    if isinstance(parent, _ASSOCIATIVE) and isinstance(inner, type(parent)):
        return True
    first = paren is parent.this and isinstance(parent, _LEFT)
    return mine > around or (mine == around and first)


def spelled(tree: exp.Expr, dialect: str) -> str:
    """Return the text of a query.

    Raises:
        QueryError: sqlglot cannot write it.
    """
    return _generator(dialect)(dialect=dialect, comments=False).generate(tree, copy=False)


@cache
def _generator(dialect: str) -> Any:
    """Return the class that writes a dialect in normal form; sqlglot searches each new class for its methods."""
    base: Any = Dialect.get_or_raise(dialect).generator_class

    class NormalFormGenerator(base):
        def not_sql(self, expression: exp.Not) -> str:
            inner = plain(expression.this)
            if not isinstance(inner, _NEGATABLE) or (isinstance(inner, exp.Is) and not _is_null(inner)):
                return super().not_sql(expression)
            left, whole = self.sql(inner.this), self.sql(inner)
            if not whole.startswith(left):
                raise QueryError(f"cannot be spelled: {whole}")
            rest = whole[len(left) :]
            return f"{left} IS NOT NULL" if isinstance(inner, exp.Is) else f"{left} NOT{rest}"

    return NormalFormGenerator


def _is_null(node: exp.Is) -> bool:
    return isinstance(node.expression, exp.Null)
