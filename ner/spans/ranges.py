"""Two periods as one, and what one of two leaves out: «between March and May 2023», 3月到5月."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Literal

from .periods import YEARS, Period, YearPart, hour_behind, in_unit, in_year, nth
from .timed_question import TimedQuestion
from .whole import read_period
from .years import Read, read_part

__all__ = ["completed", "read_range", "sibling"]

_MODULUS = {"month": 12, "quarter": 4, "weekday": 7, "hour": 24, "day": 31}

_YEAR_PARTS: dict[str, Literal["name", "quarter", "half"]] = {"month": "name", "quarter": "quarter", "half": "half"}


def read_range(asked: TimedQuestion, i: int) -> tuple[Period, int, int] | None:
    """Read a range that begins here, and return it with the positions of its first word and behind its last one."""
    opened = asked.match(i, "opens_range")
    if opened and asked.follows(i, "compares"):
        return None
    for first in _firsts(asked, opened[1]) if opened else (i,):
        for left, behind in _lefts(asked, first):
            joined = asked.match(asked.skip(behind, "quotes"), "joins_range")
            if joined is None:
                continue
            at = asked.skip(asked.skip(asked.skip(joined[1], "fillers"), "fillers"), "quotes")
            right = _day_behind(asked, left, at) or _hour_behind(asked, left, at) or read_period(asked, at)
            if right is None:
                continue
            closed = asked.match(asked.skip(right[1], "quotes"), "closes_range")
            wants = opened[0] if opened else "and" if closed else "to"
            if joined[0] != wants and not (closed and joined[0] == "to"):
                continue
            both = _both(asked, left, right[0], opened=opened is not None)
            if both is not None:
                return both, first, closed[1] if closed else right[1]
    return None


def _day_behind(asked: TimedQuestion, left: Period | int, at: int) -> Read:
    """Read 5日 behind 3月1日 as a day of that month, and the 18 of «July 16-18, 2013»."""
    if isinstance(left, int) or left.start is None or left.end != left.start + timedelta(days=1):
        return None
    part, number, behind = read_part(asked, at), asked.number(at), at + 1
    month = in_unit(left.start, "month")
    if part and part[0].unit == "day":
        day, behind = nth(part[0], month), part[1]
    elif number and number[1] == behind and asked.text[asked.tokens[at - 1].start] in "-–" and number[0] <= 31:
        day = nth(YearPart("day", number[0]), month)
        year = asked.token(behind + 1) if asked.is_text(behind, ",") else None
        if day and day.start and left.lacks and year and len(year.text) == 4 and year.number:
            lacks = YearPart("date", 100 * day.start.month + day.start.day)
            return in_year(lacks, year.number) or day, behind + 2
    else:
        return None
    return (replace(day, relative=left.relative, note=left.note), behind) if day else None


def _hour_behind(asked: TimedQuestion, left: Period | int, at: int) -> Read:
    return None if isinstance(left, int) else hour_behind(asked, left, at)


def _firsts(asked: TimedQuestion, i: int) -> Iterator[int]:
    yield i
    if (at := asked.skip(asked.skip(i, "fillers"), "quotes")) > i:
        yield at


def _lefts(asked: TimedQuestion, i: int) -> Iterator[tuple[Period | int, int]]:
    """Yield what may stand on the left: a period, a number alone (3 to 5月), or a year with one (2023年3-5月)."""
    period = read_period(asked, i)
    if period:
        yield period
    number = asked.ordinal(i) or asked.number(i)
    if number and asked.tokens[i].text not in {"第"}:
        yield number
    if period and period[0].grain == "year" and (inner := asked.number(period[1])):
        yield replace(period[0], numbers=(inner[0],)), inner[1]


def _both(asked: TimedQuestion, left: Period | int, right: Period, *, opened: bool) -> Period | None:
    if isinstance(left, int):
        filled = sibling(left, right)
        if filled is None:
            return None
        left = filled
    elif left.numbers and left.start and right.lacks:  # 2023年3-5月
        year, first = replace(left, numbers=()), replace(right.lacks, n=left.numbers[0])
        inner, last = nth(first, year), nth(right.lacks, year)
        if inner is None or last is None:
            return None
        left, right = inner, last
    left, right = completed(left, right), completed(right, left)
    left, right = _nearer(left, right)
    if left.part or right.part:
        return _again(left, right)
    start, end = left.start, right.end
    if right.edge == "start":
        end = right.start
    if left.edge == "end":
        start = left.end
    if start is None or end is None or not start < end or (left.start and right.start and left.start > right.start):
        return None
    years = left.grain == right.grain == "year" and not (left.relative or right.relative)
    likely = all(one.start is not None and one.start.year in YEARS for one in (left, right))
    sure = left.sure or right.sure or (years and likely and opened)
    grain = right.grain if left.grain == "year" != right.grain else left.grain
    note = left.note or right.note
    return Period(start, end, grain, relative=left.relative or right.relative, note=note, sure=sure)


def sibling(n: int, right: Period) -> Period | None:
    """Return the period that a number alone says beside another one: the 8 of «between 8 and 10 o'clock»."""
    if right.part == "hour" and 0 <= n <= 24:
        last = right.numbers[0]
        return replace(right, numbers=((n + 12) % 24 if n < 12 <= last and n + 12 < last else n % 24,))
    if right.part and right.lacks and right.lacks.unit in {"name", "quarter"}:
        part = replace(right.lacks, n=n)
        return replace(right, numbers=(n,), lacks=part) if 1 <= n <= _MODULUS[right.part] else None
    if right.start is None or right.end is None or not 1 <= n <= 31:
        return None
    if right.end == right.start + timedelta(days=1):
        day = nth(YearPart("day", n), in_unit(right.start, "month"))
        lacks = right.lacks and replace(right.lacks, n=right.start.month * 100 + n)
        return replace(day, relative=right.relative, lacks=lacks) if day else None
    unit = _YEAR_PARTS.get(right.grain)
    found = in_year(YearPart(unit, n), right.start.year) if unit else None
    return replace(found, relative=right.relative) if found else None


def completed(period: Period, other: Period) -> Period:
    """Return a period that lacks its year with that of another one; as it is where the other has none either."""
    part = period.lacks
    if part is None or other.start is None or other.lacks is not None or other.part:
        return period
    found = in_year(part, other.start.year)
    return replace(found, relative=other.relative) if found else period


def _nearer(left: Period, right: Period) -> tuple[Period, Period]:
    """Move what took its year from the other by one where it lies on the wrong side: November to February 2024."""
    if left.start and right.start and left.start > right.start and (left.grain, right.grain) != ("year", "year"):
        year = left.start.year
        earlier = in_year(_part_of_year(left), right.start.year - 1) if left.grain != "year" else None
        if earlier and year == right.start.year:
            return replace(earlier, relative=left.relative), right
    return left, right


def _part_of_year(period: Period) -> YearPart:
    start = period.start
    if start is None:
        raise AssertionError("only what has a beginning is moved")
    if period.grain == "quarter":
        return YearPart("quarter", (start.month + 2) // 3)
    if period.grain == "half":
        return YearPart("half", 1 + (start.month > 6))
    return YearPart("name", start.month) if period.grain == "month" else YearPart("date", 100 * start.month + start.day)


def _again(left: Period, right: Period) -> Period | None:
    """Return what comes again from one part to another: months 11 to 2; hours stop where the last one begins."""
    if left.part != right.part or left.part is None or not left.numbers or not right.numbers:
        return None
    size, first, last = _MODULUS[left.part], left.numbers[0], right.numbers[-1]
    low = 0 if left.part == "hour" else 1
    count = (last - first) % size + (left.part != "hour")
    numbers = tuple((first - low + n) % size + low for n in range(count))
    return replace(left, numbers=numbers, lacks=None) if numbers else None
