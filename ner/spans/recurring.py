"""What comes again: «on Mondays», 周末, «at 8 am», 每月15日, «in December»."""

from __future__ import annotations

from dataclasses import replace

from .clock import read_day_part, read_hour
from .parts import read_part
from .periods import Period, of_any_year
from .timed_question import TimedQuestion
from .years import Read

__all__ = ["read_recurring"]


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
