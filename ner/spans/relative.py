"""Periods seen from now: yesterday, 上个月, «the last 30 days», «two years ago», «year to date»."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from .periods import Period, TimeUnit, in_unit, moved, span_of_days
from .timed_question import TimedQuestion
from .years import Read, read_part

__all__ = ["read_relative"]


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
    token = asked.tokens[i]
    written = asked.text[token.start : token.end]
    name = i > 0 and written[0].isupper() and not written.isupper()  # The World of Tomorrow
    return replace(in_unit(asked.now, "day", found[0]), sure=not name), found[1]


def _which(asked: TimedQuestion, i: int) -> Read:
    """Read «last month», 上周五, «this weekend», «last March»."""
    which = asked.match(i, "which")
    if which is None:
        unit = asked.match(i, "unit")  # the week before last
        before = unit and asked.match(unit[1], "before_last")
        return (in_unit(asked.now, unit[0], -2), before[1]) if unit and before else None
    n, at = which[0], asked.skip(which[1], "full")
    unit = asked.match(at, "unit")
    week = asked.match(at, "week_of")  # 上个星期的周五
    days = asked.match(at, "weekdays") or (asked.match(week[1], "weekdays") if week else None)
    chinese = not asked.tokens[i].text.isascii()
    if days:
        return _weekday(asked, n, days[0], chinese=chinese), days[1]
    if unit and unit[0] not in {"half", "day", "hour", "minute", "second"}:
        return _unit(asked, i, n, unit)
    part = None if chinese else read_part(asked, at)
    return (_month(asked, n, part[0].n), part[1]) if part and part[0].unit == "name" else None


def _unit(asked: TimedQuestion, i: int, n: int, unit: tuple[TimeUnit, int]) -> Read:
    """Return «last year», or nothing for «the last year of something»; without a preposition that may be meant."""
    if n != 0 and asked.is_text(unit[1], "of"):
        return None
    ordered = n != 0 and asked.is_text(i - 1, "the") and not asked.follows(i - 1, "seen_from_now")
    return replace(in_unit(asked.now, unit[0], n), sure=not ordered), unit[1]


def _weekday(asked: TimedQuestion, n: int, days: list[int], *, chinese: bool) -> Period:
    """«last Friday» is the nearest one before today; 上周五 and a weekend are those of last week."""
    week = in_unit(asked.now, "week", n).start or asked.now
    first = week + timedelta(days=days[0] - 1)
    if not chinese and n == -1 and len(days) == 1:
        today = in_unit(asked.now, "day").start or asked.now
        first = today - timedelta(days=(today.isoweekday() - days[0]) % 7 or 7)
    return replace(span_of_days(first, len(days)), relative=True)


def _month(asked: TimedQuestion, n: int, month: int) -> Period:
    """«last March» is the nearest one that is over, «next March» the nearest that has not begun."""
    back = -((asked.now.month - month) % 12 or 12) if n < 0 else (month - asked.now.month) % 12 or 12
    found = in_unit(asked.now, "month", month - asked.now.month if n == 0 else back)
    return replace(found, note=f"taken to be in {found.start:%Y}")


def _count(asked: TimedQuestion, i: int, *, loose: bool) -> tuple[int, TimeUnit, int] | None:
    """Read «30 days», 三个月, 半年, «a year»; 3月 is a count only where that is wanted (``loose``)."""
    if half := asked.match(i, "half_a_year"):
        return 1, "half", half[1]
    number = asked.number(i) or asked.match(i, "counts")
    article = None if number else asked.match(i, "article")
    if number is None and article is None:
        return None
    n, at = number or (1, article[1] if article else i)
    at += asked.is_text(at, "-")
    measured = asked.skip(asked.skip(at, "measure"), "full")
    unit = asked.match(measured, "unit")
    if unit is None or not 0 < n < 1000 or (unit[0] == "half" and asked.tokens[measured].text.isascii()):
        return None
    named = unit[0] in {"month", "quarter"} and measured == at and not asked.tokens[at].text.isascii()
    if (named and not loose) or asked.is_text(measured, "日", "号", "年份", "月份"):
        return None
    return n, unit[0], unit[1]


def _rolling(asked: TimedQuestion, i: int) -> Read:
    """Read «the last 30 days»: from the same day so many units ago to the end of today."""
    rolling = asked.match(i, "rolling")
    if rolling is None:
        return None
    count = _count(asked, rolling[1], loose=not asked.is_text(i, "前"))
    if count:
        full = any(asked.match(at, "full") for at in range(rolling[1], count[2]))
        around = (
            _full(asked, rolling[0], count[0], count[1]) if full else _around(asked, rolling[0], count[0], count[1])
        )
        return around, asked.skip(count[2], "behind_rolling")
    unit = asked.match(rolling[1], "unit")
    if unit is None or not asked.tokens[i].text.isascii() or not _reaches_now(asked, i, unit[0]):
        return None
    return replace(_around(asked, rolling[0], 1, unit[0]), note=f"one {unit[0]} back from today"), unit[1]


def _full(asked: TimedQuestion, sign: int, n: int, unit: TimeUnit) -> Period:
    """Return so many whole units of the calendar before this one, or behind it."""
    first, last = sorted((sign, sign * n))
    return replace(in_unit(asked.now, unit, first), end=in_unit(asked.now, unit, last).end)


def _reaches_now(asked: TimedQuestion, i: int, unit: TimeUnit) -> bool:
    """Is one unit back from now meant, and not the one of the calendar before this one?"""
    if asked.is_text(i, "past"):
        return True
    the = asked.is_text(i, "last") and asked.is_text(i - 1, "the")
    return the and unit not in {"quarter", "second"} and asked.follows(i - 1, "rolling_prep")


def _around(asked: TimedQuestion, sign: int, n: int, unit: TimeUnit) -> Period:
    if unit in {"hour", "minute", "second"}:
        first, last = sorted((moved(asked.now, unit, sign * n), asked.now))
        return Period(first, last, "hour" if unit == "hour" else "second", relative=True)
    today = in_unit(asked.now, "day").start or asked.now
    first, last = sorted((moved(today, unit, sign * n), today))
    return Period(first, last + timedelta(days=1), "day", relative=True)


def _ago(asked: TimedQuestion, i: int) -> Read:
    """Read «two years ago» as that year, «more than two years ago» as before that day."""
    if between := _between_ago(asked, i):
        return between
    bound = asked.match(i, "ago_bound")
    count = _count(asked, bound[1] if bound else i, loose=False)
    ago = count and asked.match(count[2], "ago")
    if not count or not ago or _goes_on(asked, ago[1] - 1):
        return None
    n, unit_name, _ = count
    if bound is None:
        there = moved(asked.now, unit_name, ago[0] * n)
        return in_unit(there, "day" if unit_name == "half" else unit_name), ago[1]
    return replace(_exact(asked, unit_name, ago[0] * n), bound=bound[0]), ago[1]


def _that_was(asked: TimedQuestion, i: int) -> Read:
    """Read «the year that was 2 years ago»."""
    unit = asked.match(i, "unit")
    was = unit and asked.match(unit[1], "that_was")
    ago = was and _ago(asked, was[1])
    return (in_unit(ago[0].start, unit[0]), ago[1]) if unit and ago and ago[0].start else None


def _between_ago(asked: TimedQuestion, i: int) -> Read:
    """Read «2 to 5 years ago» as the days between, «5 or more years ago» as before then."""
    number = asked.number(i)
    more = number and asked.match(number[1], "or_more")
    joined = more or (number and asked.match(number[1], "joins_range"))
    if not number or not joined:
        return None
    unit = asked.match(joined[1], "unit") if more else None
    other = (number[0], unit[0], unit[1]) if unit else _count(asked, joined[1], loose=False)
    ago = other and asked.match(other[2], "ago")
    if not other or not ago or not 0 < number[0] < 1000:
        return None
    far, near = (_exact(asked, other[1], ago[0] * n) for n in sorted((number[0], other[0]), reverse=True))
    return (replace(far, bound="until") if more else replace(far, end=near.end)), ago[1]


def _exact(asked: TimedQuestion, unit: TimeUnit, n: int) -> Period:
    """Return the day (or the hour) that lies so many units off."""
    sub_day = unit in {"hour", "minute", "second"}
    return in_unit(moved(asked.now, unit, n), unit if sub_day else "day")


def _goes_on(asked: TimedQuestion, i: int) -> bool:
    """Is 前 the beginning of «the first three»?"""
    return asked.is_text(i, "前") and asked.number(i + 1) is not None


def _older(asked: TimedQuestion, i: int) -> Read:
    """Read «older than one year»: it may be a time since birth as well, so it is unsure."""
    bound = asked.match(i, "age_bound")
    count = bound and _count(asked, bound[1], loose=False)
    if not bound or not count:
        return None
    at = count[2]
    if bound[0] == "more":
        if not asked.match(at, "old"):
            return None
        at += 1
    elif asked.match(at, "old"):
        return None
    period = _exact(asked, count[1], -count[0])
    sure = count[1] != "year" or count[0] < 10
    return replace(period, bound="before" if bound[0] == "more" else bound[0], sure=sure), at


def _to_date(asked: TimedQuestion, i: int) -> Read:
    """Read «year to date», YTD, «so far this year»."""
    if letters := asked.match(i, "to_date_letters"):
        return _until_today(asked, letters[0]), letters[1]
    far = asked.match(i, "so_far")
    which = asked.match(far[1] if far else i, "which")
    unit = asked.match(which[1] if which and which[0] == 0 else i, "unit")
    if unit is None or unit[0] in {"half", "hour", "minute", "second"}:
        return None
    behind = asked.match(unit[1], "to_date")
    if behind is None and not (far and which and which[0] == 0):
        return None
    return _until_today(asked, unit[0]), behind[1] if behind else unit[1]


def _until_today(asked: TimedQuestion, unit: TimeUnit) -> Period:
    today = in_unit(asked.now, "day")
    return Period(in_unit(asked.now, unit).start, today.end, "day", relative=True)


def _inside(asked: TimedQuestion, i: int) -> Read:
    """Read 30天内 as the last 30 days; it may be a length of time as well."""
    count = _count(asked, i, loose=False)
    inside = count and asked.match(count[2], "inside")
    if not count or not inside or (asked.tokens[i].text.isascii() and asked.tokens[i].number is None):
        return None
    return replace(_around(asked, -1, count[0], count[1]), sure=False, note="taken for the time up to today"), inside[1]
