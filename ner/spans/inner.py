"""Parts of a period that is known: those that follow it, and first or last ones: 2023年前三个月, «first Monday of»."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from .parts import read_part
from .periods import Period, TimeUnit, YearPart, moved, nth, span_of_days
from .timed_question import TimedQuestion
from .years import Read

__all__ = ["first_or_last", "nth_weekday", "read_inner", "read_some"]


def read_inner(asked: TimedQuestion, i: int, whole: Period) -> Read:
    """Read a part behind the words of the period that it is of."""
    if some := read_some(asked, asked.skip(i, "link_behind")):
        few = first_or_last(some[0], some[1], some[2], whole)
        return (few, some[3]) if few else None
    at = asked.skip(i, "link_behind")
    part = read_part(asked, at)
    found = nth(part[0], whole) if part else None
    if part and found:
        return replace(found, sure=True), part[1]
    return _weekday(asked, at, whole) or _same_day(asked, at, whole)


def _weekday(asked: TimedQuestion, at: int, whole: Period) -> Read:
    """Read 第12周的周三."""
    days = asked.match(at, "weekdays") if whole.grain == "week" else None
    if days is None or whole.start is None:
        return None
    first = whole.start + timedelta(days=days[0][0] - 1)
    return replace(span_of_days(first, len(days[0])), relative=whole.relative), days[1]


def _same_day(asked: TimedQuestion, at: int, whole: Period) -> Read:
    """Read 去年今天."""
    day = asked.match(at, "named_day") if whole.grain == "year" else None
    found = nth(YearPart("date", 100 * asked.now.month + asked.now.day), whole) if day and day[0] == 0 else None
    return (found, day[1]) if day and found else None


def nth_weekday(n: int, days: list[int], whole: Period) -> Period | None:
    """Return the n-th Monday (say) of a period, from its end if negative; None if there is none."""
    if whole.start is None or whole.end is None or n == 0 or len(days) > 1:
        return None
    if n > 0:
        first = whole.start + timedelta(days=(days[0] - whole.start.isoweekday()) % 7 + 7 * (n - 1))
    else:
        last = whole.end - timedelta(days=1)
        first = last - timedelta(days=(last.isoweekday() - days[0]) % 7 - 7 * (n + 1))
    inside = whole.start <= first < whole.end
    return replace(span_of_days(first, 1), relative=whole.relative) if inside else None


def read_some(asked: TimedQuestion, i: int) -> tuple[int, int, TimeUnit, int] | None:
    """Read «first two quarters», 前三个月: 1 or -1 for the end, how many, of which unit, the position behind."""
    side = asked.match(i, "some_of")
    number = side and asked.number(side[1])
    if not side or not number:
        return None
    unit = asked.match(asked.skip(number[1], "measure"), "unit")
    if unit is None or unit[0] not in {"quarter", "month", "week", "day"}:
        return None
    return side[0], number[0], unit[0], unit[1]


def first_or_last(side: int, n: int, unit: TimeUnit, whole: Period) -> Period | None:
    """Return the first or last few units of a period, None if they are not within it."""
    if whole.start is None or whole.end is None:
        return None
    edge = moved(whole.start, unit, n) if side > 0 else moved(whole.end, unit, -n)
    start, end = (whole.start, edge) if side > 0 else (edge, whole.end)
    if not whole.start <= start < end <= whole.end or unit not in {"quarter", "month", "week", "day"}:
        return None
    return replace(whole, start=start, end=end, grain=unit, sure=True)
