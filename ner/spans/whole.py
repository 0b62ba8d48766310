"""Whole periods: dates, parts within longer periods, and what comes again («on Mondays», 每月15日)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from .hours import moment, read_day_part, read_hour, with_time, within_day
from .periods import Period, YearPart, in_unit, in_year, last_of, moved, nth, of_any_year, span_of_days
from .relative import read_relative
from .timed_question import TimedQuestion
from .years import Read, ReadPart, first_or_last, nth_weekday, read_inner, read_part, read_some, read_year, read_years

__all__ = ["read_period", "settled_edge"]

_SHORT = frozenset({"hour", "minute", "second"})


def read_date(timed: TimedQuestion, i: int) -> Read:
    """Read a date that `find_times` has found, 5-Jan-2023, or a month as 3/2023."""
    token = timed.token(i)
    if len(token.time) == 7 and (season := _season(timed, i)):
        return season
    if len(token.time) >= 7 and token.is_date:
        found, zone = _date(timed, i), _zone(timed, i)
        zone_text = timed.text[token.end : timed.tokens[i + zone].end] if zone > 1 else ""
        return replace(found, note=f"read as it stands, without {zone_text}" if zone_text else ""), i + 1 + zone
    if token.number is None:
        return None
    if named := timed.seq(i, "# =- month|weak_month =-"):
        day, month, at = named
        year = timed.token(at).number
        found = in_year(YearPart("date", 100 * month + day), year) if year and len(timed.token(at).text) == 4 else None
        return (found, at + 1) if found else None
    return _slashed(timed, i) if timed.is_text(i + 1, "/") else None


def _season(timed: TimedQuestion, i: int) -> Read:
    """Read the 2009-10 of a season as both years."""
    year, following = (int(part) for part in timed.token(i).time.split("-"))
    if following != (year + 1) % 100 or not timed.match(i + 1, "season"):
        return None
    return Period(datetime(year, 1, 1), datetime(year + 2, 1, 1), "year", sure=False), i + 1


def _slashed(timed: TimedQuestion, i: int) -> Read:
    """Read 3/2023 and 2023/03; 2008/09 is a season."""
    left, right = timed.token(i), timed.token(i + 2)
    if not left.number or not right.number or timed.touches(i, left="/-.") or timed.touches(i + 2, right="/-"):
        return None
    first = len(left.text) == 4 and len(right.text) == 2  # is the year the first one?
    year, month = (left.number, right.number) if first else (right.number, left.number)
    whole = (first or len(right.text) == 4) and 1000 <= year < 3000 and month <= 12
    if not whole or (first and month == (year + 1) % 100):
        return None
    return replace(in_unit(datetime(year, month, 1), "month"), relative=False), i + 3


def _zone(timed: TimedQuestion, i: int) -> int:
    """Return how many tokens behind a moment tell its zone, which is left out of account."""
    day, sign, hours = timed.token(i), timed.token(i + 1), timed.token(i + 2)
    if len(day.time) < 19 or sign.start != day.end:
        return 0
    if sign.text == "z":
        return 1
    if sign.text not in {"+", "-"} or hours.start != sign.end or not (hours.time or hours.number is not None):
        return 0
    return 4 if timed.seq(i + 3, "=: #") else 2


def _date(timed: TimedQuestion, i: int) -> Period:
    """Return the month, day or moment that an ISO form names; a moment is as long as its words are exact."""
    iso = timed.token(i).time
    if len(iso) == 7:
        return replace(in_unit(datetime.fromisoformat(f"{iso}-01"), "month"), relative=False)
    if len(iso) == 10 or iso[11:13] == "24":
        return span_of_days(datetime.fromisoformat(iso[:10]) + timedelta(days=len(iso) > 10), 1)
    return moment(timed, i, datetime.fromisoformat(iso))


def read_recurring(timed: TimedQuestion, i: int) -> Read:
    """Read a part of each year, month, week or day."""
    readers = (_day_of_month, _weekdays, read_hour, read_day_part, _of_years)
    return next((found for read in readers if (found := read(timed, i))), None)


def _weekdays(timed: TimedQuestion, i: int) -> Read:
    found = timed.match(i, "weekdays")
    if found is None:  # Mon, Tue; «sun» and «sat» are other words
        found = timed.match(i, "weak_weekdays")
        beside = timed.follows(i, "day_prep") or timed.is_text(i + 1, "-", "–")
        if found is None or not beside or not timed.text[timed.token(i).start].isupper():
            return None
    days, behind = found
    if timed.token(i).chinese:
        counted = timed.token(i - 1).number is not None and not timed.follows(i, "weekdays")
        if counted or timed.match(behind, "times"):  # 一周三次
            return None
    # a date beside the weekday says more: Monday, 3 July 2023; 2023年7月3日星期一
    if timed.token(behind + timed.is_text(behind, ",")).is_date or timed.token(i - 1).is_date:
        return None
    return Period(None, None, "day", part="weekday", numbers=tuple(days), note="of any week"), behind


def _day_of_month(timed: TimedQuestion, i: int) -> Read:
    """Read «the 15th of each month», 每月15日."""
    n, behind = 0, i
    if (each := timed.seq(i, "each unit")) and each[1] == "month" and (part := read_part(timed, each[2])):
        n, behind = part[0].n if part[0].unit == "day" else 0, part[1]
    if n == 0 and (of := timed.seq(i, "nth of_each_month")):
        n, behind = of[0] if 1 <= of[0] <= 31 else 0, of[2]
    return (Period(None, None, "day", part="day", numbers=(n,), note="of any month"), behind) if n else None


def _of_years(timed: TimedQuestion, i: int) -> Read:
    quarters = timed.seq(i, "=前 # unit")  # 前三季度: with 个 between it would be a length of time
    if quarters and quarters[1] == "quarter" and 2 <= quarters[0] <= 4:
        numbers = tuple(range(1, quarters[0] + 1))
        return Period(None, None, "quarter", part="quarter", numbers=numbers, note="of any year"), quarters[2]
    part = read_part(timed, i)
    year = part and timed.match(part[1], "of_the_year")
    if not part or not (part[0].alone or (year and part[0].unit == "half")):
        return None
    found = of_any_year(replace(part[0], sure=True) if year else part[0], timed.now)
    return (found, year[1] if year else part[1]) if found else None


_DEEP = 4  # the last day of the first week of the third month of the second half of a year


def read_period(timed: TimedQuestion, i: int) -> Read:
    """Read the longest period whose words begin here; one that no calendar holds is none."""
    if not timed.begins(i):
        return None
    try:
        longest = _longest(*(read(timed, i) for read in (_vague, _edge, _part_of, _plain, read_recurring)))
        if longest and (behind := timed.match(longest[1], "week_around")) and (week := _week_around(longest)):
            longest = week[0], behind[1]  # 3月3日那一周
        return longest and with_time(timed, within_day(timed, longest))
    except (ValueError, OverflowError):
        return None


def _plain(timed: TimedQuestion, i: int, deep: int = _DEEP) -> Read:
    """Read a period that says itself which one it is, then the parts of it that follow: 2023年第三季度, 上个月5号."""
    found = _longest(read_date(timed, i), read_years(timed, i), read_relative(timed, i), read_year(timed, i))
    while found:
        inner = read_inner(timed, found[1], found[0])
        behind = timed.match(found[1], "link_behind")
        if inner is None or (behind and deep and _part_of(timed, behind[1], deep - 1)):
            break  # of 2023, Q1 2024, the quarter is no part of 2023
        found = inner
    if found and (edge := timed.match(timed.skip(found[1], "edge_of"), "unit_edge")):
        return replace(found[0], edge=edge[0]), edge[1]
    return found


def _longest(*found: Read) -> Read:
    """Return what says most; of equals the first."""
    return max((one for one in found if one), key=lambda one: one[1], default=None)


def _part_of(timed: TimedQuestion, i: int, deep: int = _DEEP) -> Read:
    """Read «Q3 2023», «third quarter of last year», «the last day of March 2023», «the 15th of last month»."""
    if (some := read_some(timed, i)) and timed.is_text(some[3], "of", "in"):
        whole = _now_unit(timed, some[3] + 1) or _within(timed, timed.skip(some[3] + 1, "the"), deep)
        inner = first_or_last(some[0], some[1], some[2], whole[0]) if whole else None
        return (inner, whole[1]) if whole and inner else None
    if found := _weekday_of(timed, i, deep) or _week_of(timed, i) or _counted_from(timed, i, deep):
        return found
    part = read_part(timed, i) or _day_in(timed, i)
    if part is None:
        return None
    link = timed.match(part[1], "link")
    at = link[1] if link else part[1] + timed.is_text(part[1], "-", "/", "'", "’", ".")
    of = timed.is_text(part[1], "of") or not link
    whole = read_year(timed, part[1]) or (_now_unit(timed, at) if link and of else None)
    whole = whole or (_within(timed, at, deep) if of else read_year(timed, at))
    inner = nth(part[0], whole[0]) if whole else None
    return (inner, whole[1]) if whole and inner else None


def _within(timed: TimedQuestion, at: int, deep: int = _DEEP) -> Read:
    """Read what a part is of: a year, a month, or itself a part."""
    return _longest(_part_of(timed, at, deep - 1) if deep else None, _plain(timed, at, deep))


def _day_in(timed: TimedQuestion, i: int) -> ReadPart:
    found = timed.seq(i, "nth")
    return (
        (YearPart("day", found[0]), found[1])
        if found and timed.is_text(found[1], "of") and 1 <= found[0] <= 31
        else None
    )


def _weekday_of(timed: TimedQuestion, i: int, deep: int) -> Read:
    """Read «the first Monday of March 2023»."""
    found = timed.seq(i, "nth weekdays =of|in")
    whole = found and (_now_unit(timed, found[2]) or _within(timed, found[2], deep))
    day = nth_weekday(found[0], found[1], whole[0]) if found and whole else None
    return (day, whole[1]) if whole and day else None


def _week_of(timed: TimedQuestion, i: int) -> Read:
    """Read «the week of March 3, 2024» as the week that day is in; without a year it is the last such day."""
    of = timed.seq(i, "=week week_with")
    if of is None:
        return None
    day = read_date(timed, of[1]) or _part_of(timed, of[1], 0)
    if day is None and (part := read_part(timed, of[1])) and part[0].unit == "date":
        last = last_of(part[0], timed.now)
        day = (last, part[1]) if last else None
    return _week_around(day) if day else None


def _week_around(day: tuple[Period, int]) -> Read:
    start = day[0].start
    if start is None or day[0].grain != "day":
        return None
    return replace(in_unit(start, "week"), relative=day[0].relative, note=day[0].note), day[1]


def _counted_from(timed: TimedQuestion, i: int, deep: int) -> Read:
    """Read «2 days before 1 May 2023», «the year after 2010»; «each year after 2010» is no such thing."""
    number = timed.number(i)
    apart = timed.seq(number[1] if number else i, "unit apart")
    if not apart or apart[0] in _SHORT or not (number or timed.is_text(i - 1, "the")):
        return None
    unit, side, at = apart
    other = _within(timed, timed.skip(at, "the"), deep)
    if other is None or other[0].start is None or other[0].end is None or not other[0].sure or other[0].relative:
        return None
    if number:
        found = in_unit(moved(other[0].start, unit, side * number[0]), "day")
    else:
        found = in_unit(other[0].start if side < 0 else other[0].end - timedelta(days=1), unit, side)
    return replace(found, relative=False), other[1]


def _now_unit(timed: TimedQuestion, i: int) -> Read:
    """Read «of the month» as of this month; behind the start or the end of something it is the one of now."""
    the = timed.seq(i, "of_now unit")
    if not the or the[1] in _SHORT | {"half"} or timed.number(the[2]) or timed.is_text(the[2], "of"):
        return None
    return in_unit(timed.now, the[1]), the[2]


def _edge(timed: TimedQuestion, i: int) -> Read:
    """Read «the end of 2022», 年初."""
    if edge := timed.match(i, "edge"):
        of = edge[1] + timed.is_text(edge[1], "of")
        whole = (_now_unit(timed, of) if of > edge[1] else None) or _within(timed, timed.skip(of, "year_of", "the"))
        if whole is None or whole[0].start is None:
            return None
        return replace(whole[0], edge=edge[0], sure=of > edge[1] or whole[0].sure), whole[1]
    edge = timed.seq(i, "unit unit_edge")
    if not edge or edge[0] not in {"year", "month", "quarter"}:
        return None
    if timed.token(i - 1).number is not None or timed.follows(i, "which"):
        return None
    return replace(in_unit(timed.now, edge[0]), edge=edge[1]), edge[2]


def _vague(timed: TimedQuestion, i: int) -> Read:
    """Read «early 2023» as 2023, and say so."""
    if vague := timed.match(i, "vague"):
        at = vague[1] + timed.is_text(vague[1], "-")
        whole = read_years(timed, timed.skip(at, "the")) or _within(timed, at)
        if whole and whole[0].start:
            return replace(whole[0], sure=True, note=f"«{timed.token(i).text}» is not read more closely"), whole[1]
    return None


def settled_edge(period: Period, side: Literal["start", "end"]) -> Period:
    """Return what «the end of 2022» means by itself: the last month of a year, the last ten days of a month."""
    if period.start and period.end and (period.end - period.start).days > 366:
        return replace(period, edge="", note=f"its {side} is not read more closely")  # of a decade
    smaller = {"year": "month", "half": "month", "quarter": "month", "week": "day", "month": "tenth"}.get(period.grain)
    if smaller is None:
        return replace(period, edge="")
    last = side == "end"
    n = (3 if last else 1) if smaller == "tenth" else -1 if last else 1
    found = nth(YearPart(smaller, n), period)  # pyright: ignore[reportArgumentType]
    note = f"taken for its {'last' if last else 'first'} {'ten days' if smaller == 'tenth' else smaller}"
    return replace(found, edge="", note=note, sure=period.sure) if found else replace(period, edge="")
