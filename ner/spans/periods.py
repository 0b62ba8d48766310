"""Spans of time and how they are counted: the periods of the calendar."""

from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

Bound: TypeAlias = Literal["in", "after", "since", "before", "until"]
"""The bound in the words around a period: «after March» begins in April, «until March» ends with it."""

SpanGrain: TypeAlias = Literal["year", "half", "quarter", "month", "week", "day", "hour", "second"]

RecurringPart: TypeAlias = Literal["month", "quarter", "weekday", "day", "hour"]
"""The parts that recur: a month or quarter of any year, a weekday (Monday is 1), a day of the month, an hour."""


@dataclass(frozen=True)
class TimeSpan:
    """The period [start, end) at ``question[first:last]``.

    Attributes:
        first: first character of the question, prepositions that set the bound not counted.
        last: one past the last character.
        text: those characters.
        start: of the period itself, without the bound; None if it has no beginning, or recurs.
        end: the first moment behind it; None if it has no end, or recurs.
        grain: of the period.
        bound: the bound in the words around it.
        relative: whether it depends on the clock.
        part: the part that recurs: «in December» without a year is month 12 of any year.
        numbers: the numbers of that part: 12; 6 and 7 of a weekend.
        note: an assumption that the answer mentions; empty if there is none.
        sure: are its words those of a time? «2000» alone may count something, «older than 30 years» be an age.
    """

    first: int
    last: int
    text: str
    start: datetime | None
    end: datetime | None
    grain: SpanGrain
    bound: Bound = "in"
    relative: bool = False
    part: RecurringPart | None = None
    numbers: tuple[int, ...] = ()
    note: str = ""
    sure: bool = True

    def __str__(self) -> str:
        """Return the interval with its first and last day or moment, as people write it."""
        if self.part is not None:
            return f"any {self.part} {', '.join(map(str, self.numbers))}"
        start, end = self.interval
        whole = all(one is None or (one.hour, one.minute, one.second) == (0, 0, 0) for one in (start, end))
        last = end - timedelta(days=1) if whole and end is not None else end
        first, until = (one and (one.date().isoformat() if whole else one.isoformat(" ")) for one in (start, last))
        if first == until:
            return str(first)
        return f"from {first}" if until is None else f"up to {until}" if first is None else f"{first} to {until}"

    @property
    def plain(self) -> bool:
        """Is it one year, month, day, hour or second of the calendar, and no range of them?"""
        if self.start is None or self.end is None or self.relative:
            return False
        days = (self.end - self.start).days
        most = {"year": 366, "month": 31, "day": 1, "hour": 0, "second": 0}.get(self.grain)
        return most is not None and days <= most

    @property
    def interval(self) -> tuple[datetime | None, datetime | None]:
        """Return [start, end) with the bound: from the end on for «after», up to the start for «before»."""
        return {
            "in": (self.start, self.end),
            "after": (self.end, None),
            "since": (self.start, None),
            "before": (None, self.start),
            "until": (None, self.end),
        }[self.bound]


TimeUnit: TypeAlias = Literal["decade", "year", "half", "quarter", "month", "week", "day", "hour", "minute", "second"]

YEARS = range(1800, 2101)
"""Numbers that are years sooner than amounts."""

_MONTHS: dict[str, int] = {"decade": 120, "year": 12, "half": 6, "quarter": 3, "month": 1}
_LENGTHS: dict[str, timedelta] = {
    "week": timedelta(days=7),
    "day": timedelta(days=1),
    "hour": timedelta(hours=1),
    "minute": timedelta(minutes=1),
    "second": timedelta(seconds=1),
}
_GRAINS: dict[str, SpanGrain] = {"decade": "year", "minute": "second"}
_ORDER = ("year", "half", "quarter", "month", "week", "day", "hour", "second")


@dataclass(frozen=True)
class YearPart:
    """The n-th of a unit in a period elsewhere in the question, or in none.

    Attributes:
        unit: ``name`` is a month by its name, ``date`` a month and day, ``tenth`` ten days of a month.
        n: which one, from 1; from the end if negative; of a ``date`` a hundred times the month, and the day.
        alone: may it stand for that part of any year?
        sure: are its words those of a time, whatever stands around them?
    """

    unit: Literal["half", "quarter", "month", "name", "week", "day", "date", "tenth"]
    n: int
    alone: bool = False
    sure: bool = True


@dataclass(frozen=True)
class Period:
    """The period of some words, without their place in the question; see `TimeSpan`.

    Attributes:
        lacks: the part of a year (or a month) without the year (or month).
        edge: whether only its start or end is meant.
        bound: the bound in its own words: «more than 30 days ago».
    """

    start: datetime | None
    end: datetime | None
    grain: SpanGrain
    relative: bool = False
    part: RecurringPart | None = None
    numbers: tuple[int, ...] = ()
    note: str = ""
    sure: bool = True
    lacks: YearPart | None = None
    edge: Literal["", "start", "end"] = ""
    bound: Bound | None = None

    @property
    def is_day(self) -> bool:
        """Is it one day of the calendar?"""
        return self.grain == "day" and self.start is not None and self.end == self.start + _LENGTHS["day"]


Reading: TypeAlias = tuple[Period, int] | None
"""A period and the position behind its words; None where none begins."""


def read(period: Period | None, behind: int) -> Reading:
    """Return a reading; None of no period."""
    return period and (period, behind)


def moved(moment: datetime, unit: TimeUnit, n: int) -> datetime:
    """Return the moment ``n`` units later; of a month without that day the last one.

    Raises:
        ValueError, OverflowError: no calendar goes so far.
    """
    if unit in _LENGTHS:
        return moment + n * _LENGTHS[unit]
    month = moment.year * 12 + moment.month - 1 + n * _MONTHS[unit]
    year, month = month // 12, month % 12 + 1
    if not 1 <= year <= 9999:
        raise ValueError(f"there is no year {year}")
    return moment.replace(year=year, month=month, day=min(moment.day, monthrange(year, month)[1]))


def in_unit(moment: datetime, unit: TimeUnit, n: int = 0) -> Period:
    """Return the unit of the calendar that a moment lies in, or the n-th behind it; weeks begin on Mondays."""
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "week":
        first = day - timedelta(days=day.weekday())
    elif unit == "decade":
        first = day.replace(year=max(1, day.year // 10 * 10), month=1, day=1)
    elif unit in _MONTHS:
        size = _MONTHS[unit]
        first = day.replace(month=(day.month - 1) // size * size + 1, day=1)
    else:
        first = day if unit == "day" else moment.replace(microsecond=0, second=0)
        first = first.replace(minute=0) if unit == "hour" else first
    first = moved(first, unit, n)
    return Period(first, moved(first, unit, 1), _GRAINS.get(unit, unit), relative=True)  # pyright: ignore[reportArgumentType]


def year_of(year: int, first_month: int = 1) -> Period:
    """Return a year; a fiscal one that begins in another month than January is named after the year it ends in."""
    start = datetime(year if first_month == 1 else year - 1, first_month, 1)
    end = moved(start, "year", 1)
    note = "" if first_month == 1 else f"the fiscal year from {start:%Y-%m-%d} to {end - timedelta(days=1):%Y-%m-%d}"
    return Period(start, end, "year", note=note)


def span_of_days(first: datetime, days: int) -> Period:
    """Return so many days from a midnight on."""
    return Period(first, first + timedelta(days=days), "day")


def nth(part: YearPart, whole: Period) -> Period | None:
    """Return a part of a period, or None if that has none such."""
    if whole.start is None or whole.end is None:
        return None
    found = _nth(part, whole.start, whole.end, whole.grain)
    if found is None or found.start is None or found.end is None:
        return None
    iso_week = part.unit == "week" and whole.grain == "year"  # its first days may be those of the year before
    inside = iso_week or whole.start <= found.start < found.end <= whole.end
    if not inside or _ORDER.index(found.grain) <= _ORDER.index(whole.grain):
        return None
    note = found.note or whole.note
    return replace(found, relative=whole.relative, note=note)


def _nth(part: YearPart, start: datetime, end: datetime, grain: SpanGrain) -> Period | None:
    n = part.n
    if part.unit == "date":
        month, day = divmod(n, 100)
        return span_of_days(datetime(start.year, month, day), 1) if day <= monthrange(start.year, month)[1] else None
    if part.unit == "name":
        first = moved(start, "month", (n - start.month) % 12)
        return Period(first, moved(first, "month", 1), "month")
    if part.unit == "tenth":
        first = start + timedelta(days=10 * (n - 1))
        return Period(first, end if n == 3 else first + timedelta(days=10), "day") if grain == "month" else None
    if part.unit == "week" and grain == "year" and n > 0:
        if n > datetime(start.year, 12, 28).isocalendar().week:
            return None
        return Period(first := datetime.fromisocalendar(start.year, n, 1), moved(first, "week", 1), "week")
    first = moved(start, part.unit, n - 1) if n > 0 else moved(end, part.unit, n)
    note = "weeks counted from the first day on" if part.unit == "week" else ""
    return Period(first, moved(first, part.unit, 1), part.unit, note=note)


def of_any_year(part: YearPart, now: datetime) -> Period | None:
    """Return the meaning of a part without a year: that of each year; of a month and day the last one."""
    if part.unit == "date":
        return last_of(part, now)
    numbers = (part.n,) if part.unit != "half" else tuple(range(6 * part.n - 5, 6 * part.n + 1))
    kinds: dict[str, tuple[SpanGrain, RecurringPart]]
    kinds = {"name": ("month", "month"), "quarter": ("quarter", "quarter"), "half": ("half", "month")}
    if part.unit not in kinds:
        return None
    grain, kind = kinds[part.unit]
    return Period(None, None, grain, part=kind, numbers=numbers, note="of any year", lacks=part, sure=part.sure)


def in_year(part: YearPart, year: int) -> Period | None:
    """Return a part of a year, None if that has none such or is no year of the calendar."""
    return nth(part, year_of(year)) if 1 < year < 9999 else None


def last_of(part: YearPart, now: datetime) -> Period | None:
    """Return the part of the last year in which it has begun."""
    for year in range(now.year, max(0, now.year - 9), -1):  # 29 February may be eight years back
        found = in_year(part, year)
        if found is not None and found.start is not None and found.start <= now:
            return replace(found, relative=True, note=f"taken to be in {year}", lacks=part)
    return None
