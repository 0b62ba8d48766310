"""Periods seen from now: yesterday, 上个月, «the last 30 days», «two years ago», «year to date»."""

from dataclasses import replace
from datetime import datetime, timedelta

from .periods import Period, Reading, TimeUnit, in_unit, moved, span_of_days
from .timed_question import TimedQuestion
from .years import read_part

_OF_DAYS = frozenset({"hour", "minute", "second"})
"""Units that are shorter than a day."""


def read_relative(timed: TimedQuestion, i: int) -> Reading:
    """Read a period that depends on the clock."""
    for read in (_to_date, _ago, _older, _rolling, _which, _named_day, _inside):
        if found := read(timed, i):
            return found
    return None


def _named_day(timed: TimedQuestion, i: int) -> Reading:
    found = timed.match(i, "named_day")
    if found is None:
        return None
    written = timed.written(i, i + 1)
    name = i > 0 and written[0].isupper() and not written.isupper()  # The World of Tomorrow
    return replace(in_unit(timed.now, "day", found[0]), sure=not name), found[1]


def _which(timed: TimedQuestion, i: int) -> Reading:
    """Read «last month», 上周五, «this weekend», «last March»."""
    if before := timed.seq(i, "unit before_last"):  # the week before last
        return in_unit(timed.now, before[0], -2), before[2]
    which = timed.seq(i, "which full?")
    if which is None:
        return None
    n, at = which
    unit, chinese = timed.match(at, "unit"), timed.token(i).chinese
    if days := timed.seq(at, "weekdays") or timed.seq(at, "week_of weekdays"):  # 上个星期的周五
        return _weekday(timed, n, days[-2], chinese=chinese), days[-1]
    if unit and unit[0] not in _OF_DAYS | {"half", "day"}:
        if n != 0 and timed.is_text(unit[1], "of"):  # the last year of something
            return None
        ordered = n != 0 and timed.is_text(i - 1, "the") and not timed.follows(i - 1, "seen_from_now")
        return replace(in_unit(timed.now, unit[0], n), sure=not ordered), unit[1]
    part = None if chinese else read_part(timed, at)
    return (_month(timed, n, part[0].n), part[1]) if part and part[0].unit == "name" else None


def _today(timed: TimedQuestion) -> datetime:
    return timed.now.replace(hour=0, minute=0, second=0, microsecond=0)


def _weekday(timed: TimedQuestion, n: int, days: list[int], *, chinese: bool) -> Period:
    """«last Friday» is the nearest one before today; 上周五 and a weekend are those of last week."""
    today = _today(timed)
    first = moved(today, "week", n) + timedelta(days=days[0] - today.isoweekday())
    if not chinese and n == -1 and len(days) == 1:
        first = today - timedelta(days=(today.isoweekday() - days[0]) % 7 or 7)
    return replace(span_of_days(first, len(days)), relative=True)


def _month(timed: TimedQuestion, n: int, month: int) -> Period:
    """«last March» is the nearest one that is over, «next March» the nearest that has not begun."""
    ahead = month - timed.now.month
    found = in_unit(timed.now, "month", ahead if n == 0 else -(-ahead % 12 or 12) if n < 0 else ahead % 12 or 12)
    return replace(found, note=f"taken to be in {found.start:%Y}")


def _count(timed: TimedQuestion, i: int, *, loose: bool) -> tuple[int, TimeUnit, int] | None:
    """Read «30 days», 三个月, 半年, «a year»; 3月 is a count only where that is wanted (``loose``)."""
    if half := timed.match(i, "half_a_year"):
        return 1, "half", half[1]
    number = timed.seq(i, "#|counts|article =-?")
    if number is None:
        return None
    n, at = int(number[0]), number[1]  # an article is one
    measured = timed.skip(at, "measure", "full")
    unit, chinese = timed.match(measured, "unit"), timed.token(measured).chinese
    if unit is None or not 0 < n < 1000 or (unit[0] == "half" and not chinese):
        return None
    named = unit[0] in {"month", "quarter"} and measured == at and chinese
    if (named and not loose) or timed.is_text(measured, "日", "号", "年份", "月份"):
        return None
    return n, unit[0], unit[1]


def _rolling(timed: TimedQuestion, i: int) -> Reading:
    """Read «the last 30 days»: from the same day so many units ago to the end of today."""
    rolling = timed.match(i, "rolling")
    if rolling is None:
        return None
    sign, at = rolling
    if count := _count(timed, at, loose=not timed.is_text(i, "前")):
        n, unit, behind = count
        if any(
            timed.match(inside, "full") for inside in range(at, behind)
        ):  # whole units before this one, or behind it
            first, last = sorted((sign, sign * n))
            around = replace(in_unit(timed.now, unit, first), end=in_unit(timed.now, unit, last).end)
        else:
            around = _around(timed, sign, n, unit)
        return around, timed.skip(behind, "behind_rolling")
    unit = timed.match(at, "unit")
    if unit is None or timed.token(i).chinese or not _reaches_now(timed, i, unit[0]):
        return None
    return replace(_around(timed, sign, 1, unit[0]), note=f"one {unit[0]} back from today"), unit[1]


def _reaches_now(timed: TimedQuestion, i: int, unit: TimeUnit) -> bool:
    """Is it one unit back from now, and not the last one of the calendar?"""
    the = timed.is_text(i, "last") and timed.is_text(i - 1, "the") and timed.follows(i - 1, "rolling_prep")
    return timed.is_text(i, "past") or (the and unit not in {"quarter", "second"})


def _around(timed: TimedQuestion, sign: int, n: int, unit: TimeUnit) -> Period:
    if unit in _OF_DAYS:
        first, last = sorted((moved(timed.now, unit, sign * n), timed.now))
        return Period(first, last, "hour" if unit == "hour" else "second", relative=True)
    today = _today(timed)
    first, last = sorted((moved(today, unit, sign * n), today))
    return Period(first, last + timedelta(days=1), "day", relative=True)


def _ago(timed: TimedQuestion, i: int) -> Reading:
    """Read «two years ago» as that year, «more than two years ago» as before that day."""
    bound = timed.match(i, "ago_bound")
    count = _count(timed, bound[1] if bound else i, loose=False)
    ago = count and timed.match(count[2], "ago")
    if not count or not ago:
        return None
    if timed.is_text(ago[1] - 1, "前") and timed.number(ago[1]):  # 前 is the beginning of «the first three»
        return None
    n, unit, _ = count
    if bound is None:
        return in_unit(moved(timed.now, unit, ago[0] * n), "day" if unit == "half" else unit), ago[1]
    return replace(_exact(timed, unit, ago[0] * n), bound=bound[0]), ago[1]


def _exact(timed: TimedQuestion, unit: TimeUnit, n: int) -> Period:
    """Return the day (or the hour) that lies so many units off."""
    return in_unit(moved(timed.now, unit, n), unit if unit in _OF_DAYS else "day")


def _older(timed: TimedQuestion, i: int) -> Reading:
    """Read «older than one year»: it may be a time since birth as well, so it is unsure."""
    bound = timed.match(i, "age_bound")
    count = bound and _count(timed, bound[1], loose=False)
    if not bound or not count:
        return None
    n, unit, at = count
    more, old = bound[0] == "more", timed.match(at, "old") is not None
    if more != old:
        return None
    side = "before" if more else bound[0]
    return replace(_exact(timed, unit, -n), bound=side, sure=unit != "year" or n < 10), at + more


def _to_date(timed: TimedQuestion, i: int) -> Reading:
    """Read «year to date», YTD, «so far this year»."""
    if letters := timed.match(i, "to_date_letters"):
        return _until_today(timed, letters[0]), letters[1]
    at = timed.skip(i, "so_far")
    which = timed.match(at, "which")
    this = which is not None and which[0] == 0
    unit = timed.match(which[1] if which and this else i, "unit")
    if unit is None or unit[0] in _OF_DAYS | {"half"}:
        return None
    behind = timed.match(unit[1], "to_date")
    if behind is None and not (at > i and this):
        return None
    return _until_today(timed, unit[0]), behind[1] if behind else unit[1]


def _until_today(timed: TimedQuestion, unit: TimeUnit) -> Period:
    return Period(in_unit(timed.now, unit).start, _today(timed) + timedelta(days=1), "day", relative=True)


def _inside(timed: TimedQuestion, i: int) -> Reading:
    """Read 30天内 as the last 30 days; it may be a length of time as well."""
    count = _count(timed, i, loose=False)
    inside = count and timed.match(count[2], "inside")
    token = timed.token(i)
    if not count or not inside or not (token.chinese or token.number is not None):
        return None
    return replace(_around(timed, -1, count[0], count[1]), sure=False, note="taken for the time up to today"), inside[1]
