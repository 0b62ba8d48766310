"""Interprets the conditions and values of a query that are about times, by the patterns that also write them.

    strftime('%Y', t) = '2024'   t LIKE '2024-02%'   t BETWEEN '2024-01-01' AND '2024-12-31'   YEAR(t) > 2020
    SUBSTR(t, 7, 4) || SUBSTR(t, 4, 2) = '202402'     strftime('%m', t) = '12'

An expression without its column is looked up among the filled patterns of the column's storage (`sql.py`) and other
common spellings (``spellings.toml``). A comparison has its intended meaning: «after a day» begins with the next day,
and the last day of a range is included.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TypeAlias, get_args

from sqlglot import exp

from ..data.errors import QueryError
from ..data.parsing import read_tree
from ..data.sql.sources import Stored
from .profile import GRAINS, ColumnProfile, DatabaseProfile, Grain, TimeStorage
from .sql import TimePart, part_of, patterns_of, recurring, within
from .time_finding import read_digits, read_time

Profiled: TypeAlias = Callable[[exp.Column], ColumnProfile | None]
"""A function from a column reference of a query to the profile of the column, None if there is none."""


@dataclass(frozen=True)
class Interval:
    """The condition that a column's time is in [start, end), where None is an open end."""

    column: exp.Column
    start: datetime | None
    end: datetime | None


@dataclass(frozen=True)
class Recurring:
    """The condition that a part of a column's time is one of some numbers: month 12 of any year."""

    column: exp.Column
    part: str
    numbers: tuple[int, ...]


TimeCondition: TypeAlias = Interval | Recurring


def profiled_by(profile: DatabaseProfile, stored: Stored) -> Profiled:
    """Return a function from a column reference of a query to the profile of the column."""

    def known(column: exp.Column) -> ColumnProfile | None:
        places = stored.of(column)
        return profile.column(places[0][1], places[0][2]) if places else None

    return known


@lru_cache(4096)
def pattern_tree(text: str, dialect: str) -> exp.Expr:
    """Return the cached tree of an expression, which callers must copy."""
    return read_tree(f"SELECT {text}", dialect).expressions[0]


_WRAPPERS = (exp.Paren, exp.TsOrDsToTimestamp, exp.TsOrDsToDate)
_HOLE = exp.column("c")
_WHOLE = {"moment": "iso", **dict.fromkeys(("digits", *(f"digits to the {grain}" for grain in GRAINS[:3])), "digits")}
"""The patterns that sort as a whole, with the form of the literals that they are compared with."""


def _with_hole(node: exp.Expr, dates: bool) -> exp.Expr:
    """Return a copy of an expression with a hole in place of columns, without brackets and casts to times.

    Args:
        dates: whether DATE(t) and DATETIME(t) inside it are replaced as t is.
    """

    def bare(inner: exp.Expr) -> exp.Expr:
        while isinstance(inner, _WRAPPERS) or (dates and inner is not node and isinstance(inner, exp.Date)):
            inner = inner.this
        return _HOLE.copy() if isinstance(inner, exp.Column) else inner

    return node.transform(bare)


@lru_cache(512)
def _values(storage: TimeStorage, dialect: str) -> Mapping[exp.Expr, str]:
    """Return the kinds of a column's expressions: a part of its time, or the whole as ``iso``, ``digits``, ``cell``."""
    patterns = patterns_of(storage, dialect)
    texts: list[tuple[str, str]] = []
    for name, kind in _WHOLE.items():
        with suppress(QueryError):
            texts += [(patterns.write(name, "c"), kind), (patterns.guarded(name, "c"), kind)]
    for part in get_args(TimePart):
        with suppress(QueryError):
            texts += [(part_of("c", storage, dialect, part, number=number), part) for number in (True, False)]
            texts += [(text, part) for text in patterns.spellings(part, "c")]
    texts += [(text, kind) for kind in ("iso", "cell") for text in patterns.spellings(kind, "c")]
    trees = ((pattern_tree(text, dialect), kind) for text, kind in texts)
    kinds = {_with_hole(tree, dates): kind for tree, kind in trees for dates in (False, True)}
    return {tree: kind for tree, kind in kinds.items() if tree != _HOLE}


_NUMERIC = {*exp.DataType.NUMERIC_TYPES, exp.DType.INT, exp.DType.DECIMAL}


def time_part(node: exp.Expr, profiled: Profiled, dialect: str) -> tuple[exp.Column, str] | None:
    """Return the column of times that an expression reads, and its kind: a `TimePart`, ``iso``, ``digits``, ``cell``.

    It is None where the expression reads no column of times, or matches no pattern.
    """
    columns = list(node.find_all(exp.Column))
    if not columns or any(column != columns[0] for column in columns):
        return None
    profile = profiled(columns[0])
    if profile is None or profile.time is None:
        return None
    if _with_hole(node, True) == _HOLE:
        return columns[0], "cell"
    kinds = _values(replace(profile.time, first="", last=""), dialect)
    inner = node.this if isinstance(node, exp.Cast) and node.to.this in _NUMERIC else node
    for tree in (node, inner):
        for dates in (False, True):
            if (kind := kinds.get(_with_hole(tree, dates))) is not None:
                return columns[0], kind
    return None


_Period: TypeAlias = tuple[datetime, datetime, Grain]
"""The period of a literal: its first moment, the first moment after it, and its granularity."""

_ISO = TimeStorage("iso", "second", text=True)
_DIGITS = TimeStorage("digits", "day", text=True)


_FORMS = {
    **dict.fromkeys(("native", "iso"), ("iso", "year")),
    **dict.fromkeys(("day first", "month first"), ("numeric",)),
    "digits": ("digits", "year"),
}
"""The forms of literals that a column of some form is compared with, where they are others."""


def _period_of(text: str, storage: TimeStorage) -> _Period | None:
    """Return the period of a literal that is compared with a column, None where it does not fit the storage."""
    form = storage.form
    try:
        if form in ("unix", "unix ms"):
            moment = datetime.fromtimestamp(int(text) // (1000 if form == "unix ms" else 1), UTC).replace(tzinfo=None)
        elif form in ("iso", "native") and re.match(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d", text):
            moment = datetime.fromisoformat(text[:19].rstrip("Z"))
        else:
            cell = read_digits(text) if text.isdecimal() else read_time(text)
            if cell is None or cell.form not in _FORMS.get(form, (form,)):
                return None
            if cell.separator and cell.separator != storage.separator:
                return None
            month_first = form != "day first"  # as numeric cells are parsed
            return _period(cell.year, *((cell.month, cell.day) if month_first else (cell.day, cell.month)))
        return moment, moment + timedelta(seconds=1), "second"
    except (ValueError, OverflowError):
        return None


def _period(year: int, month: int = 0, day: int = 0) -> _Period:
    start = datetime(year, month or 1, day or 1)
    if day:
        return start, start + timedelta(days=1), "day"
    if month:
        return start, (start + timedelta(days=31)).replace(day=1), "month"
    return start, start.replace(year=year + 1), "year"


_TURNED: dict[type[exp.Expr], type[exp.Expr]] = {exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE}
_RECURRING = {"month of year": "month", "day of month": "day", "hour": "hour", "weekday": "weekday"}
_BEYOND = ("1000", "1000-01-01", ":")  # the bounds of texts that are times, see `sql.within`


class ConditionReader:
    """Interprets the conditions of one query that are about times."""

    def __init__(self, profiled: Profiled, dialect: str) -> None:
        self._profiled = profiled
        self._dialect = dialect

    def read(self, node: exp.Expr) -> TimeCondition | None:
        """Return the meaning of a condition, None if it is not about a column of times."""
        node = node.unnest()
        match node:
            case exp.Between():
                return self._compared(node.this, exp.Between, [node.args["low"], node.args["high"]])
            case exp.Like():
                return self._like(node.this, _literal(node.expression) or "")
            case exp.In() if node.expressions:
                return self._compared(node.this, exp.In, node.expressions)
            case exp.EQ() | exp.GT() | exp.GTE() | exp.LT() | exp.LTE():
                turned = _literal(node.expression) is None
                value, operand = (node.expression, node.this) if turned else (node.this, node.expression)
                return self._compared(value, _TURNED.get(type(node), type(node)) if turned else type(node), [operand])
            case exp.And():
                return _conjoined([self.read(part) for part in node.flatten()])
            case _:
                return None

    def _compared(self, node: exp.Expr, sign: type[exp.Expr], values: Sequence[exp.Expr]) -> TimeCondition | None:
        """Return the meaning of a comparison of a column of times, or of an expression over it, with values."""
        texts = [text for value in values if (text := _literal(value)) is not None]
        part = time_part(node, self._profiled, self._dialect) if len(texts) == len(values) else None
        if part is None:
            return None
        column, kind = part
        if kind in _RECURRING and sign in (exp.EQ, exp.In, exp.Between) and all(map(str.isdecimal, texts)):
            numbers = sorted(map(int, texts))
            numbers = list(range(numbers[0], numbers[-1] + 1)) if sign is exp.Between else numbers
            return Recurring(column, _RECURRING[kind], tuple(numbers))
        if sign is exp.Between:
            return _conjoined([self._compared(node, *end) for end in ((exp.GTE, values[:1]), (exp.LTE, values[1:]))])
        return self._interval(column, kind, sign, texts[0]) if sign is not exp.In else None

    def _interval(self, column: exp.Column, kind: str, sign: type[exp.Expr], text: str) -> Interval | None:
        """Return the interval that a sign and a literal mean."""
        profile = self._profiled(column)
        storage = None if profile is None else profile.time
        assert storage is not None
        if text in _BEYOND and sign in (exp.GTE, exp.LT):
            return Interval(column, None, None)
        if kind == "cell" and not storage.sorts and sign is not exp.EQ:
            return None
        period = _period_of(text, {"cell": storage, "digits": _DIGITS}.get(kind, _ISO))
        if (
            period is None
            or (kind in GRAINS and period[2] != kind)
            or (kind not in GRAINS and kind not in ("cell", "digits", "iso"))
        ):
            return None
        start, end = period[:2]
        if kind == "cell" and GRAINS.index(period[2]) < min(GRAINS.index(storage.grain), 2):
            end = start  # a text sorts before all longer texts that begin with it
        if sign is exp.EQ:
            return Interval(column, start, end) if start < end else None
        if sign in (exp.GT, exp.GTE):
            return Interval(column, end if sign is exp.GT else start, None)
        return Interval(column, None, start if sign is exp.LT else end)

    def _like(self, node: exp.Expr, text: str) -> TimeCondition | None:
        """Return the meaning of ``2024-02%``, ``%2024%``, ``%-02-%``, ``8/%``, ``%January%`` for a column of times."""
        profile = self._profiled(node) if isinstance(node, exp.Column) else None
        storage = None if profile is None else profile.time
        if storage is None or not isinstance(node, exp.Column):
            return None
        if (month := _month_like(text, storage)) is not None:
            return Recurring(node, "month", (month,))
        if year := re.fullmatch(r"%\D?(\d{4})\D?%?", text):
            return Interval(node, *_period(int(year[1]))[:2])
        if text.endswith("%") and storage.form not in ("unix", "unix ms"):
            dated = replace(storage, form="iso", separator="") if storage.form == "year" else storage
            for begun in (text.strip("%"), text.strip("%").removesuffix("-")):
                if (period := _period_of(begun, dated)) is not None and period[2] != "second":
                    return Interval(node, *period[:2])
        return None


def _literal(node: exp.Expr) -> str | None:
    """Return the text of a constant or of a date in a cast; None for other expressions."""
    while isinstance(node, (exp.Cast, exp.Date, *_WRAPPERS)):
        node = node.this
    return node.name if isinstance(node, exp.Literal) else None


def _month_like(text: str, storage: TimeStorage) -> int | None:
    """Return the month that a pattern of LIKE means, whatever the year."""
    sign = re.escape(storage.separator)
    pattern = {"month first": rf"0?(\d+){sign}%", "day first": rf"%{sign}0?(\d+){sign}%"}.get(storage.form)
    if storage.sorts:
        pattern = r"(?:%|____)-(\d\d)-?(?:%|__)"
    if pattern is not None:
        match = re.fullmatch(pattern, text)
        return int(match[1]) if match else None
    cell = read_time(f"{text.strip('%')} 2000")
    return cell.month if cell is not None and cell.form == "month name" else None


def _conjoined(conditions: Sequence[TimeCondition | None]) -> TimeCondition | None:
    """Return a conjunction as one condition, such as since a day and before another; None where it is none."""
    whole, *others = conditions
    for other in others:
        whole = _both(whole, other) if whole and other else None
    return whole


def _both(first: TimeCondition, second: TimeCondition) -> Interval | None:
    """Return the conjunction of two conditions as an interval, None where it is no interval."""
    match first, second:
        case Recurring(), Interval():
            return _both(second, first)
        case Interval(column, start, end), Interval() if second.column == column:
            starts = [moment for moment in (start, second.start) if moment is not None]
            ends = [moment for moment in (end, second.end) if moment is not None]
            low, high = max(starts, default=None), min(ends, default=None)
            return Interval(column, low, high) if low is None or high is None or low < high else None
        case Interval(column, start, end), Recurring(part="month", numbers=months) if second.column == column:
            together = list(months) == list(range(months[0], months[-1] + 1))
            if not together or start is None or (start, end) != _period(start.year)[:2]:
                return None
            return Interval(column, _period(start.year, months[0])[0], _period(start.year, months[-1])[1])
        case _:
            return None


def rewrite_times(
    node: exp.Expr,
    profiled: Profiled,
    dialect: str,
    condition: Callable[[TimeCondition], exp.Expr | None],
    value: Callable[[exp.Expr], exp.Expr | None],
) -> exp.Expr:
    """Rewrite the conditions on times and other expressions of a tree, the outermost first.

    Args:
        node: the tree, which is changed.
        condition: a function that returns the replacement of a condition, None to keep it; a conjunction is tried as
            one condition first.
        value: a function that returns the replacement of any other expression, None to keep it.
    """
    reader = ConditionReader(profiled, dialect)

    def again(part: exp.Expr) -> exp.Expr:
        if (new := value(part)) is not None:
            return new
        if isinstance(part, exp.And):
            return together(part)
        meaning = reader.read(part)
        if meaning is not None and (new := condition(meaning)) is not None:
            return new
        for child in list(part.iter_expressions()):
            if (new := again(child)) is not child:
                child.replace(new)
        return part

    def together(conjunction: exp.And) -> exp.Expr:
        parts = list(conjunction.flatten())
        meanings = [reader.read(part) for part in parts]
        for column in dict.fromkeys(part.column for part in meanings if part is not None):
            own = [n for n, part in enumerate(meanings) if part is not None and part.column == column]
            whole = _conjoined([meanings[n] for n in own])
            if len(own) > 1 and whole is not None and (new := condition(whole)) is not None:
                parts = [new, *(part for n, part in enumerate(parts) if n not in own)]
                meanings = [None, *(part for n, part in enumerate(meanings) if n not in own)]
        return exp.and_(*map(again, parts), copy=False)

    return again(node)


def in_one_way(tree: exp.Expr, profiled: Profiled, dialect: str) -> exp.Expr:
    """Return a copy of a query with canonical conditions on times, as `within` and `recurring` write them."""

    def condition(meaning: TimeCondition) -> exp.Expr | None:
        profile, ref = profiled(meaning.column), meaning.column.sql(dialect)
        assert profile is not None and profile.time is not None
        try:
            if isinstance(meaning, Recurring):
                text = recurring(ref, profile.time, dialect, meaning.part, meaning.numbers)
            elif meaning.start is None and meaning.end is None:
                return None
            else:
                text = within(ref, profile.time, dialect, meaning.start, meaning.end)
        except QueryError:
            return None
        return pattern_tree(f"({text})", dialect).copy()

    return rewrite_times(tree.copy(), profiled, dialect, condition, lambda _: None)
