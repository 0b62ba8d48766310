"""Times as columns of each storage write them, and what Python says of the same times."""

import random
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from querent.meaning.profile import TimeStorage

_FILE: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("storages.toml").read_text("utf-8"))
_WRITES: dict[str, str] = {name: fields.pop("writes") for name, fields in _FILE.items()}
STORAGES = {name: TimeStorage(**{"text": True, **fields}) for name, fields in _FILE.items()}
SERVER_STORAGES = {
    **STORAGES,
    "native": TimeStorage("native", "second", text=False),
    "native day": TimeStorage("native", "day", text=False),
}


def written(moment: datetime, name: str) -> str | int:
    """Return a time as a cell of the storage that ``STORAGES`` has under a name."""
    marks = {"T": "T" if moment.day % 2 == 0 else " ", "Z": "" if moment.day % 3 else ".250Z"}
    marks |= {"name": f"{moment:%b}" if moment.day % 2 else f"{moment:%B}", "NAME": f"{moment:%b}".upper()}
    seconds = int(moment.replace(tzinfo=UTC).timestamp())
    cell = _WRITES[name].format(t=moment, seconds=seconds, **marks)
    return cell if STORAGES[name].text else int(cell)


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
