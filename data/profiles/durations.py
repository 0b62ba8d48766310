"""The time between two times, and the age of one at a fixed clock."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from ..errors import QueryError
from .column_profile import TimeStorage
from .time_moments import moment_of, sortable
from .time_pieces import pieces_of

__all__ = ["DurationUnit", "age", "elapsed"]

DurationUnit: TypeAlias = Literal["days", "hours", "years"]
"""``days`` are those of the calendar (from 23:00 to 1:00 is one), ``years`` whole ones that have passed, as people
count an age; ``hours`` may have fractions."""

_NUMBERS = ("unix", "unix ms")


def elapsed(
    start_ref: str,
    start_storage: TimeStorage,
    end_ref: str,
    end_storage: TimeStorage,
    dialect: str,
    unit: DurationUnit,
) -> str:
    """Return the time from one column to another, NULL where one of them has none.

    Raises:
        QueryError: the cells do not tell it, or PostgreSQL cannot reckon with a text.
    """
    if unit == "years" and start_storage.form == end_storage.form == "year":
        return f"{end_ref} - {start_ref}"
    if start_storage.form == end_storage.form and start_storage.form in _NUMBERS and unit != "years":
        return _of_numbers(start_ref, end_ref, start_storage.form, dialect, unit)
    if unit == "hours" and "second" not in (start_storage.grain, end_storage.grain):
        raise QueryError("days have no hours between them")
    if dialect == "sqlite" and unit == "years":
        return f"({_day_number(end_ref, end_storage)} - {_day_number(start_ref, start_storage)}) / 10000"
    start, end = moment_of(start_ref, start_storage, dialect), moment_of(end_ref, end_storage, dialect)
    match dialect, unit:
        case "sqlite", "days":
            return f"JULIANDAY({_day(end, end_storage)}) - JULIANDAY({_day(start, start_storage)})"
        case "sqlite", _:
            return f"(UNIXEPOCH({end}) - UNIXEPOCH({start})) / 3600.0"
        case "mysql", "days":
            return f"DATEDIFF({end}, {start})"
        case "mysql", "hours":
            return f"TIMESTAMPDIFF(SECOND, {start}, {end}) / 3600"
        case "mysql", _:
            return f"TIMESTAMPDIFF(YEAR, {start}, {end})"
        case _, "days":
            return f"{_date(end, end_storage)} - {_date(start, start_storage)}"
        case _, "hours":
            return f"EXTRACT(EPOCH FROM {_stamp(end, end_storage)} - {_stamp(start, start_storage)}) / 3600"
        case _:
            return f"EXTRACT(YEAR FROM AGE({end}, {start}))"


def age(ref: str, storage: TimeStorage, dialect: str, now: datetime, unit: DurationUnit) -> str:
    """Return the time from a column to a fixed clock; errors are those of `elapsed`."""
    if unit == "years" and storage.form == "year":
        return f"{now.year} - {ref}"
    if dialect == "sqlite" and unit == "years":
        return f"({now:%Y%m%d} - {_day_number(ref, storage)}) / 10000"
    clock = TimeStorage("iso", "second" if unit == "hours" else "day", text=True)
    text = f"'{now:%Y-%m-%d %H:%M:%S}'" if unit == "hours" else f"'{now:%Y-%m-%d}'"
    if dialect == "postgres":
        clock = TimeStorage("native", clock.grain, text=False)
        text = ("TIMESTAMP " if unit == "hours" else "DATE ") + text
    return elapsed(ref, storage, text, clock, dialect, unit)


def _of_numbers(start: str, end: str, form: str, dialect: str, unit: str) -> str:
    scale = 1000 if form == "unix ms" else 1
    if unit == "hours":
        return f"({end} - {start}) / {3600 * scale}.0"
    division = "DIV" if dialect == "mysql" else "/"
    return f"{end} {division} {86400 * scale} - {start} {division} {86400 * scale}"


def _day_number(ref: str, storage: TimeStorage) -> str:
    """Return a day as SQLite reckons with it: 20240203, of which the difference of two has their years in front."""
    if storage.form == "digits" and storage.grain == "day":
        return ref
    if storage.form in ("day first", "month first", "month name"):
        value = sortable(ref, storage, "sqlite")
        return value if value.startswith("CASE") else f"({value})"
    return f"STRFTIME('%Y%m%d', {moment_of(ref, storage, 'sqlite')})"


def _day(moment: str, storage: TimeStorage) -> str:
    return f"DATE({moment})" if storage.grain == "second" and storage.sorts else moment


def _date(moment: str, storage: TimeStorage) -> str:
    return f"CAST({moment} AS DATE)" if storage.grain == "second" else moment


def _stamp(moment: str, storage: TimeStorage) -> str:
    return moment if storage.grain == "second" else f"CAST({moment} AS TIMESTAMP)"
