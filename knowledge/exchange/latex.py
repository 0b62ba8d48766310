"""Formulas in LaTeX, as far as they are arithmetic and comparisons, into SQL and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from ..formulas.expression import ExpressionError
from ..formulas.sql import column, named
from .latex_tokens import Token, tokens

__all__ = ["read_latex", "write_latex"]

_COMPARED = {"<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE, "=": exp.EQ, "<>": exp.NEQ}
_FUNCTIONS = {"SUM": exp.Sum, "AVG": exp.Avg, "AVERAGE": exp.Avg, "MIN": exp.Min, "MAX": exp.Max, "COUNT": exp.Count,
              "ABS": exp.Abs}  # fmt: skip
_REFUSED = {"\\begin": "a choice of cases", "\\sqrt": "a root", "\\sum": "a sum over an index", "\\prod": "a product",
            "\\%": "a percent sign", "%": "a percent sign",
            "\\log": "a logarithm", "\\ln": "a logarithm", "\\exp": "an exponential", "^": "a power", "?": "a choice",
            "\\max": "the largest of several", "\\min": "the smallest of several"}  # fmt: skip
_LONGEST = 6
"""Words of a name; what has more is a sentence."""


def read_latex(text: str) -> exp.Expr:
    """Return a formula as an expression; ``a = b`` at the top is an equation like a comparison.

    Raises:
        ExpressionError: it has what is no arithmetic and no comparison.
    """
    parser = _Parser(tokens(text), text)
    tree = parser.alternatives()
    if parser.left:
        raise parser.stopped()
    return tree


@dataclass
class _Parser:
    """A parser by descent, each method for operators that bind tighter than the one before."""

    tokens: list[Token]
    text: str
    at: int = 0

    @property
    def left(self) -> bool:
        """Is there more?"""
        return self.at < len(self.tokens)

    def _sign(self, *signs: str) -> str | None:
        """Return the next token and step over it if it is one of these."""
        if self.left and self.tokens[self.at].kind == "sign" and self.tokens[self.at].value in signs:
            self.at += 1
            return self.tokens[self.at - 1].value
        return None

    def stopped(self) -> ExpressionError:
        """Return an error about the next token."""
        if not self.left:
            return ExpressionError(f"{self.text!r} breaks off")
        token = self.tokens[self.at]
        return ExpressionError(f"{_REFUSED.get(token.value, repr(token.value))} cannot be read here: {self.text!r}")

    def alternatives(self) -> exp.Expr:
        """Return what OR joins."""
        tree = self._conditions()
        while self._sign("OR"):
            tree = exp.Or(this=tree, expression=self._conditions())
        return tree

    def _conditions(self) -> exp.Expr:
        tree = self._negated()
        while self._sign("AND"):
            other = self._negated()
            tree = exp.And(this=_held(tree), expression=_held(other))
        return tree

    def _negated(self) -> exp.Expr:
        return exp.Not(this=exp.paren(self._negated().unnest())) if self._sign("NOT") else self._compared()

    def _compared(self) -> exp.Expr:
        left, found = self._added(), list[exp.Expr]()
        while sign := self._sign(*_COMPARED):
            right = self._added()
            found.append(_COMPARED[sign](this=left.copy(), expression=right))
            left = right
        return exp.and_(*found, copy=False) if found else left

    def _added(self) -> exp.Expr:
        tree = self._multiplied()
        while sign := self._sign("+", "-"):
            kind = exp.Add if sign == "+" else exp.Sub
            tree = kind(this=tree, expression=self._multiplied())
        return tree

    def _multiplied(self) -> exp.Expr:
        tree = self._signed()
        while True:
            if sign := self._sign("*", "/"):
                other = self._signed()
                tree = exp.Mul(this=tree, expression=other) if sign == "*" else _quotient(tree, other)
            elif self.at and self._implied():
                tree = exp.Mul(this=tree, expression=self._signed())
            else:
                return tree

    def _implied(self) -> bool:
        """Is a product meant by two things side by side, as 2 x, or (a)(b)?"""
        if not self.left:
            return False
        before, here = self.tokens[self.at - 1], self.tokens[self.at]
        opens = here in (Token("sign", "("), Token("sign", "\\frac"))
        return (before.kind == "number" and (here.kind == "name" or opens)) or (before.value == ")" and opens)

    def _signed(self) -> exp.Expr:
        if self._sign("-"):
            return exp.Neg(this=self._signed())
        return self._one()

    def _one(self) -> exp.Expr:
        if not self.left:
            raise self.stopped()
        token = self.tokens[self.at]
        self.at += 1
        if token.kind == "number":
            return exp.Literal.number(token.value)
        if token.kind == "text":
            return exp.Literal.string(token.value)
        if token.kind == "name":
            return self._named(token.value)
        if token.value in ("\\frac", "\\dfrac", "\\tfrac"):
            return _quotient(self._bracketed(), self._bracketed())
        if token.value == "(":
            self.at -= 1
            inner = self._bracketed()
            return exp.paren(inner) if isinstance(inner, (exp.Binary, exp.Neg, exp.Not)) else inner
        if token.value == "|":
            inner = self._added()
            self._closed("|")
            return exp.Abs(this=inner)
        self.at -= 1
        raise self.stopped()

    def _named(self, name: str) -> exp.Expr:
        if self.left and self.tokens[self.at] == Token("sign", "("):
            if name.upper() not in _FUNCTIONS:
                raise ExpressionError(f"{name}(…) is neither a product nor a function here: {self.text!r}")
            return _FUNCTIONS[name.upper()](this=self._bracketed())
        if len(name.split()) > _LONGEST:
            raise ExpressionError(f"words, no formula: {name!r}")
        table, dot, own = name.partition(".")
        return column(table, own) if dot and table and own and " " not in table else named(name)

    def _bracketed(self) -> exp.Expr:
        if not self._sign("("):
            raise ExpressionError(f"a bracket is missing in {self.text!r}")
        tree = self.alternatives()
        self._closed(")")
        return tree

    def _closed(self, sign: str) -> None:
        if not self._sign(sign):
            raise self.stopped()


def _held(tree: exp.Expr) -> exp.Expr:
    return exp.paren(tree) if isinstance(tree, exp.Or) else tree


def _quotient(above: exp.Expr, below: exp.Expr) -> exp.Expr:
    grouped = [exp.paren(one) if isinstance(one, exp.Binary) else one for one in (above, below)]
    return exp.Div(this=grouped[0], expression=grouped[1], typed=True, safe=True)


_WRITTEN: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: r"\times", exp.LT: "<", exp.LTE: r"\leq", exp.GT: ">", exp.GTE: r"\geq",
    exp.EQ: "=",
    exp.NEQ: r"\neq", exp.And: r"\land", exp.Or: r"\lor",
}  # fmt: skip


def write_latex(tree: exp.Expr) -> str:
    """Return an expression in LaTeX, in a way that is read back the same.

    Raises:
        LookupError: it has what LaTeX is not read for here.
    """
    say: Callable[[exp.Expr], str] = write_latex
    if isinstance(tree, (exp.Column, exp.Literal)):
        return _atom(tree)
    if isinstance(tree, (exp.Paren, exp.Neg)):
        return f"({say(tree.this)})" if isinstance(tree, exp.Paren) else f"-{say(tree.this)}"
    if isinstance(tree, exp.Not):
        return rf"\lnot ({say(tree.this.unnest())})"
    if isinstance(tree, exp.Div):
        return rf"\frac{{{say(tree.this.unnest())}}}{{{say(tree.expression.unnest())}}}"
    if type(tree) in _WRITTEN:
        return f"{say(tree.this)} {_WRITTEN[type(tree)]} {say(tree.args['expression'])}"
    name = next((name for name, kind in _FUNCTIONS.items() if isinstance(tree, kind)), None)
    if name is None or isinstance(tree.this, (exp.Star, exp.Distinct)):
        raise LookupError(f"{tree.sql(dialect='sqlite')} has no place in it")
    return rf"\text{{{name}}}({say(tree.this)})"


def _atom(tree: exp.Column | exp.Literal) -> str:
    """Return a name, a text or a number."""
    if isinstance(tree, exp.Column):
        name = f"{tree.table}.{tree.name}" if tree.table else tree.name
        return rf"\text{{{name}}}".replace("_", r"\_")
    return rf"\text{{'{tree.name}'}}" if tree.is_string else tree.name
