"""Whole periods: parts within longer ones, their ends, days with a time of day."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Literal

from .clock import within_day
from .dates import read_date, with_time
from .inner import first_or_last, nth_weekday, read_inner, read_some
from .parts import read_part
from .periods import Period, YearPart, in_unit, last_of, moved, nth
from .recurring import read_recurring
from .relative import read_relative
from .timed_question import TimedQuestion
from .years import Read, read_year, read_years

__all__ = ["read_period", "settled_edge"]

_DEEP = 4  # the last day of the first week of the third month of the second half of a year


def read_period(asked: TimedQuestion, i: int) -> Read:
    """Read the longest period whose words begin here; one that no calendar holds is none."""
    if not asked.begins(i):
        return None
    try:
        found = [one for one in (read(asked, i) for read in (_vague, _edge, _part_of, _plain, read_recurring)) if one]
        longest = max(found, key=lambda one: one[1], default=None)
        return longest and with_time(asked, within_day(asked, _whole_week(asked, longest)))
    except (ValueError, OverflowError):
        return None


def _plain(asked: TimedQuestion, i: int, deep: int = _DEEP) -> Read:
    """Read a period that says itself which one it is, then the parts of it that follow: 2023年第三季度, 上个月5号."""
    found = _longest(read_date(asked, i), read_years(asked, i), read_relative(asked, i), read_year(asked, i))
    while found:
        inner = read_inner(asked, found[1], found[0])
        behind = asked.match(found[1], "link_behind")
        if inner is None or (behind and deep and _part_of(asked, behind[1], deep - 1)):
            break  # of 2023, Q1 2024, the quarter is no part of 2023
        found = inner
    if found and (edge := asked.match(asked.skip(found[1], "edge_of"), "unit_edge")):
        return replace(found[0], edge=edge[0]), edge[1]
    return found


def _longest(*found: Read) -> Read:
    """Return what says most; of equals the first."""
    return max((one for one in found if one), key=lambda one: one[1], default=None)


def _part_of(asked: TimedQuestion, i: int, deep: int = _DEEP) -> Read:
    """Read «Q3 2023», «third quarter of last year», «the last day of March 2023», «the 15th of last month»."""
    if (some := read_some(asked, i)) and asked.is_text(some[3], "of", "in"):
        whole = _now_unit(asked, some[3] + 1) or _within(asked, asked.skip(some[3] + 1, "the"), deep)
        inner = first_or_last(some[0], some[1], some[2], whole[0]) if whole else None
        return (inner, whole[1]) if whole and inner else None
    if found := _weekday_of(asked, i, deep) or _week_of(asked, i) or _counted_from(asked, i, deep):
        return found
    part = read_part(asked, i) or _day_in(asked, i)
    if part is None:
        return None
    link = asked.match(part[1], "link")
    at = link[1] if link else part[1] + (asked.is_text(part[1], "-", "/", "'", "’", "."))
    of = asked.is_text(part[1], "of") or not link
    whole = read_year(asked, part[1]) or (_now_unit(asked, at) if link and of else None)
    whole = whole or (_within(asked, at, deep) if of else read_year(asked, at))
    inner = nth(part[0], whole[0]) if whole else None
    if whole is None or inner is None:
        return None
    return inner, whole[1]


def _within(asked: TimedQuestion, at: int, deep: int = _DEEP) -> Read:
    """Read what a part is of: a year, a month, or itself a part."""
    return _longest(_part_of(asked, at, deep - 1) if deep else None, _plain(asked, at, deep))


def _day_in(asked: TimedQuestion, i: int) -> tuple[YearPart, int] | None:
    found = asked.ordinal(i)
    if found and asked.is_text(found[1], "of") and 1 <= found[0] <= 31:
        return YearPart("day", found[0]), found[1]
    return None


def _weekday_of(asked: TimedQuestion, i: int, deep: int) -> Read:
    """Read «the first Monday of March 2023»."""
    found = asked.ordinal(i)
    days = found and asked.match(found[1], "weekdays")
    if not found or not days or not asked.is_text(days[1], "of", "in"):
        return None
    whole = _now_unit(asked, days[1] + 1) or _within(asked, days[1] + 1, deep)
    day = nth_weekday(found[0], days[0], whole[0]) if whole else None
    return (day, whole[1]) if whole and day else None


def _week_of(asked: TimedQuestion, i: int) -> Read:
    """Read «the week of March 3, 2024» as the week that day is in."""
    of = asked.match(i + 1, "week_with") if asked.is_text(i, "week") else None
    day = of and (read_date(asked, of[1]) or _part_of(asked, of[1], 0) or _last_day(asked, of[1]))
    return _week_around(day) if day else None


def _last_day(asked: TimedQuestion, i: int) -> Read:
    """Read a day without its year, taken to be the last one."""
    part = read_part(asked, i)
    found = last_of(part[0], asked.now) if part and part[0].unit == "date" else None
    return (found, part[1]) if part and found else None


def _whole_week(asked: TimedQuestion, found: tuple[Period, int]) -> tuple[Period, int]:
    """Read 3月3日那一周 as the week that day is in."""
    behind = asked.match(found[1], "week_around")
    week = _week_around(found) if behind else None
    return (week[0], behind[1]) if week and behind else found


def _week_around(day: tuple[Period, int]) -> Read:
    start = day[0].start
    if start is None or day[0].grain != "day":
        return None
    return replace(in_unit(start, "week"), relative=day[0].relative, note=day[0].note), day[1]


def _counted_from(asked: TimedQuestion, i: int, deep: int) -> Read:
    """Read «2 days before 1 May 2023», «the year after 2010»; «each year after 2010» is no such thing."""
    number = asked.number(i)
    unit = asked.match(number[1] if number else i, "unit")
    side = unit and asked.match(unit[1], "apart")
    if not unit or not side or not (number or asked.is_text(i - 1, "the")) or unit[0] in {"hour", "minute", "second"}:
        return None
    other = _within(asked, asked.skip(side[1], "the"), deep)
    if other is None or other[0].start is None or other[0].end is None or not other[0].sure or other[0].relative:
        return None
    if number:
        found = in_unit(moved(other[0].start, unit[0], side[0] * number[0]), "day")
    else:
        found = in_unit(other[0].start if side[0] < 0 else other[0].end - timedelta(days=1), unit[0], side[0])
    return replace(found, relative=False), other[1]


def _now_unit(asked: TimedQuestion, i: int) -> Read:
    """Read «of the month» as of this month; behind the start or the end of something it is the one of now."""
    the = asked.match(i, "of_now")
    unit = the and asked.match(the[1], "unit")
    if not the or not unit or unit[0] in {"hour", "minute", "second", "half"} or asked.number(unit[1]):
        return None
    if asked.is_text(unit[1], "of"):
        return None
    return in_unit(asked.now, unit[0]), unit[1]


def _edge(asked: TimedQuestion, i: int) -> Read:
    """Read «the end of 2022», 年初."""
    if edge := asked.match(i, "edge"):
        of = edge[1] + asked.is_text(edge[1], "of")
        at = asked.skip(of, "year_of")
        whole = (_now_unit(asked, of) if of > edge[1] else None) or _within(asked, asked.skip(at, "the"))
        sure = of > edge[1] or (whole is not None and whole[0].sure)
        return (replace(whole[0], edge=edge[0], sure=sure), whole[1]) if whole and whole[0].start else None
    unit = asked.match(i, "unit")
    if unit and unit[0] in {"year", "month", "quarter"} and (edge := asked.match(unit[1], "unit_edge")):
        before = asked.token(i - 1)
        if before is None or (before.number is None and not asked.follows(i, "which")):
            return replace(in_unit(asked.now, unit[0]), edge=edge[0]), edge[1]
    return None


def _vague(asked: TimedQuestion, i: int) -> Read:
    """Read «early 2023» as 2023, and say so."""
    if vague := asked.match(i, "vague"):
        at = vague[1] + asked.is_text(vague[1], "-")
        whole = read_years(asked, asked.skip(at, "the")) or _within(asked, at)
        if whole and whole[0].start:
            return replace(whole[0], sure=True, note=f"«{asked.tokens[i].text}» is not read more closely"), whole[1]
    return None


def settled_edge(period: Period, side: Literal["start", "end"]) -> Period:
    """Return what «the end of 2022» means by itself: the last month of a year, the last ten days of a month."""
    if period.start and period.end and (period.end - period.start).days > 366:
        return replace(period, edge="", note=f"its {side} is not read more closely")  # of a decade
    smaller = {"year": "month", "half": "month", "quarter": "month", "week": "day"}.get(period.grain)
    last = -1 if side == "end" else 1
    if smaller is not None:
        part = YearPart(smaller, last)  # pyright: ignore[reportArgumentType]
    elif period.grain == "month":
        part = YearPart("tenth", 3 if side == "end" else 1)
    else:
        return replace(period, edge="")
    found = nth(part, period)
    told = "taken for its last" if side == "end" else "taken for its first"
    length = "month" if period.grain in {"year", "half", "quarter"} else "day" if period.grain == "week" else "ten days"
    return replace(found, edge="", note=f"{told} {length}", sure=period.sure) if found else replace(period, edge="")
