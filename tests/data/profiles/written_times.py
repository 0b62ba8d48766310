"""Times as columns of each storage write them, and what Python says of the same times."""

from __future__ import annotations

import calendar
import random
from datetime import UTC, datetime, timedelta

from querent.meaning.profile import TimeStorage

STORAGES = {
    "iso day": TimeStorage("iso", "day", text=True),
    "iso second": TimeStorage("iso", "second", text=True),
    "iso month": TimeStorage("iso", "month", text=True),
    "day first": TimeStorage("day first", "day", text=True, separator="/"),
    "day first second": TimeStorage("day first", "second", text=True, separator="."),
    "month first": TimeStorage("month first", "day", text=True, separator="-"),
    "day first unpadded": TimeStorage("day first", "day", text=True, separator=".", padded=False),
    "month first unpadded": TimeStorage("month first", "second", text=True, separator="/", padded=False),
    "behind a comma": TimeStorage("month first", "second", text=True, separator="/", padded=False, clock=", "),
    "month name": TimeStorage("month name", "day", text=True, separator=", ", padded=False),
    "month name second": TimeStorage("month name", "second", text=True, separator=", ", padded=False),
    "month name spaced": TimeStorage("month name", "second", text=True, separator=" ", padded=False),
    "name behind day": TimeStorage("month name", "day", text=True, separator=" ", padded=False, day_before_month=True),
    "name in hyphens": TimeStorage("month name", "second", text=True, separator="-", day_before_month=True),
    "month name month": TimeStorage("month name", "month", text=True, separator=" "),
    "year first": TimeStorage("year first", "day", text=True, separator="/"),
    "year first unpadded": TimeStorage("year first", "day", text=True, separator="-", padded=False),
    "year first second": TimeStorage("year first", "second", text=True, separator="/", padded=False),
    "chinese": TimeStorage("year first", "day", text=True, separator="年", padded=False),
    "chinese second": TimeStorage("year first", "second", text=True, separator="年"),
    "chinese month": TimeStorage("year first", "month", text=True, separator="年", padded=False),
    "chinese year": TimeStorage("year first", "year", text=True, separator="年"),
    "unix": TimeStorage("unix", "second", text=False),
    "unix ms": TimeStorage("unix ms", "second", text=False),
    "digits": TimeStorage("digits", "day", text=False),
    "digits text": TimeStorage("digits", "day", text=True),
    "digits month": TimeStorage("digits", "month", text=False),
    "year": TimeStorage("year", "year", text=False),
    "year text": TimeStorage("year", "year", text=True),
}

NAMES = calendar.month_name[1:]


def written(moment: datetime, name: str) -> str | int:
    """Return a time as a cell of the storage that ``STORAGES`` has under a name."""
    day, month, year, clock = moment.day, moment.month, moment.year, f"{moment:%H:%M:%S}"
    seconds = int(moment.replace(tzinfo=UTC).timestamp())
    cells: dict[str, str | int] = {
        "iso day": f"{moment:%Y-%m-%d}",
        "iso second": f"{moment:%Y-%m-%d}{' ' if day % 2 else 'T'}{clock}{'' if day % 3 else '.250Z'}",
        "iso month": f"{moment:%Y-%m}",
        "day first": f"{moment:%d/%m/%Y}",
        "day first second": f"{moment:%d.%m.%Y} {clock}",
        "month first": f"{moment:%m-%d-%Y}",
        "day first unpadded": f"{day}.{month}.{year}",
        "month first unpadded": f"{month}/{day}/{year} {moment.hour}:{moment:%M}",
        "behind a comma": f"{month}/{day}/{year}, {moment.hour}:{moment:%M}",
        "month name": f"{NAMES[month - 1][: 3 if day % 2 else None]} {day}, {year}",
        "month name second": f"{NAMES[month - 1][:3]} {day}, {year} {moment.hour}:{moment:%M}",
        "month name spaced": f"{NAMES[month - 1][:3]} {day} {year} {clock}",
        "name behind day": f"{day} {NAMES[month - 1]} {year}",
        "name in hyphens": f"{day:02}-{NAMES[month - 1][:3].upper()}-{year} {clock}",
        "month name month": f"{NAMES[month - 1]} {year}",
        "year first": f"{moment:%Y/%m/%d}",
        "year first unpadded": f"{year}-{month}-{day}",
        "year first second": f"{year}/{month}/{day} {moment.hour}:{moment:%M}",
        "chinese": f"{year}年{month}月{day}日",
        "chinese second": f"{year}年{month:02}月{day:02}日 {clock}",
        "chinese month": f"{year}年{month}月",
        "chinese year": f"{year}年",
        "unix": seconds,
        "unix ms": seconds * 1000,
        "digits": int(f"{moment:%Y%m%d}"),
        "digits text": f"{moment:%Y%m%d}",
        "digits month": int(f"{moment:%Y%m}"),
        "year": year,
        "year text": str(year),
    }
    return cells[name]


def moments(seed: int, count: int) -> list[datetime]:
    """Return random times from 1995 to 2026, some of them at the edges of years and months."""
    draw = random.Random(seed)
    days = [datetime(1995, 1, 1) + timedelta(days=draw.randrange(365 * 31)) for _ in range(count)]
    days += [
        datetime(y, m, d) for y in (1999, 2020, 2024) for m, d in ((1, 1), (2, 29 if y % 4 == 0 else 28), (12, 31))
    ]
    return [day + timedelta(seconds=draw.randrange(86400)) for day in days]


def part(moment: datetime, name: str) -> str | int:
    """Return a part of a time as `part_of` promises it in SQLite."""
    iso = moment.isocalendar()
    parts: dict[str, str | int] = {
        "year": f"{moment:%Y}",
        "quarter": f"{moment.year}-Q{(moment.month + 2) // 3}",
        "month": f"{moment:%Y-%m}",
        "month of year": f"{moment:%m}",
        "week": f"{iso.year}-W{iso.week:02}",
        "weekday": iso.weekday,
        "day": f"{moment:%Y-%m-%d}",
        "day of month": moment.day,
        "hour": moment.hour,
    }
    return parts[name]


def unit_of(moment: datetime, storage: TimeStorage) -> tuple[datetime, datetime]:
    """Return the first moment of what a cell tells, and the first behind it."""
    day = datetime(moment.year, moment.month, moment.day)
    match storage.grain:
        case "year":
            return datetime(moment.year, 1, 1), datetime(moment.year + 1, 1, 1)
        case "month":
            return day.replace(day=1), (day.replace(day=1) + timedelta(days=31)).replace(day=1)
        case "second" if storage.sorts and storage.form != "year first":
            return moment, moment + timedelta(microseconds=1)
        case _:
            return day, day + timedelta(days=1)


def whole_years(start: datetime, end: datetime) -> int:
    """Return the birthdays from one day to another."""
    return end.year - start.year - ((end.month, end.day) < (start.month, start.day))


SERVER_STORAGES = {
    **STORAGES,
    "native": TimeStorage("native", "second", text=False),
    "native day": TimeStorage("native", "day", text=False),
}
