"""Times of day: whole hours, parts of a day, and the numbers of timetables («arriving by 1730»)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from .periods import Period
from .timed_question import TimedQuestion

__all__ = [
    "clock_number",
    "hour_behind",
    "moment",
    "moves_before",
    "read_day_part",
    "read_hour",
    "with_time",
    "within_day",
]

_BACK = 8
"""Words between the verb and its time: arriving in New York on Monday no later than 1700."""

_YEARS = range(1860, 2060)
"""Of what leaves or arrives these may be years as well."""

_A_DAY = timedelta(days=1)


def read_hour(timed: TimedQuestion, i: int) -> tuple[Period, int] | None:
    """Read a whole hour of any day; «08:30» says no hour."""
    spoken = timed.seq(i, "# clock_behind? =in =the day_part")  # 5 in the evening
    if spoken and 1 <= spoken[0] <= 12:
        return _any_day((spoken[0] % 12 + 12 * (spoken[1][0] >= 12),)), spoken[2]
    if found := clock_number(timed, i):
        hour, minute, behind = found
        return (_any_day((hour,)), behind) if minute == 0 else None
    token = timed.token(i)
    if token.time[2:] not in {":00", ":00:00"}:
        return None
    if _colons(timed, i) and not timed.follows(i, "hour_prep"):
        return None  # 12:00 may be a score or a length of time
    return _any_day((int(token.time[:2]) % 24,)), i + 1


def _any_day(hours: tuple[int, ...]) -> Period:
    return Period(None, None, "hour", part="hour", numbers=hours, note="of any day")


def _colons(timed: TimedQuestion, i: int) -> int:
    return timed.written(i, i + 1).replace("：", ":").count(":")


def clock_number(timed: TimedQuestion, i: int) -> tuple[int, int, int] | None:
    """Read 1730 as a time of day where «o'clock» stands behind it, or what leaves or arrives by a timetable before it.

    Returns:
        hour, minute, the position behind.
    """
    token = timed.token(i)
    if token.number is None or token.chinese or len(token.text) not in {3, 4}:
        return None
    hour, minute = divmod(token.number, 100)
    behind = timed.match(i + 1, "clock_behind")
    alone = len(token.text) == 4 and minute % 15 == 0 and token.number not in _YEARS and moves_before(timed, i)
    if hour > 24 or minute > 59 or not (behind or alone):
        return None
    return hour % 24, minute, behind[1] if behind else i + 1


def moves_before(timed: TimedQuestion, i: int) -> bool:
    """Does a word for leaving or arriving stand before a number, with names, bounds, days and numbers between?"""
    if timed.is_text(i - 1, "in", "during", "since"):
        return False  # of years
    for at in range(i - 1, max(-1, i - 1 - _BACK), -1):
        if timed.follows(at + 1, "moves"):
            return True
        token = timed.token(at)
        passed = token.number is not None or timed.text[token.start].isupper()
        if not passed and not timed.seq(at, "before_clock|weekdays|day_part"):
            return False
    return False


def read_day_part(timed: TimedQuestion, i: int) -> tuple[Period, int] | None:
    """Read «in the morning», «Friday evening», 下午 of any day; an English one by itself names a shift or a film."""
    found = timed.match(i, "day_part")
    if found is None or not (timed.token(i).chinese or timed.follows(i, "day_part_prep", "weekdays")):
        return None
    (first, last), behind = found
    hours = tuple(range(first, last))
    return Period(None, None, "hour", part="hour", numbers=hours, note=_note(timed, i, behind, first, last)), behind


def _note(timed: TimedQuestion, i: int, behind: int, first: int, last: int) -> str:
    return f"«{timed.written(i, behind)}» is taken for {first} to {last} o'clock"


def _is_day(period: Period) -> bool:
    return period.grain == "day" and period.start is not None and period.end == period.start + _A_DAY


def within_day(timed: TimedQuestion, found: tuple[Period, int]) -> tuple[Period, int]:
    """Put a part of the day behind its day: «yesterday morning», 3月3日下午; as it is where none follows."""
    day, at = found
    part = timed.match(at, "day_part")
    if part is None or day.start is None or not _is_day(day):
        return found
    (first, last), behind = part
    start, end = (day.start + timedelta(hours=hour) for hour in (first, last))
    note = day.note or _note(timed, at, behind, first, last)
    return replace(day, start=start, end=end, grain="hour", note=note), behind


def with_time(timed: TimedQuestion, found: tuple[Period, int]) -> tuple[Period, int]:
    """Put a time of day behind its day: «yesterday at 3 pm», 昨天下午3点."""
    day, at = found[0], timed.skip(found[1], "at")
    time = timed.token(at).time
    if len(time) not in {5, 8} or time[2] != ":" or day.start is None or not _is_day(day):
        return found
    hour, minute, *second = map(int, time.split(":"))
    start = day.start + timedelta(hours=hour, minutes=minute, seconds=sum(second))
    return replace(moment(timed, at, start), relative=day.relative, note=day.note), at + 1


def moment(timed: TimedQuestion, i: int, start: datetime) -> Period:
    """Return the time that begins at a moment, as long as the words of a token say it exactly."""
    colons = _colons(timed, i)
    if start.minute == start.second == 0 and not colons:
        return Period(start, start + timedelta(hours=1), "hour")
    exact = colons > 1 or "秒" in timed.written(i, i + 1)
    return Period(start, start + timedelta(seconds=1 if exact else 60), "second")


def hour_behind(timed: TimedQuestion, left: Period, at: int) -> tuple[Period, int] | None:
    """Read the 4点 of 3月3日下午2点到4点 as the moment of that day where the range ends."""
    time = timed.token(at).time
    if left.start is None or left.grain not in {"hour", "second"} or len(time) != 5 or time[2] != ":":
        return None
    hour, minute = map(int, time.split(":"))
    end = left.start.replace(hour=0, minute=0, second=0) + timedelta(hours=hour, minutes=minute)
    if end <= left.start and hour < 12:
        end += timedelta(hours=12)
    return replace(left, start=end, end=end + timedelta(hours=1), edge="start"), at + 1
