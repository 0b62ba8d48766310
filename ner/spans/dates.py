"""Dates and moments that `find_times` finds, months as 3/2023, and a time of day behind its day."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from .periods import Period, YearPart, in_unit, in_year, span_of_days
from .timed_question import TimedQuestion
from .years import Read

__all__ = ["read_date", "with_time"]


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
