"""Expressions in one form: no needless brackets, numbers in one spelling."""

from __future__ import annotations

from sqlglot import exp

__all__ = ["tidied"]

_PREDICATES = (
    exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Is, exp.In, exp.Between, exp.Like, exp.Glob, exp.Escape,
)  # fmt: skip
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
