"""Periods seen from now: yesterday, 上个月, «the last 30 days», «two years ago», «year to date»."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from .periods import Period, TimeUnit, in_unit, moved, span_of_days
from .timed_question import TimedQuestion
from .years import Read, read_part

__all__ = ["read_relative"]

_OF_DAYS = frozenset({"hour", "minute", "second"})
"""Units that are shorter than a day."""


def read_relative(asked: TimedQuestion, i: int) -> Read:
    """Read a period that hangs on the clock."""
    for read in (_to_date, _that_was, _ago, _older, _rolling, _which, _named_day, _inside):
        if found := read(asked, i):
            return found
    return None


def _named_day(asked: TimedQuestion, i: int) -> Read:
    found = asked.match(i, "named_day")
    if found is None:
        return None
    written = asked.written(i, i + 1)
    name = i > 0 and written[0].isupper() and not written.isupper()  # The World of Tomorrow
    return replace(in_unit(asked.now, "day", found[0]), sure=not name), found[1]


def _which(asked: TimedQuestion, i: int) -> Read:
    """Read «last month», 上周五, «this weekend», «last March»."""
    which = asked.match(i, "which")
    if which is None:
        before = asked.seq(i, "unit before_last")  # the week before last
        return (in_unit(asked.now, before[0], -2), before[2]) if before else None
    n, at = which[0], asked.skip(which[1], "full")
    unit, chinese = asked.match(at, "unit"), asked.token(i).chinese
    if days := asked.match(at, "weekdays") or asked.match(asked.skip(at, "week_of"), "weekdays"):  # 上个星期的周五
        return _weekday(asked, n, days[0], chinese=chinese), days[1]
    if unit and unit[0] not in _OF_DAYS | {"half", "day"}:
        if n != 0 and asked.is_text(unit[1], "of"):  # the last year of something
            return None
        ordered = n != 0 and asked.is_text(i - 1, "the") and not asked.follows(i - 1, "seen_from_now")
        return replace(in_unit(asked.now, unit[0], n), sure=not ordered), unit[1]
    part = None if chinese else read_part(asked, at)
    return (_month(asked, n, part[0].n), part[1]) if part and part[0].unit == "name" else None


def _today(asked: TimedQuestion) -> datetime:
    return asked.now.replace(hour=0, minute=0, second=0, microsecond=0)


def _weekday(asked: TimedQuestion, n: int, days: list[int], *, chinese: bool) -> Period:
    """«last Friday» is the nearest one before today; 上周五 and a weekend are those of last week."""
    today = _today(asked)
    first = moved(today, "week", n) + timedelta(days=days[0] - today.isoweekday())
    if not chinese and n == -1 and len(days) == 1:
        first = today - timedelta(days=(today.isoweekday() - days[0]) % 7 or 7)
    return replace(span_of_days(first, len(days)), relative=True)


def _month(asked: TimedQuestion, n: int, month: int) -> Period:
    """«last March» is the nearest one that is over, «next March» the nearest that has not begun."""
    ahead = month - asked.now.month
    found = in_unit(asked.now, "month", ahead if n == 0 else -(-ahead % 12 or 12) if n < 0 else ahead % 12 or 12)
    return replace(found, note=f"taken to be in {found.start:%Y}")


def _count(asked: TimedQuestion, i: int, *, loose: bool) -> tuple[int, TimeUnit, int] | None:
    """Read «30 days», 三个月, 半年, «a year»; 3月 is a count only where that is wanted (``loose``)."""
    if half := asked.match(i, "half_a_year"):
        return 1, "half", half[1]
    number, article = asked.seq(i, "#|counts"), asked.match(i, "article")
    if number is None and article is None:
        return None
    n, at = number or (1, article[1] if article else i)
    at += asked.is_text(at, "-")
    measured = asked.skip(at, "measure", "full")
    unit, chinese = asked.match(measured, "unit"), asked.token(measured).chinese
    if unit is None or not 0 < n < 1000 or (unit[0] == "half" and not chinese):
        return None
    named = unit[0] in {"month", "quarter"} and measured == at and chinese
    if (named and not loose) or asked.is_text(measured, "日", "号", "年份", "月份"):
        return None
    return n, unit[0], unit[1]


def _rolling(asked: TimedQuestion, i: int) -> Read:
    """Read «the last 30 days»: from the same day so many units ago to the end of today."""
    rolling = asked.match(i, "rolling")
    if rolling is None:
        return None
    sign, at = rolling
    if count := _count(asked, at, loose=not asked.is_text(i, "前")):
        n, unit, behind = count
        if any(
            asked.match(inside, "full") for inside in range(at, behind)
        ):  # whole units before this one, or behind it
            first, last = sorted((sign, sign * n))
            around = replace(in_unit(asked.now, unit, first), end=in_unit(asked.now, unit, last).end)
        else:
            around = _around(asked, sign, n, unit)
        return around, asked.skip(behind, "behind_rolling")
    unit = asked.match(at, "unit")
    if unit is None or asked.token(i).chinese or not _reaches_now(asked, i, unit[0]):
        return None
    return replace(_around(asked, sign, 1, unit[0]), note=f"one {unit[0]} back from today"), unit[1]


def _reaches_now(asked: TimedQuestion, i: int, unit: TimeUnit) -> bool:
    """Is one unit back from now meant, and not the one of the calendar before this one?"""
    the = asked.is_text(i, "last") and asked.is_text(i - 1, "the") and asked.follows(i - 1, "rolling_prep")
    return asked.is_text(i, "past") or (the and unit not in {"quarter", "second"})


def _around(asked: TimedQuestion, sign: int, n: int, unit: TimeUnit) -> Period:
    if unit in _OF_DAYS:
        first, last = sorted((moved(asked.now, unit, sign * n), asked.now))
        return Period(first, last, "hour" if unit == "hour" else "second", relative=True)
    today = _today(asked)
    first, last = sorted((moved(today, unit, sign * n), today))
    return Period(first, last + timedelta(days=1), "day", relative=True)


def _ago(asked: TimedQuestion, i: int) -> Read:
    """Read «two years ago» as that year, «more than two years ago» as before that day."""
    if between := _between_ago(asked, i):
        return between
    bound = asked.match(i, "ago_bound")
    count = _count(asked, bound[1] if bound else i, loose=False)
    ago = count and asked.match(count[2], "ago")
    if not count or not ago:
        return None
    if asked.is_text(ago[1] - 1, "前") and asked.number(ago[1]):  # 前 is the beginning of «the first three»
        return None
    n, unit, _ = count
    if bound is None:
        return in_unit(moved(asked.now, unit, ago[0] * n), "day" if unit == "half" else unit), ago[1]
    return replace(_exact(asked, unit, ago[0] * n), bound=bound[0]), ago[1]


def _that_was(asked: TimedQuestion, i: int) -> Read:
    """Read «the year that was 2 years ago»."""
    was = asked.seq(i, "unit that_was")
    ago = was and _ago(asked, was[2])
    return (in_unit(ago[0].start, was[0]), ago[1]) if was and ago and ago[0].start else None


def _between_ago(asked: TimedQuestion, i: int) -> Read:
    """Read «2 to 5 years ago» as the days between, «5 or more years ago» as before then."""
    more, joined = asked.seq(i, "# or_more"), asked.seq(i, "# joins_range")
    n, _, at = more or joined or (0, "", i)
    unit = asked.match(at, "unit") if more else None
    other = (n, *unit) if unit else _count(asked, at, loose=False) if n else None
    ago = other and asked.match(other[2], "ago")
    if not other or not ago or not 0 < n < 1000:
        return None
    far, near = (_exact(asked, other[1], ago[0] * some) for some in sorted((n, other[0]), reverse=True))
    return (replace(far, bound="until") if more else replace(far, end=near.end)), ago[1]


def _exact(asked: TimedQuestion, unit: TimeUnit, n: int) -> Period:
    """Return the day (or the hour) that lies so many units off."""
    return in_unit(moved(asked.now, unit, n), unit if unit in _OF_DAYS else "day")


def _older(asked: TimedQuestion, i: int) -> Read:
    """Read «older than one year»: it may be a time since birth as well, so it is unsure."""
    bound = asked.match(i, "age_bound")
    count = bound and _count(asked, bound[1], loose=False)
    if not bound or not count:
        return None
    n, unit, at = count
    more, old = bound[0] == "more", asked.match(at, "old") is not None
    if more != old:
        return None
    side = "before" if more else bound[0]
    return replace(_exact(asked, unit, -n), bound=side, sure=unit != "year" or n < 10), at + more


def _to_date(asked: TimedQuestion, i: int) -> Read:
    """Read «year to date», YTD, «so far this year»."""
    if letters := asked.match(i, "to_date_letters"):
        return _until_today(asked, letters[0]), letters[1]
    at = asked.skip(i, "so_far")
    which = asked.match(at, "which")
    this = which is not None and which[0] == 0
    unit = asked.match(which[1] if which and this else i, "unit")
    if unit is None or unit[0] in _OF_DAYS | {"half"}:
        return None
    behind = asked.match(unit[1], "to_date")
    if behind is None and not (at > i and this):
        return None
    return _until_today(asked, unit[0]), behind[1] if behind else unit[1]


def _until_today(asked: TimedQuestion, unit: TimeUnit) -> Period:
    return Period(in_unit(asked.now, unit).start, _today(asked) + timedelta(days=1), "day", relative=True)


def _inside(asked: TimedQuestion, i: int) -> Read:
    """Read 30天内 as the last 30 days; it may be a length of time as well."""
    count = _count(asked, i, loose=False)
    inside = count and asked.match(count[2], "inside")
    token = asked.token(i)
    if not count or not inside or not (token.chinese or token.number is not None):
        return None
    return replace(_around(asked, -1, count[0], count[1]), sure=False, note="taken for the time up to today"), inside[1]
