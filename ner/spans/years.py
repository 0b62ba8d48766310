"""Years and their parts: 2023, FY2023, 90年代, Q3, 上半年, 2023年前三个月."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeAlias

from .periods import (
    YEARS,
    Period,
    TimeUnit,
    YearPart,
    clock_number,
    in_unit,
    moved,
    moves_before,
    nth,
    span_of_days,
    year_of,
)
from .timed_question import TimedQuestion

__all__ = ["Read", "first_or_last", "nth_weekday", "read_inner", "read_part", "read_some", "read_year", "read_years"]

_LATE = 80
"""Years of two digits from which 之后 behind them says no length of time."""

Read: TypeAlias = tuple[Period, int] | None
"""A period and the position behind its words; None where none begins."""


def read_year(asked: TimedQuestion, i: int) -> Read:
    """Read one year, by its number or from now; a number alone that may count something is unsure."""
    return _named_year(asked, i) or _fiscal(asked, i) or _numbered(asked, i) or _two_digits(asked, i)


def _named_year(asked: TimedQuestion, i: int) -> Read:
    if named := asked.match(i, "named_year"):
        return in_unit(asked.now, "year", named[0]), named[1]
    which = asked.match(i, "which")
    unit = which and asked.match(which[1], "unit")
    if which and unit and unit[0] == "year" and not asked.is_text(unit[1], "of"):  # «the last year of service» is none
        return in_unit(asked.now, "year", which[0]), unit[1]
    if which and (fiscal := asked.match(which[1], "fiscal") or asked.match(which[1], "fiscal_behind")):
        year = asked.now.year + (asked.fiscal_month > 1 and asked.now.month >= asked.fiscal_month)
        return replace(year_of(year + which[0], asked.fiscal_month), relative=True), fiscal[1]
    return None


def _fiscal(asked: TimedQuestion, i: int) -> Read:
    before = asked.match(i, "fiscal") or asked.match(i, "fiscal_behind")
    at = i if before is None else before[1] + asked.is_text(before[1], "-", "'", "’")
    token = asked.token(at)
    if token is None or token.number is None:
        return None
    behind = asked.match(at + 1, "fiscal_behind")
    year = token.number + 2000 if len(token.text) == 2 else token.number
    if (before is None and behind is None) or not 1000 <= year < 3000:
        return None
    return year_of(year, asked.fiscal_month), behind[1] if behind else at + 1


def _numbered(asked: TimedQuestion, i: int) -> Read:
    """Read «2023», «the year 2023», 2023年, 13年."""
    said = asked.match(i, "year_before")
    at = said[1] if said else i
    token = asked.token(at)
    if token is None or token.number is None or token.text[0] == "百":
        return None
    unit = asked.match(at + 1, "unit")
    behind = unit is not None and unit[0] == "year" and not asked.tokens[at + 1].text.isascii()
    if behind and unit is not None:
        if len(token.text) == 4 and 1000 <= token.number < 3000 and not asked.follows(at, "no_year_before"):
            return year_of(token.number), unit[1]
        if len(token.text) == 2 and said is None and _short(asked, at, unit[1]):
            year = token.number + (2000 if token.number < 70 else 1900)
            return replace(year_of(year), sure=False), unit[1]
        return None
    if len(token.text) != 4 or not 1000 <= token.number < 3000 or (said is None and _counts(asked, at)):
        return None
    told = asked.follows(at, "prep") or asked.match(at + 1, "year_behind") is not None
    sure = said is not None or (told and token.number in YEARS and not moves_before(asked, at))  # 1900 may be an hour
    return replace(year_of(token.number), sure=sure), at + 1


def _two_digits(asked: TimedQuestion, i: int) -> Read:
    """Read '23, which quotes do not close."""
    year = asked.token(i + 1) if asked.is_text(i, "'", "’") else None
    if year is None or len(year.text) != 2 or year.number is None or year.start != asked.tokens[i].end:
        return None
    behind = asked.text[year.end : year.end + 1]
    if behind.isalnum() or behind in {"'", "’", "-"}:
        return None
    return year_of(year.number + (2000 if year.number < 70 else 1900)), i + 2


def _short(asked: TimedQuestion, at: int, behind: int) -> bool:
    """Is «13年» the year 2013, and not a time of thirteen years?"""
    digits = asked.tokens[at].text
    if digits[0] in "0零〇":
        return True
    positional = digits.isascii() or not set(digits) & set("十百千两")
    tables = ("inside", "ago", "length", *(() if digits.isascii() and int(digits) >= _LATE else ("behind",)))
    return (
        positional
        and not any(asked.match(behind, table) for table in tables)
        and not asked.follows(at, "rolling")
        and not asked.follows(at, "no_year_before")
    )


def _counts(asked: TimedQuestion, at: int) -> bool:
    """Is a number of four digits an amount, a code, or a part of something longer?"""
    if clock_number(asked, at):
        return True
    token = asked.tokens[at]
    glued = asked.touches(at, left="$€£¥#./-–:", right="%/") and not _ranges(asked, at) and not _apart(asked, at)
    cut = asked.text[token.end : token.end + 2]
    decimals = cut[:1] in {".", ",", "-", ":"} and cut[1:].isdigit() and not _ranges(asked, at)
    if glued or decimals or asked.match(at + 1, "counted"):
        return True
    if asked.follows(at, "bound") or asked.follows(at, "excepted"):  # «later than» ends like «more than»
        return _beside_amount(asked, at)
    if asked.follows(at, "no_year_before"):
        return True
    named = at - 1 if asked.follows(at, "is") else at - 2 if asked.is_text(at - 1, "to") else at
    return (named < at and asked.follows(named, "no_year_before")) or _beside_amount(asked, at)


def _beside_amount(asked: TimedQuestion, at: int) -> bool:
    """Is it one end of a range whose other end is no year: between 600 and 1000?"""
    for join, other, beyond in ((at - 1, at - 2, at - 2), (at + 1, at + 2, at + 3)):
        amount = asked.token(other)
        if asked.match(join, "joins_range") and amount is not None and amount.number is not None and not amount.time:
            named = other > at and asked.match(beyond, "unit") is not None
            if not named and not (len(amount.text) == 4 and amount.number < 3000):
                return True
    return False


def _ranges(asked: TimedQuestion, at: int) -> bool:
    """Does a hyphen join this year with another one?"""
    for sign, other, beyond in ((at + 1, at + 2, at + 3), (at - 1, at - 2, at - 3)):
        year = asked.token(other)
        if asked.is_text(sign, "-", "–", "—", "~") and year is not None and year.number is not None:
            return len(year.text) == 4 and not asked.is_text(beyond, "-", "–", "/")
    return False


def _apart(asked: TimedQuestion, at: int) -> bool:
    """Is what touches the year a part of it: 2023Q3, 3/2023, mid-2023?"""
    letter = asked.token(at + 1)
    if letter is not None and letter.start == asked.tokens[at].end and letter.text in {"q", "h"}:
        return True
    if asked.is_text(at - 1, "-") and (asked.follows(at - 1, "vague") or asked.follows(at, "bound")):
        return True
    month = asked.token(at - 2)
    return asked.is_text(at - 1, "/") and month is not None and 1 <= (month.number or 0) <= 12


def read_years(asked: TimedQuestion, i: int) -> Read:
    """Read ten years or a hundred."""
    return _decade(asked, i) or _century(asked, i)


def _decade(asked: TimedQuestion, i: int) -> Read:
    last = asked.match(i, "last_century")
    at = last[1] if last else i
    hundred = last[0] if last else 0
    if not last and (number := asked.number(at)) and (sign := asked.match(number[1], "century")):
        at, hundred = sign[1], number[0] - 1
    token = asked.token(at)
    if token is None or token.number is None or token.number % 10 or not token.number < 3000:
        return None
    behind = asked.match(at + 1, "decade_behind")
    plural = _plural(asked, at)
    if not behind and not plural:
        return None
    year = token.number
    if year < 100:
        hundred = hundred or (20 if year < 30 else 19)
        year += 100 * hundred
    elif year < 1000:
        return None
    return _run(year, 10), behind[1] if behind else plural


def _plural(asked: TimedQuestion, at: int) -> int:
    """Return the position behind «1990s», «1990's», «the 90s», «the 1990 's»; 0 where the number is no decade."""
    token, the = asked.tokens[at], asked.follows(at, "before_decade")
    s = at + 1 + asked.is_text(at + 1, "'", "’")
    if not asked.is_text(s, "s") or len(token.text) not in {2, 4} or (len(token.text) == 2 and not the):
        return 0
    between = asked.text[token.end : asked.tokens[s].start]
    return s + 1 if not between or (the and not between.strip(" '’")) else 0


def _century(asked: TimedQuestion, i: int) -> Read:
    if last := asked.match(i, "last_century"):
        return _run(100 * last[0] + 1, 100), last[1]
    found = asked.ordinal(i) or asked.number(i)
    if found is None or not (sign := asked.match(found[1], "century")) or not 1 <= found[0] <= 30:
        return None
    return _run(100 * found[0] - 99, 100), sign[1]


def _run(first: int, years: int) -> Period:
    return Period(datetime(first, 1, 1), datetime(first + years, 1, 1), "year")


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


def read_inner(asked: TimedQuestion, i: int, whole: Period) -> Read:
    """Read a part behind the words of the period that it is of."""
    if some := read_some(asked, asked.skip(i, "link_behind")):
        few = first_or_last(some[0], some[1], some[2], whole)
        return (few, some[3]) if few else None
    at = asked.skip(i, "link_behind")
    part = read_part(asked, at)
    found = nth(part[0], whole) if part else None
    if part and found:
        return replace(found, sure=True), part[1]
    return _weekday(asked, at, whole) or _same_day(asked, at, whole)


def _weekday(asked: TimedQuestion, at: int, whole: Period) -> Read:
    """Read 第12周的周三."""
    days = asked.match(at, "weekdays") if whole.grain == "week" else None
    if days is None or whole.start is None:
        return None
    first = whole.start + timedelta(days=days[0][0] - 1)
    return replace(span_of_days(first, len(days[0])), relative=whole.relative), days[1]


def _same_day(asked: TimedQuestion, at: int, whole: Period) -> Read:
    """Read 去年今天."""
    day = asked.match(at, "named_day") if whole.grain == "year" else None
    found = nth(YearPart("date", 100 * asked.now.month + asked.now.day), whole) if day and day[0] == 0 else None
    return (found, day[1]) if day and found else None


def nth_weekday(n: int, days: list[int], whole: Period) -> Period | None:
    """Return the n-th Monday (say) of a period, from its end if negative; None if there is none."""
    if whole.start is None or whole.end is None or n == 0 or len(days) > 1:
        return None
    if n > 0:
        first = whole.start + timedelta(days=(days[0] - whole.start.isoweekday()) % 7 + 7 * (n - 1))
    else:
        last = whole.end - timedelta(days=1)
        first = last - timedelta(days=(last.isoweekday() - days[0]) % 7 - 7 * (n + 1))
    inside = whole.start <= first < whole.end
    return replace(span_of_days(first, 1), relative=whole.relative) if inside else None


def read_some(asked: TimedQuestion, i: int) -> tuple[int, int, TimeUnit, int] | None:
    """Read «first two quarters», 前三个月: 1 or -1 for the end, how many, of which unit, the position behind."""
    side = asked.match(i, "some_of")
    number = side and asked.number(side[1])
    if not side or not number:
        return None
    unit = asked.match(asked.skip(number[1], "measure"), "unit")
    if unit is None or unit[0] not in {"quarter", "month", "week", "day"}:
        return None
    return side[0], number[0], unit[0], unit[1]


def first_or_last(side: int, n: int, unit: TimeUnit, whole: Period) -> Period | None:
    """Return the first or last few units of a period, None if they are not within it."""
    if whole.start is None or whole.end is None:
        return None
    edge = moved(whole.start, unit, n) if side > 0 else moved(whole.end, unit, -n)
    start, end = (whole.start, edge) if side > 0 else (edge, whole.end)
    if not whole.start <= start < end <= whole.end or unit not in {"quarter", "month", "week", "day"}:
        return None
    return replace(whole, start=start, end=end, grain=unit, sure=True)
