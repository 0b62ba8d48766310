"""Whole periods: dates, parts within longer periods, and what comes again («on Mondays», 每月15日)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from .periods import (
    Period,
    YearPart,
    in_unit,
    in_year,
    last_of,
    moved,
    nth,
    of_any_year,
    read_day_part,
    read_hour,
    span_of_days,
    within_day,
)
from .relative import read_relative
from .timed_question import TimedQuestion
from .years import Read, first_or_last, nth_weekday, read_inner, read_part, read_some, read_year, read_years

__all__ = ["read_period", "settled_edge"]


def read_date(asked: TimedQuestion, i: int) -> Read:
    """Read a date that `find_times` has found, 5-Jan-2023, or a month as 3/2023."""
    token = asked.token(i)
    if token is None:
        return None
    if len(token.time) == 7 and (season := _season(asked, i)):
        return season
    if len(token.time) >= 7 and token.time[2] != ":":
        found, zone = _date(token.time, asked.text[token.start : token.end]), _zone(asked, i)
        told = asked.text[token.end : asked.tokens[i + zone].end] if zone > 1 else ""
        return replace(found, note=f"read as it stands, without {told}" if told else ""), i + 1 + zone
    if token.number is None:
        return None
    if asked.is_text(i + 1, "-") and (month := asked.match(i + 2, "month") or asked.match(i + 2, "weak_month")):
        return _named_month(asked, i, month[0])
    return _slashed(asked, i) if asked.is_text(i + 1, "/") else None


def _season(asked: TimedQuestion, i: int) -> Read:
    """Read the 2009-10 of a season as both years."""
    year, following = (int(part) for part in asked.tokens[i].time.split("-"))
    if following != (year + 1) % 100 or not asked.match(i + 1, "season"):
        return None
    return Period(datetime(year, 1, 1), datetime(year + 2, 1, 1), "year", sure=False), i + 1


def _slashed(asked: TimedQuestion, i: int) -> Read:
    """Read 3/2023 and 2023/03; 2008/09 is a season."""
    left, right = asked.tokens[i], asked.token(i + 2)
    if right is None or not right.number or not left.number:
        return None
    if asked.touches(i, left="/-.") or asked.touches(i + 2, right="/-"):
        return None
    first = len(left.text) == 4 and len(right.text) == 2  # is the year the first one?
    year, month = (left.number, right.number) if first else (right.number, left.number)
    whole = (first or len(right.text) == 4) and 1000 <= year < 3000 and month <= 12
    season = first and month == (year + 1) % 100
    return (_date(f"{year}-{month:02}", ""), i + 3) if whole and not season else None


def _named_month(asked: TimedQuestion, i: int, month: int) -> Read:
    """Read 5-Jan-2023."""
    day, year = asked.tokens[i].number, asked.token(i + 4)
    if year is None or len(year.text) != 4 or not year.number or not asked.is_text(i + 3, "-") or day is None:
        return None
    found = in_year(YearPart("date", 100 * month + day), year.number)
    return (found, i + 5) if found else None


def _zone(asked: TimedQuestion, i: int) -> int:
    """Return how many tokens behind a moment tell its zone, which is left out of account."""
    moment, sign, hours = asked.tokens[i], asked.token(i + 1), asked.token(i + 2)
    if len(moment.time) < 19 or sign is None or sign.start != moment.end:
        return 0
    if sign.text == "z":
        return 1
    touches = sign.text in {"+", "-"} and hours is not None and hours.start == sign.end
    if not touches or hours is None or not (hours.time or hours.number is not None):
        return 0
    minutes = asked.is_text(i + 3, ":") and asked.number(i + 4) is not None
    return 4 if minutes else 2


def _date(iso: str, said: str) -> Period:
    """Return the month, day or moment that an ISO form names; a moment is as long as its words are exact."""
    if len(iso) == 7:
        start = datetime.fromisoformat(f"{iso}-01")
        return replace(in_unit(start, "month"), relative=False)
    if len(iso) == 10:
        return span_of_days(datetime.fromisoformat(iso), 1)
    if iso[11:13] == "24":
        return span_of_days(datetime.fromisoformat(iso[:10]) + timedelta(days=1), 1)
    return _moment(datetime.fromisoformat(iso), said)


def _moment(start: datetime, said: str) -> Period:
    marks = said.replace("：", ":").count(":")
    if start.minute == start.second == 0 and not marks:
        return Period(start, start + timedelta(hours=1), "hour")
    exact = marks > 1 or "秒" in said
    return Period(start, start + timedelta(seconds=1 if exact else 60), "second")


def with_time(asked: TimedQuestion, found: tuple[Period, int]) -> Read:
    """Put a time of day behind its day: «yesterday at 3 pm», 昨天下午3点."""
    period, at = found
    token = asked.token(asked.skip(at, "at"))
    if token is None or len(token.time) not in {5, 8} or token.time[2] != ":" or period.start is None:
        return found
    if period.grain != "day" or period.end is None or period.end - period.start != timedelta(days=1):
        return found
    hour, minute, *second = map(int, token.time.split(":"))
    start = period.start + timedelta(hours=hour, minutes=minute, seconds=second[0] if second else 0)
    moment = _moment(start, asked.text[token.start : token.end])
    return replace(moment, relative=period.relative, note=period.note), asked.skip(at, "at") + 1


def read_recurring(asked: TimedQuestion, i: int) -> Read:
    """Read a part of each year, month, week or day."""
    readers = (_day_of_month, _weekdays, read_hour, read_day_part, _of_years)
    return next((found for read in readers if (found := read(asked, i))), None)


def _weekdays(asked: TimedQuestion, i: int) -> Read:
    found = asked.match(i, "weekdays") or _short_weekday(asked, i)
    if found is None:
        return None
    if not asked.tokens[i].text.isascii():
        number = asked.token(i - 1)
        counted = number is not None and number.number is not None and not asked.follows(i, "weekdays")
        if counted or asked.match(found[1], "times"):  # 一周三次
            return None
    if _dated(asked, i, found[1]):
        return None
    numbers = tuple(found[0])
    return Period(None, None, "day", part="weekday", numbers=numbers, note="of any week"), found[1]


def _short_weekday(asked: TimedQuestion, i: int) -> tuple[list[int], int] | None:
    """Read Mon, Tue; «sun» and «sat» are other words."""
    found = asked.match(i, "weak_weekdays")
    capital = found and asked.text[asked.tokens[i].start].isupper()
    beside = asked.follows(i, "day_prep") or asked.is_text(i + 1, "-", "–")
    return found if capital and beside else None


def _dated(asked: TimedQuestion, i: int, behind: int) -> bool:
    """Does a date stand beside the weekday, so that it tells nothing: Monday, 3 July 2023; 2023年7月3日星期一?"""
    date, before = asked.token(behind + asked.is_text(behind, ",")), asked.token(i - 1)
    return any(token is not None and token.time[2:3] != ":" and token.time != "" for token in (date, before))


def _day_of_month(asked: TimedQuestion, i: int) -> Read:
    """Read «the 15th of each month», 每月15日."""
    if (each := asked.match(i, "each")) and (unit := asked.match(each[1], "unit")) and unit[0] == "month":
        part = read_part(asked, unit[1])
        if part and part[0].unit == "day":
            return _day(part[0].n), part[1]
    found = asked.ordinal(i)
    of = found and asked.match(found[1], "of_each_month")
    return (_day(found[0]), of[1]) if found and of and 1 <= found[0] <= 31 else None


def _day(n: int) -> Period:
    return Period(None, None, "day", part="day", numbers=(n,), note="of any month")


def _of_years(asked: TimedQuestion, i: int) -> Read:
    if quarters := _quarters(asked, i):
        return quarters
    part = read_part(asked, i)
    if part is None:
        return None
    year = asked.match(part[1], "of_the_year")
    if not part[0].alone and not (year and part[0].unit == "half"):
        return None
    found = of_any_year(replace(part[0], sure=True) if year else part[0], asked.now)
    return (found, year[1] if year else part[1]) if found else None


def _quarters(asked: TimedQuestion, i: int) -> Read:
    """Read 前三季度: with 个 between it would be a length of time."""
    number = asked.number(i + 1) if asked.is_text(i, "前") else None
    unit = number and asked.match(number[1], "unit")
    if not number or not unit or unit[0] != "quarter" or not 2 <= number[0] <= 4:
        return None
    numbers = tuple(range(1, number[0] + 1))
    return Period(None, None, "quarter", part="quarter", numbers=numbers, note="of any year"), unit[1]


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
