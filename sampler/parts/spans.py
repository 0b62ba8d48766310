"""Conditions that a time lies in a span: in a quarter, since a day, from one month to another, in the last 30 days.

A span is written by `meaning.sql`, whatever the column is stored as.
"""

from dataclasses import replace
from datetime import datetime

from ...meaning.profile import TimeStorage
from ...meaning.sql import recurring, within
from ..facts.facts import ColumnFacts, TableFacts
from .conditions import Filter, FilterOf, said_of
from .draws import Draw, NothingToDraw
from .phrases import Phrase
from .span_words import CalendarUnit, SaidInterval, calendar_span, recent_span, span_between

_UNITS: dict[str, tuple[CalendarUnit, ...]] = {
    "year": ("year",),
    "month": ("year", "year", "half", "quarter", "quarter", "month", "month", "month"),
    "day": ("year", "year", "half", "quarter", "quarter", "month", "month", "month", "week", "day"),
}
"""The units that cells of a grain are asked for by."""

_BOUNDS = ("since", "since", "until", "until", "after", "before")
_DECADES = 20
"""Years between the first and the last of those times of which people say «in the 1960s»."""
_TEN = 10
_WEEKEND = (6, 7)


def in_span(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``placed >= '2024-04-01' AND placed < '2024-07-01'``: in the second quarter of 2024."""
    column = draw.time(table)
    span = _decade(draw, column) or _around(draw, column)
    said = _unnamed(draw, table, column)
    return _within(table, said, qualified, (span.start, span.end), ("span", span.said))


def bounded(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``placed >= '2024-07-01'``: since a unit of the calendar, until it, before or after it."""
    column, kind = draw.time(table), draw.one(_BOUNDS)
    span = _around(draw, column)
    ends = {
        "since": (span.start, None),
        "until": (None, span.end),
        "after": (span.end, None),
        "before": (None, span.start),
    }
    rule = "until-span" if kind == "until" and span.said.rule != "span-day" else kind
    return _within(table, column, qualified, ends[kind], (rule, span.said))


def in_range(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``placed >= '2024-03-01' AND placed < '2024-06-01'``: from March to May 2024."""
    column = draw.time(table)
    unit = draw.one(_units(column))
    if unit in {"half", "week"}:
        raise NothingToDraw
    one, other = sorted((draw.one(column.days), draw.one(column.days)))
    first, last = calendar_span(one, unit), calendar_span(other, unit)
    if first.start == last.start:
        raise NothingToDraw
    span = span_between(first, last)
    return _within(table, _unnamed(draw, table, column), qualified, (span.start, span.end), ("span", span.said))


def recent(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``placed >= '2024-05-17' AND placed < '2024-06-17'``: in the last 30 days, seen from the frame's clock."""
    column, now = draw.time(table), draw.frame.now
    if now is None or _storage(column).grain not in ("day", "second"):
        raise NothingToDraw
    draw.clocked = True
    span = recent_span(draw, now)
    return _within(table, _unnamed(draw, table, column), qualified, (span.start, span.end), ("span", span.said))


def recurs(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``STRFTIME('%m', placed) = '12'``: in December of any year, on Mondays, at the weekend."""
    column = draw.time(table)
    storage, day = _storage(column), draw.one(column.days)
    if storage.grain == "year":
        raise NothingToDraw
    part = draw.one(["month", "weekday"]) if storage.grain in ("day", "second") else "month"
    if part == "month":
        numbers, said = [day.month], Phrase("any-month", {"m": Phrase(f"month-{day.month}", {})})
    elif day.isoweekday() in _WEEKEND and draw.chance(0.7):
        numbers, said = list(_WEEKEND), Phrase("weekend", {})
    else:
        numbers, said = [day.isoweekday()], Phrase("any-weekday", {"wd": Phrase(f"weekday-{day.isoweekday()}", {})})
    where = recurring(column.ref(qualified), storage, "sqlite", part, numbers)
    return Filter(where, said_of("span", table, column, v=said))


def _unnamed(draw: Draw, table: TableFacts, column: ColumnFacts) -> ColumnFacts:
    """Return a time as one that questions need not name: «orders in May» says the first of what happened to them."""
    several = len(table.having("date", "year")) > 1
    if column is table.first_time and not draw.told and draw.chance(0.7 if several else 0.4):
        return replace(column, event=None, meaning="date")
    return column


def _around(draw: Draw, column: ColumnFacts) -> SaidInterval:
    """Return a unit of the calendar that some row lies in."""
    return calendar_span(draw.one(column.days), draw.one(_units(column)))


def _decade(draw: Draw, column: ColumnFacts) -> SaidInterval | None:
    """Return now and then a decade, where there are several; none of the first of a century, which may be all of it."""
    days = [day for day in column.days if day.year % 100 >= _TEN]
    far = max(column.days).year - min(column.days).year >= _DECADES
    return calendar_span(draw.one(days), "decade") if days and far and draw.chance(0.25) else None


def _units(column: ColumnFacts) -> tuple[CalendarUnit, ...]:
    grain = _storage(column).grain
    return _UNITS["day" if grain == "second" else grain]


def _storage(column: ColumnFacts) -> TimeStorage:
    if column.profile.time is None:
        raise NothingToDraw
    return column.profile.time


def _within(
    table: TableFacts,
    column: ColumnFacts,
    qualified: bool,
    ends: tuple[datetime | None, datetime | None],
    said: tuple[str, Phrase],
) -> Filter:
    where = within(column.ref(qualified), _storage(column), "sqlite", *ends)
    return Filter(where, said_of(said[0], table, column, v=said[1]))


SPANS: dict[str, FilterOf] = {"span": in_span, "bound": bounded}
