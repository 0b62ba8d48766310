"""The time between two times, and the age of one at a fixed clock."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Literal, TypeAlias

from ...errors import QueryError
from ..column_profile import TimeStorage
from .time_moments import moment_of, sortable

__all__ = ["DurationUnit", "age", "elapsed"]

DurationUnit: TypeAlias = Literal["days", "hours", "years"]
"""``days`` are those of the calendar (from 23:00 to 1:00 is one), ``years`` whole ones that have passed, as people
count an age; ``hours`` may have fractions."""

_NUMBERS = ("unix", "unix ms")

_BETWEEN = {
    ("sqlite", "days"): "JULIANDAY({end}) - JULIANDAY({start})",
    ("sqlite", "hours"): "(UNIXEPOCH({end}) - UNIXEPOCH({start})) / 3600.0",
    # of 20240203 - 19900204 the years stand in front
    ("sqlite", "years"): "({end} - {start}) / 10000",
    ("mysql", "days"): "DATEDIFF({end}, {start})",
    ("mysql", "hours"): "TIMESTAMPDIFF(SECOND, {start}, {end}) / 3600",
    ("mysql", "years"): "TIMESTAMPDIFF(YEAR, {start}, {end})",
    ("postgres", "days"): "{end} - {start}",
    ("postgres", "hours"): "EXTRACT(EPOCH FROM {end} - {start}) / 3600",
    ("postgres", "years"): "EXTRACT(YEAR FROM AGE({end}, {start}))",
}


def elapsed(  # noqa: PLR0917 - a column is a reference and a storage
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
    forms = {start_storage.form, end_storage.form}
    if unit == "years" and forms == {"year"} and (dialect == "sqlite" or not (start_storage.text or end_storage.text)):
        return f"{end_ref} - {start_ref}"
    if unit == "hours" and {start_storage.grain, end_storage.grain} != {"second"}:
        raise QueryError("days have no hours between them")
    if len(forms) == 1 and forms <= set(_NUMBERS) and unit != "years" and dialect != "mysql":
        return _of_numbers(start_ref, end_ref, start_storage.form, unit)
    start, end = _operand(start_ref, start_storage, dialect, unit), _operand(end_ref, end_storage, dialect, unit)
    return _BETWEEN[dialect, unit].format(start=start, end=end)


def age(ref: str, storage: TimeStorage, dialect: str, now: datetime, unit: DurationUnit) -> str:
    """Return the time from a column to a fixed clock; errors are those of `elapsed`."""
    if unit == "years" and storage.form == "year":
        return elapsed(ref, storage, str(now.year), TimeStorage("year", "year", text=False), dialect, unit)
    grain = "second" if unit == "hours" else "day"
    if dialect == "sqlite" and unit == "years":
        return elapsed(ref, storage, f"{now:%Y%m%d}", TimeStorage("digits", grain, text=False), dialect, unit)
    text = f"'{now:%Y-%m-%d %H:%M:%S}'" if unit == "hours" else f"'{now:%Y-%m-%d}'"
    if dialect != "postgres":
        return elapsed(ref, storage, text, TimeStorage("iso", grain, text=True), dialect, unit)
    text = ("TIMESTAMP " if unit == "hours" else "DATE ") + text
    return elapsed(ref, storage, text, TimeStorage("native", grain, text=False), dialect, unit)


def _of_numbers(start: str, end: str, form: str, unit: str) -> str:
    scale = 1000 if form == "unix ms" else 1
    if unit == "hours":
        return f"({end} - {start}) / {3600 * scale}.0"
    return f"{end} / {86400 * scale} - {start} / {86400 * scale}"


def _operand(ref: str, storage: TimeStorage, dialect: str, unit: str) -> str:
    """Return what `_BETWEEN` reckons with."""
    if dialect == "sqlite" and unit == "years":
        return _day_number(ref, storage)
    if dialect == "sqlite" and unit == "hours":
        storage = replace(storage, offset=False)  # what leaves at one offset may arrive at another
    moment = moment_of(ref, storage, dialect)
    if unit != "days" or storage.grain != "second" or dialect == "mysql":
        return moment
    if dialect == "postgres":
        return f"CAST({moment} AS DATE)"
    return f"DATE({moment})" if storage.sorts else moment


def _day_number(ref: str, storage: TimeStorage) -> str:
    """Return a day as SQLite reckons with it: 20240203, a number or a text."""
    if storage.form == "digits" and storage.grain == "day":
        return ref
    if not storage.sorts and storage.grain in ("day", "second"):
        return f"({sortable(ref, storage, 'sqlite')})"
    return f"STRFTIME('%Y%m%d', {moment_of(ref, storage, 'sqlite')})"
