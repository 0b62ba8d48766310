"""The interval that a comparison with a period means, and the months or weekdays of one that comes again."""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

from ....data.profiles.column_profile import TimeStorage
from ....ner.index import FoundValue
from ....ner.spans.time_span import TimeSpan

__all__ = ["EQUAL", "SIDES", "Interval", "as_it_stands", "interval_of", "numbers_of"]

Interval: TypeAlias = tuple[datetime | None, datetime | None]
"""[start, end), None being open."""

EQUAL = frozenset({"=", "LIKE", "IN", "BETWEEN"})
SIDES = {">": ("after", "since"), ">=": ("after", "since"), "<": ("before", "until"), "<=": ("before", "until")}

_ENDS = {"month": (1, 12), "quarter": (1, 4), "weekday": (1, 7), "day": (1, 31), "hour": (0, 23)}


def interval_of(span: TimeSpan, sign: str) -> Interval:
    """Return the interval that a comparison with a span means.

    Where the words around the span say a side, and the sign is on it, the words decide: «since 2020» begins with it
    whether the network writes > or >=. They always do of what hangs on the clock («older than a year» is before, not
    more), and a range is never gone past: «the last 30 days».

    >>> span = TimeSpan(0, 4, "2023", datetime(2023, 1, 1), datetime(2024, 1, 1), "year")
    >>> interval_of(span, ">")[0].year, interval_of(span, ">=")[0].year
    (2024, 2023)
    """
    if sign in EQUAL or span.bound in SIDES[sign] or span.relative or (span.bound == "in" and not span.plain):
        return span.interval
    return {
        ">": (span.end, None),
        ">=": (span.start, None),
        "<": (None, span.start),
        "<=": (None, span.end),
    }[sign]


def numbers_of(span: TimeSpan) -> tuple[int, ...]:
    """Return the months, weekdays or hours that are meant: «after June» are 7 to 12."""
    first, last = _ENDS[str(span.part)]
    low, high = min(span.numbers), max(span.numbers)
    sides = {"after": (high + 1, last), "since": (low, last), "before": (first, low - 1), "until": (first, high)}
    if span.bound == "in":
        return span.numbers
    start, end = sides[span.bound]
    return tuple(range(start, end + 1))


def as_it_stands(storage: TimeStorage, span: TimeSpan, value: FoundValue) -> bool:
    """Is a column of years compared with a year? Then the comparison is right as it stands."""
    whole = span.plain and span.grain == "year" and span.bound == "in"
    return storage.form == "year" and whole and value.value.isdigit() and len(value.value) == 4
