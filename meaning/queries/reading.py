"""A gold query with what its conditions mean written one way: an interval of time, what comes again, a flag.

    strftime('%Y', t) = '2024'   t LIKE '2024-02%'   t BETWEEN '2024-01-01' AND '2024-12-31'   YEAR(t) > 2020
    strftime('%m', t) = '12'     paid = 'T'

A comparison means what people say with it: behind a day begins with the next one, and a last day is within.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from sqlglot import exp

from ...data.errors import QueryError
from ...data.parsing import read_tree
from ...data.sql.sources import Stored
from ..profile import ColumnProfile, DatabaseProfile, TimeStorage
from .meant import (
    Meant,
    MeantFlag,
    MeantInterval,
    MeantPart,
    MeantRecurring,
    Period,
    Profiled,
    month_named,
    period_of,
    period_of_part,
    written,
)
from .meant_values import meant_value

__all__ = ["meaning_of", "profiled_by", "said_one_way"]

_TURNED: dict[type[exp.Expr], type[exp.Expr]] = {exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE}
_MONTH = re.compile(r"(?:%|____)-(\d\d)-?(?:%|__)")
_YEAR_WITHIN = re.compile(r"%\D?(\d{4})\D?%?")
_RECURRING: dict[str, Literal["month", "day", "hour"]] = {
    "month of year": "month",
    "day of month": "day",
    "hour": "hour",
}

_Told = MeantInterval | MeantRecurring | MeantFlag


def meant_condition(node: exp.Expr, profiled: Profiled) -> _Told | None:
    """Return what a condition means, None where it is nothing that a profile knows of."""
    match node:
        case exp.Paren():
            return meant_condition(node.this, profiled)
        case exp.Between():
            low = _compared(node.this, exp.GTE, literal_text(node.args["low"]), profiled)
            high = _compared(node.this, exp.LTE, literal_text(node.args["high"]), profiled)
            together = merged([low, high]) if low is not None and high is not None else []
            return together[0] if len(together) == 1 else None
        case exp.Like():
            return _like(node.this, literal_text(node.expression) or "", profiled)
        case exp.In() if node.expressions:
            return _listed(node, profiled)
        case exp.EQ() | exp.NEQ() | exp.GT() | exp.GTE() | exp.LT() | exp.LTE():
            turned = literal_text(node.expression) is None
            value, other = (node.expression, node.this) if turned else (node.this, node.expression)
            sign = _TURNED.get(type(node), type(node)) if turned else type(node)
            return _compared(value, sign, literal_text(other), profiled)
        case _:
            return None


def literal_text(node: exp.Expr) -> str | None:
    """Return the text of a constant, dates in their casts; None of anything else."""
    while isinstance(node, exp.Cast | exp.Paren | exp.Date | exp.TsOrDsToDate | exp.TsOrDsToTimestamp):
        node = node.this
    return node.name if isinstance(node, exp.Literal) else None


def merged(told: Sequence[_Told | None]) -> list[_Told]:
    """Return conditions that hold together, intervals of one column as one: since a day, and before another."""
    found: list[_Told] = []
    for one in told:
        place = next((i for i, other in enumerate(found) if _meet(one, other)), None)
        if place is not None:
            found[place] = _both(found[place], one)
        elif one is not None:
            found.append(one)
    return found


def _meet(one: _Told | None, other: _Told) -> bool:
    """May two conditions be said as one interval?"""
    if one is None or one.column != other.column:
        return False
    match one, other:
        case MeantInterval(), MeantInterval():
            both = _both(other, one)
            assert isinstance(both, MeantInterval)
            return both.start is None or both.end is None or both.start < both.end
        case (MeantInterval(), MeantRecurring(part="month")) | (MeantRecurring(part="month"), MeantInterval()):
            interval, months = (one, other) if isinstance(one, MeantInterval) else (other, one)
            assert isinstance(interval, MeantInterval)
            assert isinstance(months, MeantRecurring)
            return _one_year(interval) and list(months.numbers) == list(
                range(months.numbers[0], months.numbers[-1] + 1)
            )
        case _:
            return False


def _one_year(interval: MeantInterval) -> bool:
    start = interval.start
    return start is not None and (start.month, start.day) == (1, 1) and interval.end == datetime(start.year + 1, 1, 1)


def _both(one: _Told, other: _Told | None) -> _Told:
    match one, other:
        case MeantInterval(column), MeantInterval():
            starts = [moment for moment in (one.start, other.start) if moment is not None]
            ends = [moment for moment in (one.end, other.end) if moment is not None]
            return MeantInterval(column, max(starts, default=None), min(ends, default=None))
        case MeantInterval(column, start), MeantRecurring(numbers=months):
            assert start is not None
            last = datetime(start.year, months[-1], 1) + timedelta(days=31)
            return MeantInterval(column, datetime(start.year, months[0], 1), last.replace(day=1))
        case MeantRecurring(), MeantInterval():
            return _both(other, one)
        case _:
            raise TypeError(f"{one} and {other} are no interval")


def _compared(node: exp.Expr, sign: type[exp.Expr], text: str | None, profiled: Profiled) -> _Told | None:
    """Return what a comparison of a column, or of a part of its time, with a constant means."""
    if text is None:
        return None
    value = meant_value(node, profiled)
    if isinstance(value, MeantPart):
        if value.part in _RECURRING and sign is exp.EQ and text.isdecimal():
            return MeantRecurring(value.column, _RECURRING[value.part], (int(text),))
        return _interval(value.column, sign, period_of_part(text, value.part), exact=True)
    while isinstance(node, exp.Paren | exp.TsOrDsToTimestamp):
        node = node.this
    profile = profiled(node) if isinstance(node, exp.Column) else None
    if profile is None or not isinstance(node, exp.Column):
        return None
    if profile.time is not None:
        return _of_whole(node, profile.time, sign, text)
    return _flag(node, profile, sign, text)


def _of_whole(column: exp.Column, storage: TimeStorage, sign: type[exp.Expr], text: str) -> MeantInterval | None:
    if not storage.sorts and sign is not exp.EQ:
        return None
    period = period_of(text, storage)
    if period is None:
        return None
    fine = ("year", "month", "day", "second")
    exact = fine.index(period[2]) >= min(fine.index(storage.grain), fine.index("day"))
    return _interval(column, sign, period, exact=exact)


def _interval(column: exp.Column, sign: type[exp.Expr], period: Period | None, *, exact: bool) -> MeantInterval | None:
    """Return the interval on one side of a period; not ``exact``, it is a text before all that begin with it."""
    if period is None:
        return None
    start, end = period[0], period[1] if exact else period[0]
    if sign is exp.EQ:
        return MeantInterval(column, start, end) if exact else None
    if sign in (exp.GT, exp.GTE):
        return MeantInterval(column, end if sign is exp.GT else start, None)
    return MeantInterval(column, None, start if sign is exp.LT else end) if sign in (exp.LT, exp.LTE) else None


def _flag(column: exp.Column, profile: ColumnProfile, sign: type[exp.Expr], text: str) -> MeantFlag | None:
    flag = profile.flag
    if flag is None or text not in (flag.yes, flag.no) or sign not in (exp.EQ, exp.NEQ):
        return None
    return MeantFlag(column, (text == flag.yes) == (sign is exp.EQ))


def _like(node: exp.Expr, text: str, profiled: Profiled) -> MeantInterval | MeantRecurring | None:
    profile = profiled(node) if isinstance(node, exp.Column) else None
    storage = None if profile is None else profile.time
    if storage is None or not isinstance(node, exp.Column):
        return None
    if storage.sorts and (month := _MONTH.fullmatch(text)):
        return MeantRecurring(node, "month", (int(month[1]),))
    if year := _YEAR_WITHIN.fullmatch(text):
        return _interval(node, exp.EQ, period_of_part(year[1], "year"), exact=True)
    if text.endswith("%") and storage.form not in ("unix", "unix ms"):
        prefix = text.removesuffix("%")
        dated = replace(storage, form="iso") if storage.form == "year" else storage
        for begun in (prefix, prefix.removesuffix("-")):
            if (period := period_of(begun, dated)) is not None and period[2] != "second":
                return _interval(node, exp.EQ, period, exact=True)
    return _like_month(node, text, storage)


def _like_month(column: exp.Column, text: str, storage: TimeStorage) -> MeantRecurring | None:
    """Return the month that ``8/%``, ``%/08/%`` and ``%January%`` mean."""
    sign = re.escape(storage.separator)
    first = {"month first": rf"0?(\d+){sign}%", "day first": rf"%{sign}0?(\d+){sign}%"}.get(storage.form)
    if first is not None and (month := re.fullmatch(first, text)):
        return MeantRecurring(column, "month", (int(month[1]),))
    named = month_named(text.strip("%")) if storage.form == "month name" else None
    return None if named is None else MeantRecurring(column, "month", (named,))


def _listed(node: exp.In, profiled: Profiled) -> MeantRecurring | None:
    """Return months, days or hours in a list."""
    value, texts = meant_value(node.this, profiled), list(_texts(node.expressions))
    if not isinstance(value, MeantPart) or value.part not in _RECURRING or not all(map(str.isdecimal, texts)):
        return None
    return MeantRecurring(value.column, _RECURRING[value.part], tuple(sorted(map(int, texts))))


def _texts(nodes: Sequence[exp.Expr]) -> Iterator[str]:
    for node in nodes:
        yield literal_text(node) or ""


_SIGNS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between)
_NUMBERS = ("day of month", "hour", "weekday")
"""The parts that are always written as numbers."""


def profiled_by(profile: DatabaseProfile, stored: Stored) -> Profiled:
    """Return what tells the profile of a column that a query names."""

    def told(column: exp.Column) -> ColumnProfile | None:
        places = stored.of(column)
        return profile.column(places[0][1], places[0][2]) if places else None

    return told


def meaning_of(node: exp.Expr, profiled: Profiled) -> Meant | None:
    """Return what a condition or a value of a query means, None where no profile tells."""
    return meant_condition(node, profiled) or meant_value(node, profiled)


def said_one_way(tree: exp.Expr, profiled: Profiled, dialect: str) -> tuple[exp.Expr, list[Meant]]:
    """Return a copy of a query in which what it means is written by `meaning_sql`, and what was found.

    Conditions on one column that hold together are one: since a day, and before another.
    """
    saying = _Saying(profiled, dialect)
    return saying.again(tree.copy()), saying.found


class _Saying:
    """Writes the meanings of one query."""

    def __init__(self, profiled: Profiled, dialect: str) -> None:
        self.profiled = profiled
        self.dialect = dialect
        self.found: list[Meant] = []

    def again(self, node: exp.Expr) -> exp.Expr:
        """Return an expression with its meanings written, itself where it has none."""
        if isinstance(node, exp.And):
            return self._together(node)
        meant = meaning_of(node, self.profiled)
        if meant is not None and (new := self._written(meant)) is not None:
            return new
        if isinstance(node, _SIGNS):
            self._align(node)
        for child in list(node.iter_expressions()):
            new = self.again(child)
            if new is not child:
                child.replace(new)
        return node

    def _together(self, node: exp.And) -> exp.Expr:
        parts = list(node.flatten())
        told = [meant_condition(part, self.profiled) for part in parts]
        new = [self._written(meant) for meant in merged(told)]
        if None in new:
            told, new = [None] * len(parts), []
        kept = [self.again(part) for part, meant in zip(parts, told, strict=True) if meant is None]
        return exp.and_(*(one for one in (*kept, *new) if one is not None), copy=False)

    def _written(self, meant: Meant) -> exp.Expr | None:
        try:
            text = written(meant, self.profiled, self.dialect)
        except QueryError:
            return None
        self.found.append(meant)
        return read_tree(f"SELECT ({text})", self.dialect).expressions[0]

    def _align(self, node: exp.Expr) -> None:
        """Make numbers of the constants beside a part that is now written as one, and texts beside one that is not."""
        operands = [node.this, *(node.expressions or [node.args.get("expression")])]
        operands += [node.args.get("low"), node.args.get("high")]
        values = [one and meant_value(one, self.profiled) for one in operands]
        part = next((value for value in values if isinstance(value, MeantPart)), None)
        for one in operands if part is not None else ():
            text = literal_text(one) if one is not None else None
            if one is None or part is None or text is None or not text.isdecimal():
                continue
            if part.part in _NUMBERS or part.number:
                one.replace(exp.Literal.number(int(text)))
            else:
                one.replace(exp.Literal.string(f"{int(text):02}"))
