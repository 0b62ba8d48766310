"""Whole periods: dates, parts within longer periods, times of day, and what recurs («on Mondays», 每月15日)."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from .periods import Period, Reading, YearPart, in_unit, in_year, nth, of_any_year, read, span_of_days
from .relative import read_relative
from .timed_question import TimedQuestion
from .years import PartReading, first_or_last, read_inner, read_part, read_some, read_year, read_years

_ZONE = re.compile(r"[zZ]\b|[+-]\d\d:?\d\d\b")
_SHORT = frozenset({"hour", "minute", "second"})
_DEEP = 4  # the last day of the first week of the third month of the second half of a year


def read_period(timed: TimedQuestion, i: int) -> Reading:
    """Read the longest period whose words begin here; a date that no calendar holds is none."""
    if not timed.begins(i):
        return None
    try:
        longest = _longest(*(reader(timed, i) for reader in (_vague, _edge, _part_of, _plain, _recurring)))
        return longest and _at_time(timed, *_in_part_of_day(timed, *longest))
    except (ValueError, OverflowError):
        return None


def _longest(*found: Reading) -> Reading:
    """Return the reading of the most words; of equals the first."""
    return max((one for one in found if one), key=lambda one: one[1], default=None)


def _plain(timed: TimedQuestion, i: int, deep: int = _DEEP) -> Reading:
    """Read a complete period, then its parts behind it: 2023年第三季度, 上个月5号."""
    found = _longest(_date(timed, i), read_years(timed, i), read_relative(timed, i), read_year(timed, i))
    while found:
        inner = read_inner(timed, found[1], found[0])
        behind = timed.match(found[1], "link_behind")
        if inner is None or (behind and deep and _part_of(timed, behind[1], deep - 1)):
            break  # of 2023, Q1 2024, the quarter is no part of 2023
        found = inner
    if found and (edge := timed.seq(found[1], "edge_of? unit_edge")):
        return replace(found[0], edge=edge[0]), edge[1]
    return found


def _part_of(timed: TimedQuestion, i: int, deep: int = _DEEP) -> Reading:
    """Read «Q3 2023», «third quarter of last year», «the last day of March 2023», «the 15th of last month»."""
    if (some := read_some(timed, i)) and timed.is_text(some[3], "of", "in"):
        whole = _this_unit(timed, some[3] + 1) or _whole(timed, timed.skip(some[3] + 1, "the"), deep)
        return whole and read(first_or_last(*some[:3], whole[0]), whole[1])
    part = read_part(timed, i) or _day_in(timed, i)
    if part is None:
        return None
    link = timed.match(part[1], "link")
    at = link[1] if link else part[1] + timed.is_text(part[1], "-", "/", "'", "’", ".")
    of = timed.is_text(part[1], "of") or not link
    whole = read_year(timed, part[1]) or (_this_unit(timed, at) if link and of else None)
    whole = whole or (_whole(timed, at, deep) if of else read_year(timed, at))
    return whole and read(nth(part[0], whole[0]), whole[1])


def _day_in(timed: TimedQuestion, i: int) -> PartReading:
    found = timed.seq(i, "nth")
    named = found and timed.is_text(found[1], "of") and 1 <= found[0] <= 31
    return (YearPart("day", found[0]), found[1]) if found and named else None


def _whole(timed: TimedQuestion, at: int, deep: int = _DEEP) -> Reading:
    """Read what a part is of: a year, a month, or itself a part."""
    return _longest(_part_of(timed, at, deep - 1) if deep else None, _plain(timed, at, deep))


def _this_unit(timed: TimedQuestion, i: int) -> Reading:
    """Read «of the month» as of this month, behind the start, the end or a part of something."""
    the = timed.seq(i, "of_now unit")
    if not the or the[1] in _SHORT | {"half"} or timed.number(the[2]) or timed.is_text(the[2], "of"):
        return None
    return in_unit(timed.now, the[1]), the[2]


def _edge(timed: TimedQuestion, i: int) -> Reading:
    """Read «the end of 2022», 年初."""
    if edge := timed.match(i, "edge"):
        of = edge[1] + timed.is_text(edge[1], "of")
        whole = (_this_unit(timed, of) if of > edge[1] else None) or _whole(timed, timed.skip(of, "year_of", "the"))
        if whole is None or whole[0].start is None:
            return None
        return replace(whole[0], edge=edge[0], sure=of > edge[1] or whole[0].sure), whole[1]
    edge = timed.seq(i, "unit unit_edge")
    if not edge or edge[0] not in {"year", "month", "quarter"}:
        return None
    if timed.token(i - 1).number is not None or timed.follows(i, "which"):
        return None
    return replace(in_unit(timed.now, edge[0]), edge=edge[1]), edge[2]


def settled_edge(period: Period, side: Literal["start", "end"]) -> Period:
    """Return what «the end of 2022» means by itself: the last month of a year, the last ten days of a month."""
    if period.start and period.end and (period.end - period.start).days > 366:
        return replace(period, edge="", note=f"its {side} is not read more closely")  # of a decade
    smaller = {"year": "month", "half": "month", "quarter": "month", "week": "day", "month": "tenth"}.get(period.grain)
    last = side == "end"
    n = (3 if last else 1) if smaller == "tenth" else -1 if last else 1
    found = nth(YearPart(smaller, n), period) if smaller else None  # pyright: ignore[reportArgumentType]
    note = f"taken for its {'last' if last else 'first'} {'ten days' if smaller == 'tenth' else smaller}"
    return replace(found, edge="", note=note, sure=period.sure) if found else replace(period, edge="")


def _vague(timed: TimedQuestion, i: int) -> Reading:
    """Read «early 2023» as 2023, and say so."""
    vague = timed.seq(i, "vague =-?")
    whole = vague and (read_years(timed, timed.skip(vague[1], "the")) or _whole(timed, vague[1]))
    if not whole or not whole[0].start:
        return None
    return replace(whole[0], sure=True, note=f"«{timed.token(i).text}» is not read more closely"), whole[1]


def _date(timed: TimedQuestion, i: int) -> Reading:
    """Read a date that `literals.find` has found, 5-Jan-2023, or a month as 3/2023."""
    iso = timed.token(i).time
    if not timed.token(i).is_date or len(iso) < 7:
        if named := timed.seq(i, "# =- month|weak_month =- year"):
            return read(in_year(YearPart("date", 100 * named[1] + named[0]), named[2]), named[3])
        return _month_of_year(timed, i) if timed.is_text(i + 1, "/") else None
    if len(iso) > 10 and iso[11:13] != "24":
        end, behind = timed.token(i).end, i + 1
        zone = _ZONE.match(timed.text, end)
        while zone and end <= timed.token(behind).start < zone.end():
            behind += 1
        note = f"read as it stands, without {zone[0]}" if zone and zone[0] not in "zZ" else ""
        return replace(_moment(timed, i, datetime.fromisoformat(iso)), note=note), behind
    if len(iso) != 7:
        return span_of_days(datetime.fromisoformat(iso[:10]) + timedelta(days=len(iso) > 10), 1), i + 1
    year, month = map(int, iso.split("-"))
    if month == (year + 1) % 100 and timed.match(i + 1, "season"):  # the 2009-10 of a season is both years
        return Period(datetime(year, 1, 1), datetime(year + 2, 1, 1), "year", sure=False), i + 1
    return replace(in_unit(datetime(year, month, 1), "month"), relative=False), i + 1


def _month_of_year(timed: TimedQuestion, i: int) -> Reading:
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


def _recurring(timed: TimedQuestion, i: int) -> Reading:
    """Read a part of each year, month, week or day."""
    readers = (_day_of_month, _weekdays, _hour, _part_of_day, _of_years)
    return next((found for reader in readers if (found := reader(timed, i))), None)


def _day_of_month(timed: TimedQuestion, i: int) -> Reading:
    """Read «the 15th of each month», 每月15日."""
    n, behind = 0, i
    if (each := timed.seq(i, "each unit")) and each[1] == "month" and (part := read_part(timed, each[2])):
        n, behind = part[0].n if part[0].unit == "day" else 0, part[1]
    elif of := timed.seq(i, "nth of_each_month"):
        n, behind = of[0] if 1 <= of[0] <= 31 else 0, of[2]
    return (Period(None, None, "day", part="day", numbers=(n,), note="of any month"), behind) if n else None


def _weekdays(timed: TimedQuestion, i: int) -> Reading:
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
    # a date beside the weekday is more precise: Monday, 3 July 2023; 2023年7月3日星期一
    if timed.token(behind + timed.is_text(behind, ",")).is_date or timed.token(i - 1).is_date:
        return None
    return Period(None, None, "day", part="weekday", numbers=tuple(days), note="of any week"), behind


def _hour(timed: TimedQuestion, i: int) -> Reading:
    """Read a whole hour of any day; «08:30» is no whole hour, and 12:00 may be a score or a length of time."""
    spoken, time = timed.seq(i, "# clock_behind? =in =the day_part"), timed.token(i).time
    if spoken and 1 <= spoken[0] <= 12:  # 5 in the evening
        hour, behind = spoken[0] % 12 + 12 * (spoken[1][0] >= 12), spoken[2]
    elif time[2:] in {":00", ":00:00"} and (not _colons(timed, i) or timed.follows(i, "hour_prep")):
        hour, behind = int(time[:2]) % 24, i + 1
    else:
        return None
    return Period(None, None, "hour", part="hour", numbers=(hour,), note="of any day"), behind


def _colons(timed: TimedQuestion, i: int) -> int:
    return timed.written(i, i + 1).replace("：", ":").count(":")


def _part_of_day(timed: TimedQuestion, i: int) -> Reading:
    """Read «in the morning», «Friday evening», 下午 of any day; an English one by itself names a shift or a film."""
    found = timed.match(i, "day_part")
    if found is None or not (timed.token(i).chinese or timed.follows(i, "day_part_prep", "weekdays")):
        return None
    (first, last), behind = found
    hours = tuple(range(first, last))
    return Period(None, None, "hour", part="hour", numbers=hours, note=_hours_note(timed, i, behind, *found[0])), behind


def _hours_note(timed: TimedQuestion, i: int, behind: int, first: int, last: int) -> str:
    return f"«{timed.written(i, behind)}» is taken for {first} to {last} o'clock"


def _of_years(timed: TimedQuestion, i: int) -> Reading:
    quarters = timed.seq(i, "=前 # unit")  # 前三季度: with 个 between it would be a length of time
    if quarters and quarters[1] == "quarter" and 2 <= quarters[0] <= 4:
        numbers = tuple(range(1, quarters[0] + 1))
        return Period(None, None, "quarter", part="quarter", numbers=numbers, note="of any year"), quarters[2]
    part = read_part(timed, i)
    year = part and timed.match(part[1], "of_the_year")
    if not part or not (part[0].alone or (year and part[0].unit == "half")):
        return None
    found = of_any_year(replace(part[0], sure=True) if year else part[0], timed.now)
    return read(found, year[1] if year else part[1])


def _in_part_of_day(timed: TimedQuestion, day: Period, at: int) -> tuple[Period, int]:
    """Put a part of the day behind its day: «yesterday morning», 3月3日下午; as it is where none follows."""
    part = timed.match(at, "day_part")
    if part is None or day.start is None or not day.is_day:
        return day, at
    (first, last), behind = part
    start, end = (day.start + timedelta(hours=hour) for hour in (first, last))
    note = day.note or _hours_note(timed, at, behind, first, last)
    return replace(day, start=start, end=end, grain="hour", note=note), behind


def _at_time(timed: TimedQuestion, day: Period, behind: int) -> tuple[Period, int]:
    """Put a time of day behind its day: «yesterday at 3 pm», 昨天下午3点."""
    at = timed.skip(behind, "at")
    time = timed.token(at).time
    if len(time) not in {5, 8} or time[2] != ":" or day.start is None or not day.is_day:
        return day, behind
    hour, minute, *second = map(int, time.split(":"))
    start = day.start + timedelta(hours=hour, minutes=minute, seconds=sum(second))
    return replace(_moment(timed, at, start), relative=day.relative, note=day.note), at + 1


def _moment(timed: TimedQuestion, i: int, start: datetime) -> Period:
    """Return the time that begins at a moment, as long as the words of a token say it exactly."""
    colons = _colons(timed, i)
    if start.minute == start.second == 0 and not colons:
        return Period(start, start + timedelta(hours=1), "hour")
    exact = colons > 1 or "秒" in timed.written(i, i + 1)
    return Period(start, start + timedelta(seconds=1 if exact else 60), "second")
