"""Whole periods: parts within longer ones, their ends, days with a time of day."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from .parts import read_part
from .periods import Period, TimeUnit, YearPart, in_unit, moved, nth, span_of_days
from .recurring import read_recurring
from .relative import read_relative
from .timed_question import TimedQuestion
from .years import Read, read_year, read_years

__all__ = ["read_period"]


def read_period(asked: TimedQuestion, i: int) -> Read:
    """Read the longest period whose words begin here; one that no calendar holds is none."""
    if not asked.begins(i):
        return None
    try:
        found = [one for one in (read(asked, i) for read in (_vague, _edge, _part_of, _plain, read_recurring)) if one]
        return _with_time(asked, max(found, key=lambda one: one[1])) if found else None
    except (ValueError, OverflowError):
        return None


def _plain(asked: TimedQuestion, i: int) -> Read:
    """Read a period that says itself which one it is, then the parts of it that follow: 2023年第三季度, 上个月5号."""
    found = _longest(_dated(asked, i), read_years(asked, i), read_relative(asked, i), read_year(asked, i))
    while found:
        if some := _some(asked, found[1]):
            inner = _first_or_last(some[0], some[1], some[2], found[0])
            if inner is None:
                break
            found = inner, some[3]
            continue
        at = asked.skip(found[1], "link_behind")
        part = read_part(asked, at)
        inner = nth(part[0], found[0]) if part else None
        own = at > found[1] and _part_of(asked, at) is not None  # 2023, Q1 2024
        if part is None or inner is None or own:
            break
        found = replace(inner, sure=True), part[1]
    if found and (edge := asked.match(asked.skip(found[1], "edge_of"), "unit_edge")):
        return replace(found[0], edge=edge[0]), edge[1]
    return found


def _some(asked: TimedQuestion, i: int) -> tuple[int, int, TimeUnit, int] | None:
    """Read «first two quarters», 前三个月: 1 or -1 for the end, how many, of which unit, the position behind."""
    side = asked.match(asked.skip(i, "link_behind"), "some_of")
    number = side and asked.number(side[1])
    if not side or not number:
        return None
    unit = asked.match(asked.skip(number[1], "measure"), "unit")
    if unit is None or unit[0] not in {"quarter", "month", "week", "day"}:
        return None
    return side[0], number[0], unit[0], unit[1]


def _first_or_last(side: int, n: int, unit: TimeUnit, whole: Period) -> Period | None:
    """Return the first or last few units of a period, None if they are not within it."""
    if whole.start is None or whole.end is None:
        return None
    edge = moved(whole.start, unit, n) if side > 0 else moved(whole.end, unit, -n)
    start, end = (whole.start, edge) if side > 0 else (edge, whole.end)
    if not whole.start <= start < end <= whole.end or unit not in {"quarter", "month", "week", "day"}:
        return None
    return replace(whole, start=start, end=end, grain=unit, sure=True)


def _longest(*found: Read) -> Read:
    """Return what says most; of equals the first."""
    return max((one for one in found if one), key=lambda one: one[1], default=None)


def _dated(asked: TimedQuestion, i: int) -> Read:
    """Read a date that `find_times` has found, or a month as 3/2023."""
    token = asked.token(i)
    if token is None:
        return None
    if len(token.time) >= 7:
        return _date(token.time, asked.text[token.start : token.end]), i + 1 + _zone(asked, i)
    year = asked.token(i + 2)
    if (
        token.number is not None
        and year is not None
        and asked.is_text(i + 1, "/")
        and 1 <= token.number <= 12
        and len(year.text) == 4
        and 1000 <= (year.number or 0) < 3000
        and not asked.touches(i, left="/-.")
        and not asked.touches(i + 2, right="/-")
    ):
        return _date(f"{year.number}-{token.number:02}", ""), i + 3
    return None


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


def _with_time(asked: TimedQuestion, found: tuple[Period, int]) -> Read:
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


def _part_of(asked: TimedQuestion, i: int) -> Read:
    """Read «Q3 2023», «third quarter of last year», «the last day of March 2023», «the 15th of last month»."""
    if (some := _some(asked, i)) and asked.is_text(some[3], "of", "in"):
        whole = _now_unit(asked, some[3] + 1) or _within(asked, asked.skip(some[3] + 1, "the"))
        inner = _first_or_last(some[0], some[1], some[2], whole[0]) if whole else None
        return (inner, whole[1]) if whole and inner else None
    part = read_part(asked, i) or _day_in(asked, i)
    if part is None:
        return None
    link = asked.match(part[1], "link")
    at = link[1] if link else part[1] + (asked.is_text(part[1], "-", "/", "'", "’", "."))
    of = asked.is_text(part[1], "of") or not link
    whole = (_now_unit(asked, at) if link and of else None) or (_within(asked, at) if of else read_year(asked, at))
    inner = nth(part[0], whole[0]) if whole else None
    if whole is None or inner is None:
        return None
    return inner, whole[1]


def _within(asked: TimedQuestion, at: int) -> Read:
    """Read what a part is of: a year, a month, or itself a part."""
    return _longest(_part_of(asked, at), _plain(asked, at))


def _day_in(asked: TimedQuestion, i: int) -> tuple[YearPart, int] | None:
    found = asked.ordinal(i)
    if found and asked.is_text(found[1], "of") and 1 <= found[0] <= 31:
        return YearPart("day", found[0]), found[1]
    return None


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
