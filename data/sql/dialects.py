"""One query in another dialect: what sqlglot's generators leave undone, mostly about times.

A gold query is written once, for plant in MySQL, and runs on SQLite and PostgreSQL too. sqlglot does most of it
(quotes, division, the order of NULLs); the functions here replace what it would hand through untranslated. Times are
ISO text in SQLite, so its date functions must return a date where the other dialects have a date and a timestamp
where they have one, or else texts of different length would be compared.
"""

import re
from collections.abc import Callable, Collection
from typing import Any

from sqlglot import exp
from sqlglot.errors import ErrorLevel

from ..errors import QueryError
from ..parsing import PARSE_ERRORS, read_tree, told_error
from ..values.slots import SLOT
from .query import readable, written


def unbracketed(tree: exp.Expr) -> exp.Expr:
    """Take the brackets off the sides of UNION, INTERSECT and EXCEPT, which SQLite does not read."""
    for node in reversed(list(tree.find_all(exp.SetOperation))):
        for side in ("this", "expression"):
            inner = node.args[side]
            if not isinstance(inner, exp.Subquery) or inner.alias:
                continue
            query = inner.unnest()
            plain = isinstance(query, exp.Select) and not any(query.args.get(k) for k in ("order", "limit", "offset"))
            if plain or (side == "this" and isinstance(query, exp.SetOperation) and not query.args.get("limit")):
                node.set(side, query)
            else:
                node.set(side, exp.select("*").from_(exp.alias_(exp.Subquery(this=query), "side", table=True)))
    for node in list(tree.find_all(exp.In, exp.Subquery)):
        if isinstance(node, exp.In) and isinstance(node.args.get("query"), exp.Subquery):
            inner = node.args["query"]
            while isinstance(inner.this, exp.Subquery) and not inner.this.alias:
                inner.set("this", inner.this.this)
    return tree.unnest() if isinstance(tree, exp.Subquery) and not tree.args.get("order") else tree


_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_CLOCK = {"HOUR", "MINUTE", "SECOND"}
_SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86400, "WEEK": 604800}
_PARTS: dict[type[exp.Expr], str] = {exp.Year: "YEAR", exp.Month: "MONTH", exp.Day: "DAY", exp.Hour: "HOUR"}
_FORMATS = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "HOUR": "%H", "DOW": "%w"}


def translate(sql: str, *, read: str, write: str, dates: Collection[str] = ()) -> str:
    """Return a query, slotted or filled, in another dialect.

    Args:
        sql: one query; slots stand in it as `examples` says.
        read: its dialect, one of `domain.DIALECTS`.
        write: the dialect wanted.
        dates: slots whose values are dates without a time of day; what is added to them stays a date.

    Raises:
        QueryError: it does not parse, or says what the other dialect cannot.
    """
    if read == write:
        return sql
    try:
        tree = _Translator(write, frozenset(dates)).mend(read_tree(readable(sql, read), read))
        tree = unbracketed(tree) if write == "sqlite" else tree
        return written(tree, write, unsupported_level=ErrorLevel.RAISE)
    except PARSE_ERRORS as error:
        raise QueryError(f"cannot be translated from {read} to {write}: {told_error(error)}") from error


class _Translator:
    """Replaces the nodes of a tree that sqlglot does not write in the wanted dialect."""

    def __init__(self, write: str, dates: frozenset[str]) -> None:
        self._write = write
        self._dates = dates
        self._rules: dict[type[exp.Expr], Callable[[Any], exp.Expr]] = {
            exp.DateAdd: self._shift,
            exp.DateSub: self._shift,
            exp.TimestampDiff: self._between,
            exp.Anonymous: self._anonymous,
            exp.Div: self._divide,
            exp.Round: self._round,
            **dict.fromkeys(_PARTS, self._part),
        }

    def mend(self, tree: exp.Expr) -> exp.Expr:
        """Return the tree with every node replaced that has a rule, inner ones first."""
        if self._write == "mysql":
            return tree
        for node in reversed(list(tree.walk())):
            rule = self._rules.get(type(node))
            new = node if rule is None else rule(node)
            if new is not node and node is tree:
                tree = new
            elif new is not node:
                node.replace(new)
        return tree

    def _shift(self, node: exp.DateAdd | exp.DateSub) -> exp.Expr:
        unit = _unit(node)
        if unit in {"WEEK", "QUARTER"}:
            raise QueryError(f"INTERVAL … {unit} is not translated", hint="write days or months")
        whole = self._is_date(node.this) and unit not in _CLOCK
        if self._write == "postgres":
            new = node.copy()
            if isinstance(new.this, exp.Literal):
                new.set("this", exp.cast(new.this, "DATE" if whole else "TIMESTAMP"))
            return exp.cast(new, "DATE") if whole else new
        amount, sign = node.expression.unnest(), "-" if isinstance(node, exp.DateSub) else "+"
        if isinstance(amount, exp.Literal | exp.Placeholder):
            number = f"{{{amount.name}}}" if isinstance(amount, exp.Placeholder) else amount.name
            modifier: exp.Expr = exp.Literal.string(f"{sign}{number} {unit.lower()}s")
        else:
            amount = exp.paren(amount) if isinstance(amount, exp.Binary) else amount
            amount = exp.Neg(this=amount) if sign == "-" else amount
            modifier = exp.DPipe(this=amount, expression=exp.Literal.string(f" {unit.lower()}s"))
        return _call("DATE" if whole else "DATETIME", node.this, modifier)

    def _between(self, node: exp.TimestampDiff) -> exp.Expr:
        """Whole units from one time to another, cut towards zero as MySQL cuts them."""
        unit = _unit(node)
        if unit not in _SECONDS:
            raise QueryError(f"TIMESTAMPDIFF({unit}, …) is not translated", hint="use SECOND to WEEK")
        size = exp.Literal.number(_SECONDS[unit])
        later, earlier = node.this, node.expression
        if self._write == "sqlite":
            gap = exp.paren(exp.Sub(this=_call("UNIXEPOCH", later), expression=_call("UNIXEPOCH", earlier)))
            return gap if unit == "SECOND" else _alone(exp.Div(this=gap, expression=size, typed=True), node)
        gap = exp.Sub(this=_stamp(later), expression=_stamp(earlier))
        seconds = exp.Extract(this=exp.var("EPOCH"), expression=exp.paren(gap))
        return _call("TRUNC", exp.Div(this=seconds, expression=size, typed=True))

    def _part(self, node: exp.Expr) -> exp.Expr:
        inner = node.this.this if isinstance(node.this, exp.TsOrDsToDate) else node.this
        return self._field(_PARTS[type(node)], inner)

    def _field(self, name: str, time: exp.Expr) -> exp.Expr:
        if self._write == "sqlite":
            return exp.cast(_call("STRFTIME", exp.Literal.string(_FORMATS[name]), time), "INTEGER")
        return exp.Extract(this=exp.var(name), expression=_stamp(time))

    def _anonymous(self, node: exp.Anonymous) -> exp.Expr:
        if node.name.upper() == "WEEKDAY":  # Monday is 0 there, Sunday is 0 here
            day = exp.Add(this=self._field("DOW", node.expressions[0]), expression=exp.Literal.number(6))
            return _alone(exp.Mod(this=exp.paren(day), expression=exp.Literal.number(7)), node)
        return node

    def _divide(self, node: exp.Div) -> exp.Expr:
        """Spare SQLite the cast of a dividend that is a fraction already."""
        fraction = any(not f.is_string and "." in f.name for f in node.this.find_all(exp.Literal))
        if self._write == "sqlite" and fraction and not node.this.find(exp.Case, exp.Subquery):
            node.set("typed", True)
        return node

    def _round(self, node: exp.Round) -> exp.Expr:
        """PostgreSQL rounds doubles to whole numbers only, and a division of ours is a double."""
        inner = node.this
        if self._write == "postgres" and node.args.get("decimals") is not None and not isinstance(inner, exp.Cast):
            node.set("this", exp.cast(inner, "DECIMAL"))
        return node

    def _is_date(self, node: exp.Expr) -> bool:
        if isinstance(node, exp.Literal) and node.is_string:
            slot = SLOT.fullmatch(node.this)
            return bool(_DATE.fullmatch(node.this)) or (slot is not None and slot[1] + slot[2] in self._dates)
        if isinstance(node, exp.Cast):
            return node.to.is_type("date")
        if isinstance(node, exp.Anonymous):  # one of ours, from further in
            return node.name.upper() == "DATE"
        return isinstance(node, exp.TsOrDsToDate | exp.Date | exp.CurrentDate)


def _alone(new: exp.Expr, old: exp.Expr) -> exp.Expr:
    """Put an operation in parentheses where another operation takes the call that it stands for."""
    operand = isinstance(old.parent, exp.Binary) and not isinstance(old.parent, exp.Predicate | exp.Connector)
    return exp.paren(new) if operand else new


def _unit(node: exp.Expr) -> str:
    return node.text("unit").upper()


def _stamp(node: exp.Expr) -> exp.Expr:
    """A string alone has no type in PostgreSQL."""
    return exp.cast(node, "TIMESTAMP") if isinstance(node, exp.Literal) else node


def _call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=[argument.copy() for argument in arguments])
