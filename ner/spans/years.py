"""Years and their parts: 2023, FY2023, 90年代, Q3, 上半年, 2023年前三个月."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeAlias

from .periods import YEARS, Period, Reading, TimeUnit, YearPart, in_unit, moved, nth, read, span_of_days, year_of
from .timed_question import TimedQuestion

_LATE = 80
"""Two digits from which 之后 behind them marks a year, and no length of time."""

PartReading: TypeAlias = tuple[YearPart, int] | None
"""A part of something longer and the position behind its words; None where none begins."""


def full_year(number: int) -> int:
    """Return the year that two digits name, 1970 to 2069."""
    return number + (2000 if number < 70 else 1900)


def read_year(timed: TimedQuestion, i: int) -> Reading:
    """Read one year, by its number or from now; a number alone that may count something is unsure."""
    return _named_year(timed, i) or _fiscal(timed, i) or _numbered(timed, i) or _two_digits(timed, i)


def _named_year(timed: TimedQuestion, i: int) -> Reading:
    if named := timed.match(i, "named_year"):
        return in_unit(timed.now, "year", named[0]), named[1]
    if (which := timed.seq(i, "which unit")) and which[1] == "year" and not timed.is_text(which[2], "of"):
        return in_unit(timed.now, "year", which[0]), which[2]  # «the last year of service» is none
    if which := timed.seq(i, "which fiscal|fiscal_behind"):
        year = timed.now.year + (timed.fiscal_month > 1 and timed.now.month >= timed.fiscal_month)
        return replace(year_of(year + which[0], timed.fiscal_month), relative=True), which[2]
    return None


def _fiscal(timed: TimedQuestion, i: int) -> Reading:
    before = timed.seq(i, "fiscal|fiscal_behind =-|'|’?")
    at = before[1] if before else i
    token, behind = timed.token(at), timed.match(at + 1, "fiscal_behind")
    if token.number is None or not (before or behind):
        return None
    year = token.number + 2000 if len(token.text) == 2 else token.number
    return (year_of(year, timed.fiscal_month), behind[1] if behind else at + 1) if 1000 <= year < 3000 else None


def _numbered(timed: TimedQuestion, i: int) -> Reading:
    """Read «2023», «the year 2023», 2023年, 13年."""
    at = timed.skip(i, "year_before")
    token, unit, named = timed.token(at), timed.match(at + 1, "unit"), at > i
    if token.number is None or token.text[0] == "百":
        return None
    four = len(token.text) == 4 and 1000 <= token.number < 3000
    if unit and unit[0] == "year" and timed.token(at + 1).chinese:
        if four and not timed.follows(at, "no_year_before"):
            return year_of(token.number), unit[1]
        if len(token.text) == 2 and not named and _is_short_year(timed, at, unit[1]):
            return replace(year_of(full_year(token.number)), sure=False), unit[1]
        return None
    if not four or (not named and _counts(timed, at)):
        return None
    marked = timed.follows(at, "prep") or timed.match(at + 1, "year_behind")
    return replace(year_of(token.number), sure=named or bool(marked and token.number in YEARS)), at + 1


def _two_digits(timed: TimedQuestion, i: int) -> Reading:
    """Read '23, which quotes do not close."""
    year = timed.token(i + 1)
    if not timed.is_text(i, "'", "’") or len(year.text) != 2 or year.number is None or year.start != timed.token(i).end:
        return None
    behind = timed.text[year.end : year.end + 1]
    return None if behind.isalnum() or behind in {"'", "’", "-"} else (year_of(full_year(year.number)), i + 2)


def _is_short_year(timed: TimedQuestion, at: int, behind: int) -> bool:
    """Is «13年» the year 2013, and not a time of thirteen years?"""
    digits = timed.token(at).text
    if digits[0] in "0零〇":
        return True
    if not digits.isascii() and set(digits) & set("十百千两"):
        return False
    lengths = ("inside", "ago", "length", *(() if digits.isascii() and int(digits) >= _LATE else ("behind",)))
    return not any(timed.match(behind, one) for one in lengths) and not timed.follows(at, "rolling", "no_year_before")


def _counts(timed: TimedQuestion, at: int) -> bool:
    """Is a number of four digits an amount, a code, or a part of something longer?"""
    token = timed.token(at)
    cut = timed.text[token.end : token.end + 2]
    if not _ranges(timed, at):
        glued = timed.touches(at, left="$€£¥#./-–:", right="%/") and not _is_apart(timed, at)
        if glued or (cut[:1] in {".", ",", "-", ":"} and cut[1:].isdigit()):
            return True
    if timed.match(at + 1, "counted"):
        return True
    if timed.follows(at, "bound", "excepted"):  # «later than» ends like «more than»
        return _beside_amount(timed, at)
    named = at - 1 if timed.follows(at, "is") else at - 2 if timed.is_text(at - 1, "to") else at
    return timed.follows(at, "no_year_before") or timed.follows(named, "no_year_before") or _beside_amount(timed, at)


def _beside_amount(timed: TimedQuestion, at: int) -> bool:
    """Is it one end of a range whose other end is no year: between 600 and 1000?"""
    for join, other in ((at - 1, at - 2), (at + 1, at + 2)):
        amount = timed.token(other)
        if timed.match(join, "joins_range") and amount.number is not None and not amount.time:
            named = other > at and timed.match(other + 1, "unit")
            if not named and not (len(amount.text) == 4 and amount.number < 3000):
                return True
    return False


def _ranges(timed: TimedQuestion, at: int) -> bool:
    """Does a hyphen join this year with another one?"""
    for step in (1, -1):
        year = timed.token(at + 2 * step)
        if timed.is_text(at + step, "-", "–", "—", "~") and year.number is not None:
            return len(year.text) == 4 and not timed.is_text(at + 3 * step, "-", "–", "/")
    return False


def _is_apart(timed: TimedQuestion, at: int) -> bool:
    """Is what touches the year a part of it: 2023Q3, 3/2023, mid-2023?"""
    letter = timed.token(at + 1)
    if letter.start == timed.token(at).end and letter.text in {"q", "h"}:
        return True
    if timed.is_text(at - 1, "-") and (timed.follows(at - 1, "vague") or timed.follows(at, "bound")):
        return True
    return timed.is_text(at - 1, "/") and 1 <= (timed.token(at - 2).number or 0) <= 12


def read_years(timed: TimedQuestion, i: int) -> Reading:
    """Read ten years or a hundred."""
    at, hundred = i, 0
    if last := timed.match(i, "last_century"):
        hundred, at = last
    elif number := timed.seq(i, "nth|# century"):
        hundred, at = number[0] - 1, number[2]
    year, behind = timed.token(at).number, timed.match(at + 1, "decade_behind")
    closes = behind[1] if behind else _plural(timed, at)
    if year is not None and closes and year % 10 == 0 and (year < 100 or 1000 <= year < 3000):
        return _run(year + 100 * (hundred or (20 if year < 30 else 19)) if year < 100 else year, 10), closes
    return (_run(100 * hundred + 1, 100), at) if at > i and 0 <= hundred < 30 else None


def _plural(timed: TimedQuestion, at: int) -> int:
    """Return the position behind «1990s», «1990's», «the 90s», «the 1990 's»; 0 where the number is no decade."""
    token, the = timed.token(at), timed.follows(at, "before_decade")
    s = at + 1 + timed.is_text(at + 1, "'", "’")
    if not timed.is_text(s, "s") or len(token.text) not in {2, 4} or (len(token.text) == 2 and not the):
        return 0
    between = timed.text[token.end : timed.token(s).start]
    return s + 1 if not between or (the and not between.strip(" '’")) else 0


def _run(first: int, years: int) -> Period:
    return Period(datetime(first, 1, 1), datetime(first + years, 1, 1), "year")


_MOST = {"half": 2, "quarter": 4, "month": 12, "week": 53, "day": 366}


def read_part(timed: TimedQuestion, i: int) -> PartReading:
    """Read a part of something longer, and return it with the position behind it."""
    token = timed.token(i)
    if token.is_date and len(token.time) == 5:  # a month and day without a year
        return YearPart("date", 100 * int(token.time[:2]) + int(token.time[3:]), alone=True), i + 1
    return _month(timed, i) or _lettered(timed, i) or _ordered(timed, i) or _chinese(timed, i)


def _month(timed: TimedQuestion, i: int) -> PartReading:
    if found := timed.match(i, "month"):
        return YearPart("name", found[0], alone=True), found[1]
    if found := timed.match(i, "weak_month"):
        behind = found[1] + (timed.is_text(found[1], ".") and timed.number(found[1] + 1) is not None)
        before = i - timed.is_text(i - 1, "the", "of", "month")
        marked = timed.follows(i, "month_prep") or timed.follows(before, "month_prep")
        return YearPart("name", found[0], alone=marked or _is_name(timed, i), sure=marked), behind
    return None


def _is_name(timed: TimedQuestion, i: int) -> bool:
    """Does a capital within the question say that «May» is no verb? It may be a person's name."""
    written = timed.written(i, i + 1)
    return i > 0 and timed.is_text(i, "may", "march", "sept") and written[0].isupper() and not written[1:].isupper()


def _lettered(timed: TimedQuestion, i: int) -> PartReading:
    """Read Q3, H1, W12, «week 12»."""
    letter = timed.match(i, "letter")
    if letter is None:
        return None
    unit, number = letter[0], timed.token(letter[1])
    if number.number is None or not 1 <= number.number <= _MOST[unit]:
        return None
    one = len(timed.token(i).text) == 1
    if one and not (timed.token(i).end == number.start and _is_no_code(timed, i, letter[1])):
        return None
    return YearPart(unit, number.number, alone=unit == "quarter"), letter[1] + 1


def _is_no_code(timed: TimedQuestion, i: int, last: int) -> bool:
    """Is Q3 no part of a longer code? A year may touch it on both sides."""
    before, behind = timed.token(i - 1), timed.token(last + 1)
    touched = before.end == timed.token(i).start and before.number is None and not before.chinese
    if touched and (before.text.isalpha() or before.text in "_."):
        return False
    if behind.start != timed.token(last).end or behind.chinese or behind.text in {"?", ".", ",", ")", "!", ";", ":"}:
        return True
    year = timed.token(last + 2) if behind.text in {"-", "/", "'"} else behind
    digits = {2, 4} if behind.text == "'" else {4}
    return year.text in {"q", "h", "fy"} or (year.number is not None and len(year.text) in digits)


def _ordered(timed: TimedQuestion, i: int) -> PartReading:
    """Read «third quarter», 第三个季度, «last day»; English ones stand for no year of their own."""
    found = timed.seq(i, "nth measure? unit")
    if found is None or found[0] == 0 or not -1 <= found[0] <= _MOST.get(found[1], -2):
        return None
    n, unit, behind = found
    chinese = timed.is_text(i, "第")
    alone = unit == "quarter" and n > 0 and (chinese or timed.follows(i, "the"))
    return YearPart(unit, n, alone=alone, sure=chinese), behind


def _chinese(timed: TimedQuestion, i: int) -> PartReading:
    """Read 3月, 三季度, 15日, 上半年, 上旬."""
    if found := timed.match(i, "fixed_part"):
        (unit, n), behind = found
        return YearPart(unit, n, alone=unit == "half"), behind
    n, unit, sign = timed.token(i).number, timed.match(i + 1, "unit"), timed.token(i + 1)
    if n is None or unit is None or not sign.chinese or sign.text == "天" or timed.follows(i, "rolling"):
        return None
    if not 1 <= n <= {"month": 12, "quarter": 4, "day": 31}.get(unit[0], 0):
        return None
    return YearPart("name" if unit[0] == "month" else unit[0], n, alone=unit[0] != "day"), unit[1]


def read_inner(timed: TimedQuestion, i: int, whole: Period) -> Reading:
    """Read a part behind the words of the period that it is of."""
    at = timed.skip(i, "link_behind")
    if some := read_some(timed, at):
        return read(first_or_last(*some[:3], whole), some[3])
    part = read_part(timed, at)
    if part and (found := nth(part[0], whole)):
        return replace(found, sure=True), part[1]
    days, today = timed.match(at, "weekdays"), timed.match(at, "named_day")
    if days and whole.grain == "week" and whole.start:  # 第12周的周三
        first = whole.start + timedelta(days=days[0][0] - 1)
        return replace(span_of_days(first, len(days[0])), relative=whole.relative), days[1]
    if today and today[0] == 0 and whole.grain == "year":  # 去年今天
        return read(nth(YearPart("date", 100 * timed.now.month + timed.now.day), whole), today[1])
    return None


def read_some(timed: TimedQuestion, i: int) -> tuple[int, int, TimeUnit, int] | None:
    """Read «first two quarters», 前三个月: 1 or -1 for the end, how many, of which unit, the position behind."""
    some = timed.seq(i, "some_of # measure? unit")
    return some if some and some[2] in {"quarter", "month", "week", "day"} else None  # pyright: ignore[reportReturnType]


def first_or_last(side: int, n: int, unit: TimeUnit, whole: Period) -> Period | None:
    """Return the first or last few units of a period, None if they are not within it."""
    if whole.start is None or whole.end is None:
        return None
    edge = moved(whole.start, unit, n) if side > 0 else moved(whole.end, unit, -n)
    start, end = (whole.start, edge) if side > 0 else (edge, whole.end)
    inside = whole.start <= start < end <= whole.end
    return replace(whole, start=start, end=end, grain=unit, sure=True) if inside else None  # pyright: ignore[reportArgumentType]
