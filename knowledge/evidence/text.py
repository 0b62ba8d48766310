"""Expressions as evidence texts write them, into trees: calls for arithmetic, conditions inside of aggregates."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sqlglot import exp

from ..formulas.expression import ExpressionError
from ..formulas.sql import case_of
from .tokens import Token, Words, tokens
from .trees import (
    ARITHMETIC,
    COMPARED,
    alike,
    compared,
    days,
    held,
    in_years,
    is_text,
    is_truth,
    made,
    number,
    of_rows,
    reckoned,
    truth,
)

__all__ = ["Read", "read_text"]

_DEEPEST = 60
"""What may stand one inside the other; each is a few calls deep."""


@dataclass(frozen=True)
class Read:
    """What a text says: an expression, and the name behind AS, where there is one."""

    tree: exp.Expr
    called: str = ""


def read_text(text: str) -> Read:
    """Read an expression; names are columns without a table, or with what stands before their dot.

    Raises:
        ExpressionError: it is none.
    """
    parser = _Parser(tokens(text), text)
    if sum(one.value in ("(", "-", "NOT") for one in parser.tokens) > _DEEPEST:
        raise ExpressionError(f"more than {_DEEPEST} brackets and signs")
    tree, called = parser.whole()
    return Read(tree.transform(days), called)


@dataclass
class _Parser(Words):
    """A parser by descent, each method for what binds tighter than the one before.

    Brackets that a text forgets to close are closed at its end, one too many is passed over.
    """

    called: str = field(default="", init=False)

    def whole(self) -> tuple[exp.Expr, str]:
        """Return what the text says, with the conditions behind it, and what it calls it."""
        tree = self._alternatives()
        while self.at < len(self.tokens):
            if self.take("keyword", "WHERE"):
                tree = of_rows(self._alternatives(listed=True), tree)
            elif self.take("keyword", "AS"):
                self.called = self.next("name", "quoted").value
            elif isinstance(tree, exp.Column) and self.peek() == Token("sign", ","):
                return self._listed(tree), ""
            elif self.peek() == Token("sign", ",") and self.peek(1) == Token("keyword", "WHERE"):
                self.at += 1
            elif sign := self.take("sign", "*", "/"):  # … WHERE a = 'b' * 100
                tree = reckoned(sign, tree, self._signed())
            elif not self.take("sign", ")"):
                raise self.stopped()
        return tree, self.called

    def _listed(self, first: exp.Expr) -> exp.Expr:
        """Return names with commas between."""
        found = [first]
        while self.take("sign", ","):
            found.append(_column(self.next("name", "quoted")))
        self.next("end")
        return exp.Tuple(expressions=found)

    def _alternatives(self, *, listed: bool = False) -> exp.Expr:
        """Return what OR joins; ``listed``: a comma means AND."""
        tree = self._conditions(listed=listed)
        while self.take("keyword", "OR"):
            other = self._conditions(listed=listed)
            tree = exp.Or(this=truth(tree), expression=truth(alike(tree, other)))
        return tree

    def _conditions(self, *, listed: bool) -> exp.Expr:
        tree = self._negated()
        while self.take("keyword", "AND") or (listed and self.take("sign", ",")):
            other = self._negated()
            tree = exp.And(this=held(truth(tree)), expression=held(truth(alike(tree, other))))
        return tree

    def _negated(self) -> exp.Expr:
        return exp.Not(this=exp.paren(self._negated().unnest())) if self.take("keyword", "NOT") else self._compared()

    def _compared(self) -> exp.Expr:
        tree = self._added()
        found = list[exp.Expr]()
        while sign := self.take("sign", *COMPARED):  # 5 < a <= 7
            if found and is_text(tree):
                raise ExpressionError("a text is compared twice")
            right = self._added()
            found.append(compared(sign, tree, right))
            tree = right
        if found:
            return exp.and_(*found, copy=False)
        if isinstance(tree, exp.Column) and " " not in tree.name and self.peek().kind == "number":  # year 2011
            return exp.EQ(this=tree, expression=self._one())
        if self.take("keyword", "IS"):
            negated = self.take("keyword", "NOT")
            self.must("keyword", "NULL")
            return _negated(exp.Is(this=tree, expression=exp.Null()), negated)
        negated = self.take("keyword", "NOT")
        if negated and self.take("keyword", "NULL"):
            return exp.not_(exp.Is(this=tree, expression=exp.Null()))
        ranged = self._ranged(tree)
        if negated and ranged is tree:
            raise self.stopped()
        return _negated(ranged, negated)

    def _ranged(self, tree: exp.Expr) -> exp.Expr:
        """Return BETWEEN, LIKE and IN; the tree itself where there is none of them."""
        if self.take("keyword", "BETWEEN"):
            low = self._added()
            self.must("keyword", "AND")
            return in_years(exp.Between(this=tree, low=low, high=self._added()))
        if self.take("keyword", "LIKE"):
            return exp.Like(this=tree, expression=exp.Literal.string(self.next("text", "quoted").value))
        if self.take("keyword", "CONTAINS"):
            return exp.Like(this=tree, expression=exp.Literal.string(f"%{self.next('text', 'quoted').value}%"))
        if self.take("keyword", "IN"):
            self.must("sign", "(")
            values = [self._added()]
            while self.take("sign", ","):
                values.append(self._added())
            self._closed()
            return exp.In(this=tree, expressions=values)
        return tree

    def _added(self) -> exp.Expr:
        tree = self._multiplied()
        while sign := self.take("sign", "+", "-"):
            tree = reckoned(sign, tree, self._multiplied())
        return tree

    def _multiplied(self) -> exp.Expr:
        tree = self._signed()
        while not is_text(tree) and (sign := self.take("sign", "*", "/")):
            tree = reckoned(sign, tree, self._signed())
        return tree

    def _signed(self) -> exp.Expr:
        return exp.Neg(this=self._signed()) if self.take("sign", "-") else self._one()

    def _one(self) -> exp.Expr:
        found = self._bare()
        if self.take("keyword", "FROM"):  # the piece's own words say the table, too
            self.next("name")
        return found

    def _bare(self) -> exp.Expr:
        here = self.peek()
        if self.take("sign", "("):
            inner = self._alternatives()
            if self.take("keyword", "AS"):
                self.called = self.next("name", "quoted").value
            self._closed()
            return exp.paren(inner) if isinstance(inner, (exp.Binary, exp.Neg, exp.Not)) else inner
        if here.kind == "call":
            self.at += 1
            self.must("sign", "(")
            return self._call(here.value)
        self.next("number", "text", "name", "quoted")
        if here.kind == "number":
            return number(here.value)
        if here.kind == "text":
            return exp.Literal.string(here.value)
        return self._filtered(here) if here.kind == "name" and self.take("sign", "(") else _column(here)

    def _filtered(self, name: Token) -> exp.Expr:
        """Return a name with a condition behind it, as in COUNT(id(stars < 3))."""
        try:
            inner = self._alternatives(listed=True)
        except ExpressionError:
            inner = exp.null()
        if not is_truth(inner):
            raise ExpressionError(f"no function {name.value!r} here")
        self._closed()
        return case_of(inner, _column(name))

    def _closed(self) -> None:
        if self.peek().kind != "end" and not self.take("sign", ")"):
            raise self.stopped()

    def _call(self, name: str) -> exp.Expr:
        distinct = bool(self.take("keyword", "DISTINCT"))
        if name == "COUNT" and self.take("sign", "*"):
            found: list[exp.Expr] = [exp.Star()]
        else:
            found = [] if self.take("keyword", "CASE") else [self._alternatives()]
        conditions: list[tuple[int, exp.Expr]] = []
        while True:
            if name in ARITHMETIC and len(found) == 1 and self.peek() == Token("sign", ")"):
                self.at += self.peek(1) == Token("sign", ",")  # DIVIDE(SUM(a)), SUM(b))
            if self.take("keyword", "WHERE"):
                condition = truth(self._alternatives(listed=name not in ARITHMETIC))
                conditions.append((len(found) - 1, condition))
            elif self.take("sign", ",") or self.take("keyword", "THEN"):
                found.append(self._alternatives())
            elif not self._passed():
                break
        self._closed()
        return made(name, found, conditions, distinct=distinct)

    def _passed(self) -> bool:
        """Step over what changes nothing: a name behind AS, ELSE NULL, END."""
        if self.take("keyword", "AS"):
            name = self.next("name", "quoted").value
            self.called = self.called or name
            return True
        if self.take("keyword", "ELSE"):
            return bool(self.take("keyword", "NULL") or self.take("number", "0"))
        return bool(self.take("keyword", "END"))


def _negated(tree: exp.Expr, negated: str) -> exp.Expr:
    return exp.not_(tree) if negated else tree


def _column(token: Token) -> exp.Expr:
    said = re.sub(r"^the\s+(?=\w)", "", token.value, flags=re.IGNORECASE)
    table, dot, name = said.partition(".") if token.kind == "name" else ("", "", token.value)
    told = exp.Identifier(this=name if dot or table == "" else said, quoted=token.kind == "quoted")
    return exp.Column(this=told, table=exp.Identifier(this=table) if dot else None)
