"""Expressions as evidence texts write them, into trees: calls for arithmetic, conditions inside of aggregates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedToken, v_args
from lark.lexer import Lexer
from sqlglot import exp

from ..formulas.expression import AGGREGATES, ExpressionError, NoFormula
from ..formulas.sql import case_of, filtered
from . import trees
from .tokens import tokens

__all__ = ["read_text"]

_DEEPEST = 60
"""What may stand one inside the other."""
_RECKONING = frozenset({"FUNCTION", "SIGN", "COMPARED", "PLUS", "MINUS", "STAR", "SLASH"})
"""Words of a formula."""


def read_text(text: str) -> tuple[exp.Expr, str]:
    """Return the expression that a text says, and the name behind AS, where there is one.

    Names are columns without a table, or with what stands before their dot.

    Raises:
        ExpressionError: it is none.
    """
    words = tokens(text)
    if sum(one.type in ("_OPEN", "MINUS", "_NOT") for one in words) > _DEEPEST:
        raise ExpressionError(f"more than {_DEEPEST} brackets and signs")
    try:
        tree: Any = _parser().parse(words)  # type: ignore[arg-type] - which its lexer takes
    except (UnexpectedToken, ExpressionError) as error:
        raise _told(error, words, text) from None
    named = (name for sign, name in pairwise(words) if sign.type == "_AS")
    return tree.transform(trees.days), next(map(str, named), "")


def _told(error: UnexpectedToken | ExpressionError, words: list[Token], text: str) -> ExpressionError:
    """Return why words cannot be read."""
    for name, bracket in pairwise(words):
        if name.type == "NAME" and " " not in name and bracket.type == "_OPEN":
            return ExpressionError(f"no function {str(name)!r} here")
    if isinstance(error, ExpressionError):
        return error
    if error.token.type == "$END":
        return ExpressionError(f"{text!r} breaks off")
    unlike = ExpressionError if any(one.type in _RECKONING for one in words) else NoFormula
    return unlike(f"words, no formula: {str(error.token)!r} cannot be read here")


@cache
def _parser() -> Lark:
    grammar = files("querent.knowledge.evidence").joinpath("formula.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", lexer=_GivenWords, transformer=_Trees(), maybe_placeholders=False)


class _GivenWords(Lexer):
    """Hands on the words that there are already."""

    def __init__(self, lexer_conf: Any) -> None: ...

    def lex(self, data: list[Token]) -> Iterator[Token]:  # type: ignore[override]
        return iter(data)


@v_args(inline=True)
class _Trees(Transformer[Token, exp.Expr]):
    """Makes trees, each method of the rule of its name."""

    def first(self, tree: exp.Expr, *_: Token) -> exp.Expr:
        return tree

    def columns(self, *found: exp.Expr) -> exp.Expr:
        return exp.Tuple(expressions=list(found))

    def of_rows(self, tree: exp.Expr, condition: exp.Expr) -> exp.Expr:
        """Return a value of the rows that satisfy; a name of such rows is the condition itself."""
        if isinstance(tree, exp.Column):
            return condition
        if trees.is_truth(tree):
            return exp.and_(trees.held(tree), trees.held(condition), copy=False)
        return filtered(tree, condition) if tree.find(*AGGREGATES) else case_of(condition, tree)

    def or_(self, tree: exp.Expr, other: exp.Expr) -> exp.Expr:
        return exp.Or(this=trees.truth(tree), expression=trees.truth(trees.alike(tree, other)))

    def and_(self, tree: exp.Expr, other: exp.Expr) -> exp.Expr:
        left, right = trees.truth(tree), trees.truth(trees.alike(tree, other))
        return exp.And(this=trees.held(left), expression=trees.held(right))

    def not_(self, tree: exp.Expr) -> exp.Expr:
        return exp.Not(this=exp.paren(tree.unnest()))

    def comparison(self, left: exp.Expr, *more: Any) -> exp.Expr:
        found: list[exp.Expr] = []
        for sign, right in zip(more[::2], more[1::2], strict=True):  # 5 < a <= 7
            if found and trees.is_text(left):
                raise ExpressionError("a text is compared twice")
            found.append(trees.compared(sign, left, right))
            left = right
        return exp.and_(*found, copy=False)

    def equal(self, column: exp.Expr, number: exp.Expr) -> exp.Expr:
        if " " in column.name:
            raise UnexpectedToken(Token("NUMBER", number.name), set())
        return exp.EQ(this=column, expression=number)

    def is_null(self, tree: exp.Expr) -> exp.Expr:
        return exp.Is(this=tree, expression=exp.Null())

    def is_not_null(self, tree: exp.Expr) -> exp.Expr:
        return exp.not_(exp.Is(this=tree, expression=exp.Null()))

    def ranged(self, tree: exp.Expr, ranged: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
        return ranged(tree)

    def not_ranged(self, tree: exp.Expr, ranged: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
        return exp.not_(ranged(tree))

    def between(self, low: exp.Expr, high: exp.Expr) -> Any:
        return lambda tree: trees.in_years(exp.Between(this=tree, low=low, high=high))

    def like(self, text: Token) -> Any:
        return lambda tree: exp.Like(this=tree, expression=exp.Literal.string(str(text)))

    def contains(self, text: Token) -> Any:
        return self.like(Token("TEXT", f"%{text}%"))

    def in_(self, *values: exp.Expr) -> Any:
        return lambda tree: exp.In(this=tree, expressions=list(values))

    def reckoned(self, left: exp.Expr, sign: Token, right: exp.Expr) -> exp.Expr:
        return trees.reckoned(sign, left, right)

    def negative(self, _: Token, tree: exp.Expr) -> exp.Expr:
        return exp.Neg(this=tree)

    def bracket(self, tree: exp.Expr, *_: Token) -> exp.Expr:
        return exp.paren(tree) if isinstance(tree, (exp.Binary, exp.Neg, exp.Not)) else tree

    def filtered(self, name: Token, inner: exp.Expr) -> exp.Expr:
        if not trees.is_truth(inner):  # a function that there is not
            raise UnexpectedToken(name, set())
        return case_of(inner, self.column(name))

    def call(self, name: Token, *told: Any) -> exp.Expr:
        distinct = any(one == "DISTINCT" for one in told if isinstance(one, Token))
        found: list[exp.Expr] = []
        conditions: list[tuple[int, exp.Expr]] = []
        for one in told:
            if isinstance(one, exp.Where):
                conditions.append((len(found) - 1, trees.truth(one.this)))
            elif isinstance(one, exp.Expr):
                found.append(one)
            elif isinstance(one, Token) and one.type == "STAR":
                found.append(exp.Star())
        return trees.made(name, found, conditions, distinct=distinct)

    def rows(self, condition: exp.Expr) -> exp.Expr:
        return exp.Where(this=condition)

    def passed(self, *told: Token) -> None:
        if told and told[0].type == "NUMBER" and told[0] != "0":
            raise ExpressionError(f"ELSE {told[0]}, where only nothing can be read")

    def column(self, token: Token) -> exp.Expr:
        said = re.sub(r"^the\s+(?=\w)", "", token, flags=re.IGNORECASE)
        table, dot, name = said.partition(".") if token.type == "NAME" else ("", "", str(token))
        told = exp.Identifier(this=name if dot or table == "" else said, quoted=token.type == "QUOTED")
        return exp.Column(this=told, table=exp.Identifier(this=table) if dot else None)

    def number(self, token: Token) -> exp.Expr:
        """Return a number; 100% behind a ratio is what makes it percent, another is its hundredth."""
        if not token.endswith("%"):
            return exp.Literal.number(str(token))
        return exp.Literal.number("100" if token == "100%" else f"{float(token[:-1]) / 100:g}")

    def text(self, token: Token, *_: Token) -> exp.Expr:
        return exp.Literal.string(str(token))
