"""What an expression of a query means, whatever words it is said with, and the period that a literal says."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias

from sqlglot import exp

from ..profile import ColumnProfile, TimeStorage
from ..sql import DurationUnit, TimePart, elapsed, is_set, number_of, part_of, recurring, within

__all__ = [
    "Meant",
    "MeantDuration",
    "MeantFlag",
    "MeantInterval",
    "MeantNumber",
    "MeantPart",
    "MeantRecurring",
    "Period",
    "Profiled",
    "month_named",
    "period_of",
    "period_of_part",
    "time_of",
    "written",
]

PeriodLevel: TypeAlias = Literal["year", "month", "day", "second"]
Period: TypeAlias = tuple[datetime, datetime, PeriodLevel]
"""Its first moment, the first behind it, and how fine the literal is."""

_ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?\S*)?)?)?")
_DIGITS = re.compile(r"(\d{4})(\d\d)?(\d\d)?")
_NUMBERS = re.compile(r"\d+")
_NAME = re.compile(r"(?i)(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*")
_MONTHS = [name.lower() for name in calendar.month_abbr]


def period_of(text: str, storage: TimeStorage) -> Period | None:
    """Return the period that a literal beside a column says, None where it is no cell of that storage."""
    try:
        match storage.form:
            case "iso" | "native":
                found = _ISO.fullmatch(text)
                return _period(*(int(n) for n in found.groups() if n is not None)) if found else None
            case "year":
                return _period(int(text)) if re.fullmatch(r"\d{4}", text) else None
            case "digits":
                found = _DIGITS.fullmatch(text)
                return _period(*(int(n) for n in found.groups() if n is not None)) if found else None
            case "unix" | "unix ms":
                return _second(int(text) // (1000 if storage.form == "unix ms" else 1)) if text.isdecimal() else None
            case _:
                day = day_parts(text, storage)
                return None if day is None else _period(*day)
    except (ValueError, OverflowError):
        return None


def period_of_part(text: str, part: str) -> Period | None:
    """Return the period that a year, a month with its year, or a day says."""
    found = _ISO.fullmatch(text)
    numbers = [int(n) for n in found.groups() if n is not None] if found else []
    if len(numbers) != {"year": 1, "month": 2, "day": 3}.get(part):
        return None
    try:
        return _period(*numbers)
    except ValueError:
        return None


def day_parts(text: str, storage: TimeStorage) -> tuple[int, ...] | None:
    """Return year, month and day, as far as a text says them; None where it is not written as the storage's cells."""
    numbers = [int(n) for n in _NUMBERS.findall(text)]
    if storage.form == "month name":
        name = _NAME.search(text)
        if name is None or len(numbers) != (1 if storage.grain == "month" else 2):
            return None
        month = _MONTHS.index(name[1].lower())
        return (numbers[-1], month, numbers[0]) if len(numbers) == 2 else (numbers[0], month)
    if storage.separator not in text or len(numbers) < 3:
        return tuple(numbers) if storage.form == "year first" and numbers and storage.separator in text else None
    first, second, third = numbers[:3]
    if storage.form == "year first":
        return first, second, third
    return (third, second, first) if storage.form == "day first" else (third, first, second)


def month_named(text: str) -> int | None:
    """Return the month that a name says, None where a text is no name of one."""
    found = _NAME.fullmatch(text.strip())
    return None if found is None else _MONTHS.index(found[1].lower())


def _period(
    year: int, month: int | None = None, day: int | None = None, hour: int | None = None, *clock: int
) -> Period:
    """Return the period of a year, month, day, hour and minute, second, as far as they are given.

    Raises:
        ValueError: it is no date, or not one of four digits.
    """
    if year < 1000:
        raise ValueError(year)
    if hour is not None:
        minute, second, *_ = (*clock, 0, 0)
        start = datetime(year, month or 1, day or 1, hour, minute, second)
        return start, start + timedelta(seconds=1), "second"
    start = datetime(year, month or 1, day or 1)
    if day is not None:
        return start, start + timedelta(days=1), "day"
    if month is not None:
        return start, (start + timedelta(days=31)).replace(day=1), "month"
    return start, start.replace(year=year + 1), "year"


def _second(seconds: int) -> Period:
    start = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    return start, start + timedelta(seconds=1), "second"


Profiled: TypeAlias = Callable[[exp.Column], ColumnProfile | None]
"""Of a column as a query names it, what is known of its cells."""


@dataclass(frozen=True)
class MeantInterval:
    """The time lies in [start, end), None being open."""

    column: exp.Column
    start: datetime | None
    end: datetime | None


@dataclass(frozen=True)
class MeantRecurring:
    """A part of the time is one of some numbers: month 12 of any year."""

    column: exp.Column
    part: Literal["month", "day", "hour"]
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class MeantPart:
    """A part of the time, as a value; ``number`` if the query makes a number of it."""

    column: exp.Column
    part: TimePart
    number: bool


@dataclass(frozen=True)
class MeantDuration:
    """The time from one column to another."""

    start: exp.Column
    end: exp.Column
    unit: DurationUnit


@dataclass(frozen=True)
class MeantNumber:
    """The number that a text says."""

    column: exp.Column


@dataclass(frozen=True)
class MeantFlag:
    """The flag says yes, or no."""

    column: exp.Column
    yes: bool


Meant: TypeAlias = MeantInterval | MeantRecurring | MeantPart | MeantDuration | MeantNumber | MeantFlag


def time_of(column: exp.Expr | None, profiled: Profiled) -> TimeStorage | None:
    """Return how a column stores times, None of what is no column, or holds none."""
    profile = profiled(column) if isinstance(column, exp.Column) else None
    return None if profile is None else profile.time


def written(meant: Meant, profiled: Profiled, dialect: str) -> str:
    """Return the one way to write what is meant.

    Raises:
        QueryError: PostgreSQL has none for this storage.
    """
    match meant:
        case MeantDuration(start, end, unit):
            storages = time_of(start, profiled), time_of(end, profiled)
            assert storages[0] is not None
            assert storages[1] is not None
            return elapsed(start.sql(dialect), storages[0], end.sql(dialect), storages[1], dialect, unit)
        case MeantNumber(column) | MeantFlag(column):
            profile, ref = profiled(column), column.sql(dialect)
            assert profile is not None
            if isinstance(meant, MeantFlag):
                assert profile.flag is not None
                return is_set(ref, profile.flag, dialect, meant.yes)
            assert profile.number is not None
            return number_of(ref, profile.number, dialect)
        case MeantInterval(column) | MeantRecurring(column) | MeantPart(column):
            storage, ref = time_of(column, profiled), column.sql(dialect)
            assert storage is not None
            return _time_written(meant, ref, storage, dialect)


def _time_written(
    meant: MeantInterval | MeantRecurring | MeantPart, ref: str, storage: TimeStorage, dialect: str
) -> str:
    match meant:
        case MeantInterval(_, start, end):
            return within(ref, storage, dialect, start, end)
        case MeantRecurring(_, part, numbers):
            return recurring(ref, storage, dialect, part, numbers)
        case MeantPart(_, part, number):
            return part_of(ref, storage, dialect, part, number=number)
