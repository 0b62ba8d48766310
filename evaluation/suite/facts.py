"""What one query asks of its rows: constants by column, columns that must meet, counts, time spans."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta

from sqlglot import exp

from ...data.errors import QueryError
from ...data.sql.compared import sides
from .engine import tree_in_sqlite
from .names import NameResolver
from .neighbours import HOUR, Value, is_time, shifted
from .shape import Place

__all__ = ["Facts", "facts"]

_UNITS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86400, "WEEK": 604800}
_MOST = 40  # rows of one group; a HAVING or LIMIT beyond is not built up to
_MODIFIER = re.compile(r"[+-]?(\d+) (second|minute|hour|day|month)s?")
_FORMATS = {"%Y": "YEAR", "%m": "MONTH", "%d": "DAY", "%H": "HOUR", "%w": "WEEKDAY"}
_PARTS = (exp.Year, exp.Month, exp.Day, exp.DayOfMonth, exp.Hour, exp.Minute, exp.Extract, exp.Anonymous)


@dataclass
class Facts:
    """What is known of one query.

    Attributes:
        tables: lower-cased names of the tables it reads.
        constants: what each column is compared with.
        patterns: texts that LIKE looks for in a column, without %.
        meets: pairs of columns that are compared with each other, in an ON, a WHERE or through a subquery.
        numbers: other numbers in it.
        counts: numbers of rows that matter: LIMIT, and what counts are compared with.
        spans: lengths of time that it adds or asks for.
    """

    tables: list[str] = field(default_factory=list[str])
    constants: dict[Place, list[Value]] = field(default_factory=lambda: defaultdict[Place, list[Value]](list))
    patterns: dict[Place, list[str]] = field(default_factory=lambda: defaultdict[Place, list[str]](list))
    meets: list[tuple[Place, Place]] = field(default_factory=list[tuple[Place, Place]])
    numbers: list[int | float] = field(default_factory=list[int | float])
    counts: list[int] = field(default_factory=list[int])
    spans: list[timedelta] = field(default_factory=list[timedelta])


def facts(tree: exp.Expr, *, dialect: str, names: NameResolver) -> Facts:
    """Read the facts of a query from its syntax tree."""
    reader = _FactReader(names, dialect)
    for node in tree.walk():
        reader.read(node)
    found = reader.found
    found.tables = list(dict.fromkeys(t for t in found.tables if t in names.shape.relations))
    return found


class _FactReader:
    def __init__(self, names: NameResolver, dialect: str) -> None:
        self._names, self._dialect = names, dialect
        self.found = Facts()

    def read(self, node: exp.Expr) -> None:
        """Take in what one node tells."""
        for left, right in sides(node):
            self._compare(node, left, right)
        if isinstance(node, exp.Table):
            self.found.tables.append(node.name.lower())
        elif isinstance(node, exp.Limit) and isinstance(node.expression, exp.Literal):
            self._count(int(node.expression.this))
        elif isinstance(node, exp.Interval):
            self._span(node.this, node.text("unit"))
        elif isinstance(node, exp.DateAdd | exp.DateSub | exp.TimestampAdd):
            self._span(node.expression, node.text("unit"))
        elif isinstance(node, exp.Literal) and not node.is_string:
            self.found.numbers.append(_number(node))
        elif isinstance(node, exp.Literal) and (span := _MODIFIER.fullmatch(node.this)):
            self._span(exp.Literal.number(int(span[1])), span[2])

    def _compare(self, node: exp.Expr, left: exp.Expr, right: exp.Expr) -> None:
        if _constant(left) and not _constant(right):
            left, right = right, left
        if _constant(right):
            self._fixed(node, left, right)
            return
        mine, theirs = self._side(left), self._side(right)
        self.found.meets += [(a, b) for a in mine[:2] for b in theirs[:2] if a != b]

    def _side(self, node: exp.Expr) -> list[Place]:
        inner = node.unnest()
        if isinstance(inner, exp.Query | exp.Subquery):
            return self._names.outputs(inner)
        subqueries = [p for q in inner.find_all(exp.Subquery) for p in self._names.outputs(q)]
        return self._names.places(inner) or subqueries

    def _fixed(self, node: exp.Expr, left: exp.Expr, right: exp.Expr) -> None:
        value = _folded(right, self._dialect)
        if value is None:
            return
        if isinstance(left, exp.TimestampDiff | exp.DateDiff) and isinstance(value, int):
            self._span(exp.Literal.number(value), left.text("unit") or "DAY")
        if isinstance(value, int) and any(c.name.upper() == "UNIXEPOCH" for c in left.find_all(exp.Anonymous)):
            self._span(exp.Literal.number(value), "HOUR" if value < 100 else "SECOND")
        places = self._side(left)
        counted = left.find(exp.Count, exp.Case) is not None or not places
        if counted and isinstance(value, int):
            self._count(value)
        if isinstance(left.unnest(), exp.Count):
            return
        for place in places:
            field = self._names.shape.field(place)
            part = _part(left)
            if part and isinstance(value, int) and field is not None:
                self.found.constants[place] += _with_part(part, value)
            elif isinstance(node, exp.Like | exp.ILike):
                self.found.patterns[place].append(str(value).strip("%"))
            else:
                self.found.constants[place] += [value, *_inside(node, left, value)]

    def _count(self, count: int) -> None:
        if 0 <= count <= _MOST:
            self.found.counts.append(count)

    def _span(self, amount: exp.Expr, unit: str) -> None:
        seconds = _UNITS.get(unit.upper().rstrip("S"))
        if isinstance(amount, exp.Literal) and seconds:
            self.found.spans.append(timedelta(seconds=int(float(amount.this)) * seconds))


def _constant(node: exp.Expr) -> bool:
    return node.find(exp.Column, exp.Query, exp.Subquery, exp.Star, exp.AggFunc) is None


def _folded(node: exp.Expr, dialect: str) -> Value:
    """Return the value of an expression without columns."""
    if isinstance(node, exp.Literal):
        return node.this if node.is_string else _number(node)
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            value = connection.execute(tree_in_sqlite(exp.Select(expressions=[node.copy()]), dialect)).fetchone()[0]
    except (sqlite3.Error, QueryError):
        return None
    return value


def _number(node: exp.Literal) -> int | float:
    text = str(node.this)
    return int(text) if text.isdigit() else float(text)


def _part(node: exp.Expr) -> str:
    """Say which part of a time an expression takes, nothing if none."""
    inner = node.find(*_PARTS, exp.TimeToStr)
    if isinstance(inner, exp.TimeToStr):
        return _FORMATS.get(inner.args["format"].name, "")
    if isinstance(inner, exp.Anonymous):
        return "WEEKDAY" if inner.name.upper() == "WEEKDAY" else ""
    return "" if inner is None else (inner.name if isinstance(inner, exp.Extract) else type(inner).__name__).upper()


def _inside(node: exp.Expr, left: exp.Expr, value: Value) -> list[Value]:
    """Return values that meet a comparison well inside of its bound."""
    rising = isinstance(node, exp.GT | exp.GTE)
    if isinstance(value, str) and is_time(value):
        if rising or isinstance(node, exp.LT | exp.LTE):
            sign = 1 if rising else -1
            return [(shifted(_stamp(value), sign * HOUR * n)) for n in (1, 2, 5, 24)]
        if left.find(exp.Date, exp.TsOrDsToDate) is not None:
            return [shifted(_stamp(value), HOUR * n) for n in (1, 2, 5, 9, 16, 23)]
    if isinstance(value, int | float) and isinstance(node, exp.GT | exp.GTE | exp.LT | exp.LTE):
        return [value + (n if rising else -n) for n in (1, 3)]
    return []


def _stamp(value: str) -> str:
    return f"{value} 00:00:00" if len(value) == 10 else value


def _with_part(name: str, value: int) -> list[Value]:
    """Return times whose year, month, day or hour is the value, or near it; the days of a week for WEEKDAY."""
    if name == "YEAR" and 2 < value < 9998:
        return [f"{value:04}-06-15 10:00:00", f"{value:04}-01-01 00:00:00", f"{value - 1:04}-12-31 23:00:00"]
    if name == "MONTH" and 1 <= value <= 12:
        return [f"2024-{value:02}-15 10:00:00", f"2024-{value:02}-01 00:00:00"]
    if name in {"DAY", "DAYOFMONTH"} and 1 <= value <= 28:
        return [f"2024-03-{value:02} 10:00:00", f"2024-03-{value:02} 00:00:00"]
    if name == "HOUR" and 0 <= value <= 23:
        return [f"2024-03-30 {hour % 24:02}:00:00" for hour in (value, value - 1, value + 1)]
    return list(_week())


def _week() -> Iterator[Value]:
    for day in range(25, 32):
        yield f"2024-03-{day} 09:00:00"
