"""Parses the time in a cell; and the findings on a column's times from its cells, its name and its neighbours."""

import calendar
import re
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ..data.schema.plain_names import is_year, without_unit
from .cell_sample import CellFinding, CellSample, column_words
from .profile import Grain, TimeForm, TimeStorage

CellForm: TypeAlias = TimeForm | Literal["numeric", "clock", "no year", "short year", "irregular"]
"""``numeric`` may be day or month first; ``clock`` is a time of day alone; ``no year`` and
``short year`` leave open which year it is; an ``irregular`` date has words or signs that one expression does not read:
``Mon 3rd of Feb. 2024``."""


@dataclass(frozen=True)
class TimeCell:
    """The parsed time of a cell.

    Attributes:
        year, month, day: the parts, 0 if missing; in a numeric cell the first number counts as the month.
        separator, padded, day_before_month: the same as in `TimeStorage`.
        zone: its offset from UTC, such as ``Z`` or ``+02:00``; empty if it has none.
    """

    form: CellForm
    grain: Grain
    year: int = 0
    month: int = 0
    day: int = 0
    separator: str = ""
    padded: bool = True
    day_before_month: bool = False
    zone: str = ""


_CLOCK = (
    r"(?:(?P<clock>(?:\s*[T,]\s*|\s+)\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?)"
    r"(?:\s*(?P<zone>z|utc|gmt|[+-]\d\d(?::?\d\d)?))?)?"
)
_NAMES = {name.lower(): i for i in range(1, 13) for name in (calendar.month_name[i], calendar.month_abbr[i])}
_MONTH = rf"(?P<m>{'|'.join(sorted({*_NAMES, 'sept'}, key=len, reverse=True))})\.?"
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_REGULAR = re.compile(
    r"[a-z]+ \d{1,2}(?:, | )\d{4}(?: .*)?|(?:[a-z]+ |\d{1,2}([ -])[a-z]+\1)\d{4}(?: .*)?", re.IGNORECASE
)
_ANY_MONTH, _ANY_DAY = _MONTH.replace("?P<m>", "?:"), _DAY.replace("?P<d>", "?:")
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?"
_YEAR = r"(?P<y>\d{4}|'?\d\d)"

_PATTERNS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "year first": (
            r"(?P<y>\d{4})(?P<s>[-/.年])\s?(?P<m>\d{1,2})"
            rf"(?:[-/.月]\s?(?P<d>\d{{1,2}})日?{_CLOCK}|月)?"
        ),
        "year and sign": r"(?P<y>[12]\d{3})年",
        "numeric": rf"(?P<m>\d{{1,2}})(?P<s>[-/.])(?P<d>\d{{1,2}})(?P=s)(?P<y>\d{{4}}|\d\d){_CLOCK}",
        "month name": rf"{_WEEKDAY}{_MONTH}(?P<b>[\s-]*){_DAY}(?P<s>\s*,\s*|\s+|-){_YEAR}{_CLOCK}",
        "day and name": rf"{_WEEKDAY}{_DAY}(?P<s>\s+(?:of\s+)?|-){_MONTH}(?:\s*,\s*|\s+|-){_YEAR}{_CLOCK}",
        "name and year": rf"{_MONTH}(?P<s>\s*,\s*|\s+|-)(?P<y>\d{{4}})",
        "no year": rf"{_WEEKDAY}(?:{_ANY_MONTH}\s+{_ANY_DAY}|{_ANY_DAY}(?:\s+|-){_ANY_MONTH})",
        "clock": r"\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?(?:\s*[ap]\.?m\.?)?",
    }.items()
}


def read_time(text: str) -> TimeCell | None:
    """Return the time in a text, None if there is none; plain years and dates of digits alone are not parsed here."""
    for name, pattern in _PATTERNS.items():
        if match := pattern.fullmatch(text):
            return _cell(name, match.groupdict(), text)
    return None


def _cell(pattern: str, groups: dict[str, str | None], text: str) -> TimeCell | None:
    """Return the time of a text by the parts that a pattern found in it, None if there is no such day."""
    if pattern == "clock":
        return TimeCell("clock", "second")
    if pattern == "no year":
        return TimeCell("no year", "day") if 1 <= int(re.sub(r"\D", "", text) or 0) <= 31 else None
    y, m, d, sign = (groups.get(name) or "" for name in "ymds")
    named, short = "name" in pattern, len(y) != 4
    year, month, day = int(y.strip("'")), _NAMES[m.lower()[:3]] if named else int(m or 0), int(d or 0)
    padded = len(d or "00") == 2 and (named or len(m or "00") == 2)
    form: CellForm
    if named:
        form = "short year" if short else "month name" if _REGULAR.fullmatch(text) else "irregular"
        valid = _is_date(2000 if short else year, month, day if d else 1)
    elif pattern == "numeric":
        form, valid = "short year" if short else "numeric", max(month, day) <= 31 and min(month, day) <= 12
    else:
        form = "iso" if sign == "-" and padded and text[4:5] == "-" and text[7:8] in ("-", "") else "year first"
        zero = bool(d) and 0 in (year, month, day) and month <= 12 and day <= 31
        valid = not m or zero or (_is_date(year, month, day or 1) and bool(d or sign != "."))
        sign = "" if form == "iso" else sign or "年"
    grain: Grain = "second" if groups.get("clock") else "day" if d else "month" if m else "year"
    zone, behind = (groups.get("zone") or "").upper(), pattern == "day and name"
    return TimeCell(form, grain, year, month, day, sign, padded, behind, zone) if valid else None


def read_digits(digits: str) -> TimeCell | None:
    """Return the time of ``20240203``, ``202402`` or ``2024``, None for other digits."""
    year, month, day = int(digits[:4] or 0), int(digits[4:6] or 0), int(digits[6:] or 0)
    if len(digits) == 8 and 1800 <= year <= 2200 and _is_date(year, month, day):
        return TimeCell("digits", "day", year, month, day)
    if len(digits) == 6 and 1900 <= year <= 2100 and 1 <= month <= 12:
        return TimeCell("digits", "month", year, month)
    return TimeCell("year", "year", year) if len(digits) == 4 and 1000 <= year <= 2200 else None


def _is_date(year: int, month: int, day: int) -> bool:
    return 1 <= month <= 12 and year > 0 and 1 <= day <= calendar.monthrange(year, month)[1]


DayOrder: TypeAlias = Literal["day first", "month first"]

TIME_TYPE = re.compile(r"date|time(?!span)|^year")
_WORDS = column_words("times")


@dataclass(frozen=True)
class Neighbours:
    """The evidence of other columns on the times of a column.

    Attributes:
        orders: for each separator, the order of day and month, and the column with the evidence.
        unix: whether a column of the same table holds unix times.
    """

    orders: Mapping[str, tuple[DayOrder, str]] = field(default_factory=dict[str, tuple[DayOrder, str]])
    unix: bool = False


TimeFinding: TypeAlias = CellFinding[TimeStorage]
"""A finding of times; it is ``sure`` unless the sample also fits the other order of day and month."""


def says_time(sample: CellSample) -> bool:
    """Does the name or type of a column suggest times?"""
    names = (sample.column.name, sample.column.description)
    if TIME_TYPE.search(sample.type) or any(word in _WORDS["says"] for word in sample.words) or is_year(*names):
        return True
    return any(without_unit(name).endswith(tuple(_WORDS["says_zh"])) for name in names if name)


def gaps_of(sample: CellSample) -> str:
    """Return the doubt about a column with placeholders, "" for other columns."""
    return f"{sample.nothing[0]!r} stands where there is none" if sample.nothing else ""


def ends_of(cells: list[TimeCell]) -> tuple[str, str]:
    """Return the first and last day of cells; a month ends with its last day."""
    days = sorted((cell.year, cell.month or 1, cell.day or 1) for cell in cells)
    lasts = sorted((c.year, c.month or 12, c.day or monthrange(c.year, c.month or 12)[1]) for c in cells)
    return "{:04}-{:02}-{:02}".format(*days[0]), "{:04}-{:02}-{:02}".format(*lasts[-1])
