"""How the cells of a column say times, and what is doubtful about it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Literal, TypeAlias

from ..schema.meanings import is_year
from .cell_sample import CellSample
from .column_profile import Grain, TimeForm, TimeStorage
from .time_cells import CellForm, TimeCell, read_digits, read_time

__all__ = ["DayOrder", "Neighbours", "TimeFinding", "says_time", "time_of"]

DayOrder: TypeAlias = Literal["day first", "month first"]

_TIME_TYPE = re.compile(r"date|time(?!span)|^year")
_SAYS_TIME = {
    *("date", "time", "day", "at", "on", "when", "timestamp", "ts", "epoch", "unix", "datetime", "created", "updated"),
    *("modified", "deleted", "since", "until", "from", "to", "start", "end", "started", "ended", "begin", "birthday"),
    *(
        "birth",
        "dob",
        "born",
        "died",
        "death",
        "creation",
        "deadline",
        "due",
        "expires",
        "expiry",
        "last",
        "login",
        "seen",
        "period",
        "month",
        "ym",
    ),
}
_SAYS_TIME_ZH = ("时间", "日期", "时刻", "日", "月份", "年月", "时间戳", "生日")
_UNDATED: Mapping[CellForm, str] = {
    "clock": "times of day or lengths of time, without a date",
    "no year": "dates without a year",
}
_SEASON = re.compile(r"(\d{4})\s?[-/–]\s?(\d\d|\d{4})")
_MOST = 0.8
"""The share of cells from which a column is one of times, if one with others among them."""

_LOOKED_AT = 24
"""Cells that tell whether it is worth to look at all."""

_UNIX: Mapping[TimeForm, tuple[int, tuple[int, int]]] = {
    "unix": (1, (315_532_800, 2_524_608_000)),  # 1980 to 2050
    "unix ms": (1000, (315_532_800_000, 2_524_608_000_000)),
}


@dataclass(frozen=True)
class Neighbours:
    """What columns around one tell of it.

    Attributes:
        orders: by separator, whether their dates begin with the day or the month, and which column says so.
        unix: does a column of the same table hold unix times?
    """

    orders: Mapping[str, tuple[DayOrder, str]] = field(default_factory=dict[str, tuple[DayOrder, str]])
    unix: bool = False


@dataclass(frozen=True)
class TimeFinding:
    """A column of times.

    Attributes:
        storage: None where they are told in no one way.
        doubt: in one line, empty if there is none.
        forced: does the sample leave no other order of day and month?
    """

    storage: TimeStorage | None
    doubt: str = ""
    forced: bool = True


def time_of(sample: CellSample, neighbours: Neighbours) -> TimeFinding | None:
    """Return how the cells of a column say times, None where they say none."""
    if sample.served and (found := _native(sample)):
        return found
    if sample.numbers and not sample.texts:
        return _of_numbers(sample, neighbours)
    texts = sample.texts
    if not texts or (len(sample.numbers) > len(texts) and not says_time(sample)):
        return None
    if all(text.isdecimal() and text.isascii() for text in texts) and not sample.numbers:
        return _of_numbers(sample, neighbours)
    some = [*texts][:: max(1, len(texts) // _LOOKED_AT)]
    if not any(map(read_time, some)) or sum(map(_is_season, texts)) >= _MOST * len(texts):
        return None
    return _of_texts(sample, neighbours)


def _native(sample: CellSample) -> TimeFinding | None:
    """Return the storage of a server's type; what a driver gives as text beside it is no date: 0000-00-00."""
    kind = sample.type
    if kind.startswith("year"):
        return TimeFinding(TimeStorage("year", "year", text=False))
    if not re.match(r"date|timestamp|datetime", kind):
        return TimeFinding(None, "times of day, without a date") if re.match(r"time\b", kind) else None
    days = sorted(cell.isoformat()[:10] for cell in sample.counts if isinstance(cell, date))
    odd = next((cell for cell in sample.counts if isinstance(cell, str)), None)
    doubt = f"among them is {odd!r}, which is no date" if odd is not None else ""
    grain = "day" if re.match(r"date(?!time)", kind) else "second"
    first, last = (days[0], days[-1]) if days else ("", "")
    return TimeFinding(TimeStorage("native", grain, text=False, first=first, last=last), doubt)


def _of_numbers(sample: CellSample, neighbours: Neighbours) -> TimeFinding | None:
    """Return what numbers, or texts of digits alone, say: unix times, dates in digits, years."""
    text = bool(sample.texts)
    if not text and any(isinstance(n, float) and not n.is_integer() for n in sample.numbers):
        return _unix(sample, sample.numbers, neighbours, text=False)
    numbers = [int(t) for t in sample.texts] if text else sample.numbers
    digits = [*sample.texts] if text else [str(int(number)) for number in numbers]
    cells = [*_read_while(digits)]
    forms = {(cell.form, cell.grain) for cell in cells}
    if len(cells) == len(digits) and len(forms) == 1 and _plausible(sample, cells):
        first, last = _ends(cells)
        one = cells[0]
        nothing = f"{sample.nothing[0]!r} stands where there is none" if sample.nothing else ""
        storage = TimeStorage("year" if one.form == "year" else "digits", one.grain, text=text, first=first, last=last)
        return TimeFinding(storage, nothing)
    return _unix(sample, numbers, neighbours, text=text)


def _read_while(digits: Iterable[str]) -> Iterator[TimeCell]:
    """Yield what digits say up to the first that say no time."""
    for one in digits:
        if (cell := read_digits(one)) is None:
            return
        yield cell


def _plausible(sample: CellSample, cells: list[TimeCell]) -> bool:
    """Are numbers that could be dates or years any, by the column's name, or since nothing else looks so?"""
    if _TIME_TYPE.search(sample.type):
        return True
    match cells[0].grain:
        case "day":
            return says_time(sample) or (len(cells) > 2 and not sample.meaning)
        case "month":
            return says_time(sample) or (len(cells) > 5 and not sample.meaning and not sample.numbering)
        case _:
            if is_year(sample.column.name, sample.column.description):
                return True
            if says_time(sample) and len(cells) > 1 and not sample.numbering:
                return all(1500 <= cell.year <= 2100 for cell in cells)
            earliest = 1900 if sample.numbers else 1700  # amounts are seldom written as text
            recent = all(earliest <= cell.year <= 2035 for cell in cells)
            named = sample.meaning or sample.coded or sample.numbering
            return recent and len(cells) > 2 and not named and sample.rows > 4


def _unix(
    sample: CellSample, numbers: Iterable[int | float], neighbours: Neighbours, *, text: bool
) -> TimeFinding | None:
    some = [*numbers]
    if not (says_time(sample) or _TIME_TYPE.search(sample.type) or neighbours.unix) or sample.numbering:
        return None
    for form, (unit, (low, high)) in _UNIX.items():
        if some and all(low <= number <= high for number in some):
            first, last = (datetime.fromtimestamp(end / unit, UTC).date().isoformat() for end in (min(some), max(some)))
            return TimeFinding(TimeStorage(form, "second", text=text, first=first, last=last))
    return None


def _of_texts(sample: CellSample, neighbours: Neighbours) -> TimeFinding | None:
    read = {text: read_time(text) for text in sample.texts}
    cells = [cell for cell in read.values() if cell is not None]
    known = sum(times for text, times in sample.texts.items() if read[text] is not None)
    total = sum(sample.texts.values()) + sum(sample.counts[number] for number in sample.numbers)
    if known < _MOST * total:
        return TimeFinding(None, _mixed(read)) if says_time(sample) and known > 0.4 * total else None
    if known < total:
        other = next((text for text, cell in read.items() if cell is None), None)
        odd = other if other is not None else sample.numbers[0]
        return TimeFinding(None, f"most cells are times, but not {odd!r}")
    if {(cell.form, cell.separator) for cell in cells} == {("iso", ""), ("year first", "-")}:  # 1999-9-9, 1999-10-10
        cells = [replace(cell, form="year first", separator="-") for cell in cells]
        return _of_one_form(sample, cells, neighbours)
    forms = Counter(cell.form for cell in cells)
    if len(forms) > 1:
        shown = [next(text for text, cell in read.items() if cell and cell.form == form) for form in forms]
        return TimeFinding(None, f"times are told in several ways: {', '.join(map(repr, shown[:3]))}")
    return _of_one_form(sample, cells, neighbours)


def _of_one_form(sample: CellSample, cells: list[TimeCell], neighbours: Neighbours) -> TimeFinding | None:
    problem = _several_ways(cells)
    match cells[0].form:
        case "clock" | "no year" as form:
            return TimeFinding(None, _UNDATED[form])
        case "short year":
            likely = says_time(sample) or cells[0].separator == "/" or cells[0].day_before_month
            return TimeFinding(None, "years of two digits") if likely else None
        case "numeric" if not problem:
            return _of_numeric(cells, neighbours)
        case "iso" | "year first" | "month name" as form if not problem:
            return TimeFinding(_storage(form, cells), _doubt(sample, cells))
        case _:
            return TimeFinding(None, problem)


def _is_season(text: str) -> bool:
    """Does a text name two years that follow one another, as 2003-04 and 1999/2000 do?"""
    found = _SEASON.fullmatch(text)
    return found is not None and (int(found[1]) + 1) % 100 == int(found[2]) % 100


def _several_ways(cells: list[TimeCell]) -> str:
    """Return in what cells of one form differ so that one expression does not read all; nothing if they do not."""
    dated = [cell for cell in cells if cell.grain in ("day", "second")]
    zero = next((cell for cell in dated if 0 in (cell.year, cell.month, cell.day)), None)
    if zero is not None:
        return f"'{zero.year:04}-{zero.month:02}-{zero.day:02}' among the dates, which is none"
    if cells[0].form == "iso":
        return ""
    if len({cell.separator for cell in cells}) > 1:
        return "times are told with several separators"
    if len({cell.day_before_month for cell in cells}) > 1 or 0 < len(dated) < len(cells):
        return "times are told in several ways"
    return ""


def _doubt(sample: CellSample, cells: list[TimeCell]) -> str:
    zones = {cell.zone for cell in cells}
    if len(zones) > 1:
        return f"of several time zones: {', '.join(sorted(zone or 'none' for zone in zones)[:3])}"
    return f"{sample.nothing[0]!r} stands where there is none" if sample.nothing else ""


def _of_numeric(cells: list[TimeCell], neighbours: Neighbours) -> TimeFinding:
    """Say whether day or month stands first: what the cells leave no doubt of, neighbours have, or is usual."""
    day = next((cell for cell in cells if cell.month > 12), None)
    month = next((cell for cell in cells if cell.day > 12), None)
    if day and month:
        shown = f"{day.month}{day.separator}{day.day} and {month.month}{month.separator}{month.day}"
        return TimeFinding(None, f"{shown} in one column: does the day or the month stand first?")
    separator = cells[0].separator
    if day or month:
        return TimeFinding(_storage("day first" if day else "month first", cells))
    order, by = neighbours.orders.get(separator, (_usual(cells, separator), ""))
    why = f"as in {by}" if by else "which is more usual"
    other = "the month" if order == "day first" else "the day"
    return TimeFinding(_storage(order, cells), f"{other} might stand first as well; {order}, {why}", forced=False)


def _usual(cells: list[TimeCell], separator: str) -> DayOrder:
    """The first of each month is a date of many; the month of many dates is seldom the same."""
    first, second = {cell.month for cell in cells}, {cell.day for cell in cells}
    if first == {1} and len(second) > 2:
        return "day first"
    if second == {1} and len(first) > 2:
        return "month first"
    return "month first" if separator == "/" else "day first"


def _storage(form: TimeForm, cells: list[TimeCell]) -> TimeStorage:
    if form == "day first":
        cells = [TimeCell(c.form, c.grain, c.year, c.day, c.month, c.separator, c.padded) for c in cells]
    first, last = _ends(cells)
    grains: tuple[Grain, ...] = ("second", "day", "month", "year")
    finest: Grain = next(grain for grain in grains if any(c.grain == grain for c in cells))
    padded = all(cell.padded for cell in cells)
    return TimeStorage(form, finest, True, cells[0].separator, padded, cells[0].day_before_month, first, last)


def _ends(cells: list[TimeCell]) -> tuple[str, str]:
    """Return the first and the last day that cells mean, a month's last day of a month."""
    days = sorted((cell.year, cell.month or 1, cell.day or 1) for cell in cells)
    lasts = sorted((c.year, c.month or 12, c.day or _length(c.year, c.month or 12)) for c in cells)
    return "{:04}-{:02}-{:02}".format(*days[0]), "{:04}-{:02}-{:02}".format(*lasts[-1])


def _length(year: int, month: int) -> int:
    return (date(year + month // 12, month % 12 + 1, 1) - date(year, month, 1)).days


def _mixed(read: Mapping[str, TimeCell | None]) -> str:
    one = next(text for text, cell in read.items() if cell is not None)
    other = next((text for text, cell in read.items() if cell is None), None)
    return f"some cells are times ({one!r}), others are not ({other!r})"


def says_time(sample: CellSample) -> bool:
    """Is it likely by its name or type that a column holds times?"""
    names = (sample.column.name, sample.column.description)
    if _TIME_TYPE.search(sample.type) or _SAYS_TIME & set(sample.said) or is_year(*names):
        return True
    return any(name.endswith(_SAYS_TIME_ZH) for name in names if name)
