"""The period that a literal of a gold query says, as cells of a storage are written: 2024, 2024-02, 3/2/2024."""

from __future__ import annotations

import calendar
import re
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias

from ...profiles.column_profile import TimeStorage

__all__ = ["Period", "PeriodLevel", "day_parts", "month_named", "period_of", "period_of_part"]

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
