"""Times of day: «at 8 am», «after 1700» of what leaves or arrives, «in the morning», 下午."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from .periods import Period
from .timed_question import TimedQuestion

__all__ = ["clock_number", "hour_behind", "moves_before", "read_day_part", "read_hour", "within_day"]

_BACK = 8
"""Words between the verb and its time: arriving in New York on Monday no later than 1700."""

_YEARS = range(1860, 2060)
"""Of what leaves or arrives these may be years as well."""


def read_hour(asked: TimedQuestion, i: int) -> tuple[Period, int] | None:
    """Read a whole hour of any day; «08:30» says no hour."""
    if spoken := _spoken(asked, i):
        return spoken
    if found := clock_number(asked, i):
        hour, minute, behind = found
        return (_any_day((hour,)), behind) if minute == 0 else None
    token = asked.token(i)
    if token is None or token.time[2:] not in {":00", ":00:00"}:
        return None
    if asked.text[token.start : token.end].replace("：", ":").count(":") and not asked.follows(i, "hour_prep"):
        return None  # 12:00 may be a score or a length of time
    return _any_day((int(token.time[:2]) % 24,)), i + 1


def _spoken(asked: TimedQuestion, i: int) -> tuple[Period, int] | None:
    """Read «5 in the evening», «eight o'clock in the morning»."""
    number = asked.number(i)
    at = number and asked.skip(number[1], "clock_behind")
    part = asked.match(at + 2, "day_part") if at and asked.is_text(at, "in") and asked.is_text(at + 1, "the") else None
    if not number or not part or not 1 <= number[0] <= 12:
        return None
    return _any_day((number[0] % 12 + 12 * (part[0][0] >= 12),)), part[1]


def _any_day(hours: tuple[int, ...]) -> Period:
    return Period(None, None, "hour", part="hour", numbers=hours, note="of any day")


def clock_number(asked: TimedQuestion, i: int) -> tuple[int, int, int] | None:
    """Read 1730 as a time of day where «o'clock» stands behind it, or what leaves or arrives by a timetable before it.

    Returns:
        hour, minute, the position behind.
    """
    token = asked.token(i)
    if token is None or token.number is None or not token.text.isascii() or len(token.text) not in {3, 4}:
        return None
    hour, minute = divmod(token.number, 100)
    behind = asked.match(i + 1, "clock_behind")
    alone = len(token.text) == 4 and minute % 15 == 0 and token.number not in _YEARS and moves_before(asked, i)
    if hour > 24 or minute > 59 or not (behind or alone):
        return None
    return hour % 24, minute, behind[1] if behind else i + 1


def moves_before(asked: TimedQuestion, i: int) -> bool:
    """Does a word for leaving or arriving stand before a number, with names, bounds, days and numbers between?"""
    if asked.is_text(i - 1, "in", "during", "since"):
        return False  # of years
    for at in range(i - 1, max(-1, i - 1 - _BACK), -1):
        if asked.follows(at + 1, "moves"):
            return True
        token = asked.tokens[at]
        passed = token.number is not None or asked.text[token.start].isupper()
        if not passed and not any(asked.match(at, table) for table in ("before_clock", "weekdays", "day_part")):
            return False
    return False


def read_day_part(asked: TimedQuestion, i: int) -> tuple[Period, int] | None:
    """Read «in the morning», «Friday evening», 下午 of any day; an English one by itself names a shift or a film."""
    found = asked.match(i, "day_part")
    told = not asked.tokens[i].text.isascii() or asked.follows(i, "day_part_prep") or asked.follows(i, "weekdays")
    if found is None or not told:
        return None
    (first, last), behind = found
    note = _taken(asked, i, found)
    return Period(None, None, "hour", part="hour", numbers=tuple(range(first, last)), note=note), behind


def _taken(asked: TimedQuestion, i: int, found: tuple[tuple[int, int], int]) -> str:
    (first, last), behind = found
    said = asked.text[asked.tokens[i].start : asked.tokens[behind - 1].end]
    return f"«{said}» is taken for {first} to {last} o'clock"


def within_day(asked: TimedQuestion, found: tuple[Period, int]) -> tuple[Period, int]:
    """Put a part of the day behind its day: «yesterday morning», 3月3日下午; as it is where none follows."""
    day, at = found
    part = asked.match(at, "day_part")
    if part is None or day.grain != "day" or day.start is None or day.end != day.start + timedelta(days=1):
        return found
    (first, last), behind = part
    start, end = (day.start + timedelta(hours=hour) for hour in (first, last))
    return replace(day, start=start, end=end, grain="hour", note=day.note or _taken(asked, at, part)), behind


def hour_behind(asked: TimedQuestion, left: Period, at: int) -> tuple[Period, int] | None:
    """Read the 4点 of 3月3日下午2点到4点 as the moment of that day where the range ends."""
    token = asked.token(at)
    if left.start is None or left.grain not in {"hour", "second"} or token is None or len(token.time) != 5:
        return None
    if token.time[2] != ":":
        return None
    hour, minute = map(int, token.time.split(":"))
    midnight = left.start.replace(hour=0, minute=0, second=0)
    end = midnight + timedelta(hours=hour, minutes=minute)
    if end <= left.start and hour < 12:
        end += timedelta(hours=12)
    return replace(left, start=end, end=end + timedelta(hours=1), edge="start"), at + 1
