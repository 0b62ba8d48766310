"""Parts of a year or of a shorter period: Q3, 第三季度, March, 上半年, «the last week of»."""

from __future__ import annotations

from .periods import YearPart
from .timed_question import TimedQuestion

__all__ = ["read_part"]

_LONGEST = {"half": 2, "quarter": 4, "month": 12, "week": 53, "day": 366}


def read_part(asked: TimedQuestion, i: int) -> tuple[YearPart, int] | None:
    """Read which part of something longer is meant, and return it with the position behind it."""
    return _date(asked, i) or _month(asked, i) or _lettered(asked, i) or _ordered(asked, i) or _chinese(asked, i)


def _date(asked: TimedQuestion, i: int) -> tuple[YearPart, int] | None:
    """Read a month and day without a year, which `find_times` has found."""
    token = asked.token(i)
    if token is None or len(token.time) != 5 or token.time[2] != "-":
        return None
    return YearPart("date", 100 * int(token.time[:2]) + int(token.time[3:]), alone=True), i + 1


def _month(asked: TimedQuestion, i: int) -> tuple[YearPart, int] | None:
    if found := asked.match(i, "month"):
        return YearPart("name", found[0], alone=True), found[1]
    if found := asked.match(i, "weak_month"):
        behind = found[1] + (asked.is_text(found[1], ".") and asked.number(found[1] + 1) is not None)
        before = i - (asked.is_text(i - 1, "the", "of", "month"))
        told = asked.follows(i, "month_prep") or (before < i and asked.follows(before, "month_prep"))
        return YearPart("name", found[0], alone=told or _is_name(asked, i), sure=told), behind
    return None


def _is_name(asked: TimedQuestion, i: int) -> bool:
    """Does a capital within the question say that «May» is no verb? It may be a person's name."""
    token = asked.tokens[i]
    written = asked.text[token.start : token.end]
    return i > 0 and token.text in {"may", "march", "sept"} and written[0].isupper() and not written[1:].isupper()


def _lettered(asked: TimedQuestion, i: int) -> tuple[YearPart, int] | None:
    """Read Q3, H1, W12, «week 12»."""
    letter = asked.match(i, "letter")
    number = letter and asked.token(letter[1])
    if letter is None or number is None or number.number is None or number.time:
        return None
    unit, n = letter[0], number.number
    one = len(asked.tokens[i].text) == 1
    if one and not (asked.tokens[i].end == number.start and _free(asked, i, letter[1])):
        return None
    return (YearPart(unit, n, alone=unit == "quarter"), letter[1] + 1) if 1 <= n <= _LONGEST[unit] else None


def _free(asked: TimedQuestion, i: int, last: int) -> bool:
    """Is Q3 no part of a longer code? A year may touch it on both sides."""
    before, behind = asked.token(i - 1), asked.token(last + 1)
    touched = before is not None and before.end == asked.tokens[i].start and before.number is None
    if before is not None and touched and before.text.isascii() and (before.text.isalpha() or before.text in "_."):
        return False
    if behind is None or behind.start > asked.tokens[last].end or not behind.text.isascii():
        return True
    if behind.text in {"?", ".", ",", ")", "!", ";", ":"}:
        return True
    year = asked.token(last + 2) if behind.text in {"-", "/", "'"} else behind
    digits = {2, 4} if behind.text == "'" else {4}
    return year is not None and (
        year.text in {"q", "h", "fy"} or (year.number is not None and len(year.text) in digits)
    )


def _ordered(asked: TimedQuestion, i: int) -> tuple[YearPart, int] | None:
    """Read «third quarter», 第三个季度, «last day»; English ones stand for no year of their own."""
    found = asked.ordinal(i)
    if found is None or not -1 <= found[0] <= 366 or found[0] == 0:
        return None
    unit = asked.match(asked.skip(found[1], "measure"), "unit")
    if unit is None or unit[0] not in _LONGEST or found[0] > _LONGEST[unit[0]]:
        return None
    chinese = asked.tokens[i].text == "第"
    alone = unit[0] == "quarter" and found[0] > 0 and (chinese or asked.follows(i, "the"))
    return YearPart(unit[0], found[0], alone=alone, sure=chinese), unit[1]


def _chinese(asked: TimedQuestion, i: int) -> tuple[YearPart, int] | None:
    """Read 3月, 三季度, 15日, 上半年, 上旬."""
    if found := asked.match(i, "fixed_part"):
        (unit, n), behind = found
        return YearPart(unit, n, alone=unit == "half"), behind
    token = asked.token(i)
    if token is None or token.number is None:
        return None
    unit = asked.match(i + 1, "unit")
    if unit is None or asked.tokens[i + 1].text.isascii() or asked.follows(i, "rolling"):
        return None
    n, kind = token.number, unit[0]
    if n < 1 or n > {"month": 12, "quarter": 4, "day": 31}.get(kind, 0) or asked.is_text(i + 1, "天"):
        return None
    if kind == "day":
        return YearPart("day", n), unit[1]
    return YearPart("quarter" if kind == "quarter" else "name", n, alone=True), unit[1]
