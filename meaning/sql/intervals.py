"""Conditions and values of stored times, numbers and flags: an interval, a duration, a number in a text.

t.c >= '2024-02-01' AND t.c < '2024-03-01'        ISO text, types of a server
t.c >= 1706745600 AND t.c < 1709251200            seconds since 1970, UTC
SUBSTR(t.c, 7, 4) = '2024'                        03/02/2024
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Literal, TypeAlias

from ...data.errors import QueryError
from ..profile import FlagCells, Grain, NumberText, TimeStorage
from .time_parts import guarded, moment_of, sortable
from .time_pieces import pieces_of, quoted

__all__ = ["DurationUnit", "age", "elapsed", "is_set", "number_of", "within"]

_BEFORE, _BEHIND = "1000", ":"
"""Texts before and behind all that begin with a year of four digits: what says no time lies beyond them."""


_PARTS = {"year": 1, "month": 2}


def within(ref: str, storage: TimeStorage, dialect: str, start: datetime | None, end: datetime | None) -> str:
    """Return the condition that a time lies in [start, end), None being open.

    A cell that tells no more than a year, month or day is all of it: it lies in an interval that has a part of it.

    Raises:
        ValueError: there is neither a start nor an end.
    """
    if start is None and end is None:
        raise ValueError("an interval without ends says nothing")
    if storage.grain != "second" or not storage.sorts or storage.form == "year first":
        grain: Grain = "day" if storage.grain == "second" else storage.grain
        start = None if start is None else _floor(start, grain)
        end = None if end is None else _ceil(end, grain)
    if not storage.sorts:
        return _unsorted(ref, storage, dialect, start, end)
    if storage.form == "iso" and any(moment and moment.time() != time() for moment in (start, end)):
        read = dialect == "sqlite" and not storage.offset  # by which it would be moved
        ref = f"DATETIME({ref})" if read else f"REPLACE({ref}, 'T', ' ')"
    if storage.form in ("unix", "unix ms") and storage.text and dialect != "postgres":
        ref = f"CAST({ref} AS {'SIGNED' if dialect == 'mysql' else 'INTEGER'})"
    return _sorted(ref, storage, dialect, start, end)


def _sorted(ref: str, storage: TimeStorage, dialect: str, start: datetime | None, end: datetime | None) -> str:
    low, high = (None if moment is None else _literal(moment, storage, dialect) for moment in (start, end))
    if storage.grain != "second" and start and end and _ceil(start + timedelta(microseconds=1), storage.grain) == end:
        return f"{ref} = {low}"
    if storage.gaps:
        low, high = low or _outer(_BEFORE, storage, dialect), high or _outer(_BEHIND, storage, dialect)
    conditions = [f"{ref} {sign} {moment}" for sign, moment in ((">=", low), ("<", high)) if moment is not None]
    return " AND ".join(conditions)


def _outer(text: str, storage: TimeStorage, dialect: str) -> str | None:
    """Return what cells that say no time lie beyond, None where no such cell would compare."""
    if storage.form == "native":
        return "'1000-01-01'" if dialect == "mysql" and text == _BEFORE else None
    return quoted(text) if storage.text and storage.form not in ("unix", "unix ms") else None


def _literal(moment: datetime, storage: TimeStorage, dialect: str) -> str:
    """Return a moment as cells say it, no finer than it must be."""
    match storage.form:
        case "unix" | "unix ms":
            seconds = int(moment.replace(tzinfo=UTC).timestamp()) * (1000 if storage.form == "unix ms" else 1)
            return quoted(str(seconds)) if storage.text and dialect == "postgres" else str(seconds)
        case "digits":
            text = moment.date().isoformat().replace("-", "")[: 6 if storage.grain == "month" else 8]
        case "year first":
            text = _year_first(moment, storage)
        case "year":
            text = moment.date().isoformat()[:4]
        case _:
            told = moment.date().isoformat() if moment.time() == time() else moment.isoformat(" ", "seconds")
            return quoted(told[:7] if storage.grain == "month" and storage.text else told)
    return quoted(text) if storage.text else text


def _year_first(moment: datetime, storage: TimeStorage) -> str:
    parts = [moment.date().isoformat()[:4], f"{moment:%m}", f"{moment:%d}"][: _PARTS.get(storage.grain, 3)]
    if storage.separator == "年":
        return "".join(part + sign for part, sign in zip(parts, "年月日", strict=False))
    return storage.separator.join(parts)


def _unsorted(ref: str, storage: TimeStorage, dialect: str, start: datetime | None, end: datetime | None) -> str:
    last = None if end is None else end - timedelta(days=1)
    if dialect == "mysql":
        low, high = (moment and quoted(moment.date().isoformat()) for moment in (start, last))
        return _between(moment_of(ref, storage, dialect), low, high)
    pieces = pieces_of(ref, storage, dialect)
    count = max(_finest(moment) for moment in (start, end) if moment is not None)
    told = 2 + 2 * count
    low, high = (moment and quoted(moment.date().isoformat().replace("-", "")[:told]) for moment in (start, last))
    low = quoted(_BEFORE) if storage.gaps and low is None else low
    return _between(guarded(ref, pieces.joined("", count), pieces.pattern, storage), low, high)


def _between(value: str, low: str | None, high: str | None) -> str:
    if low == high:
        return f"{value} = {low}"
    if low is None or high is None:
        return f"{value} >= {low}" if high is None else f"{value} <= {high}"
    return f"{value} BETWEEN {low} AND {high}"


def _finest(moment: datetime) -> int:
    """Return how many of year, month and day tell a moment at the beginning of a day."""
    return 3 if moment.day > 1 else 2 if moment.month > 1 else 1


def _floor(moment: datetime, grain: Grain) -> datetime:
    """Return the beginning of the year, month or day that a moment lies in."""
    first = {"year": (moment.year, 1, 1), "month": (moment.year, moment.month, 1)}
    return datetime(*first.get(grain, (moment.year, moment.month, moment.day)))


def _ceil(moment: datetime, grain: Grain) -> datetime:
    """Return the first beginning of a year, month or day that is not before a moment."""
    floor = _floor(moment, grain)
    if floor == moment:
        return moment
    return _floor(floor + timedelta(days={"year": 366, "month": 31}.get(grain, 1)), grain)


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


def number_of(ref: str, number: NumberText, dialect: str) -> str:
    """Return the number that a text says, NULL where it says none.

    Of whole ones it is an integer, of which the constraint admits no SUM in SQLite (it could overflow): there write it
    as if they were not.

    Raises:
        QueryError: PostgreSQL makes a number of no text without the risk of an error.
    """
    if dialect == "postgres":
        raise QueryError("postgres makes no number of a text", hint="use a view that casts it")
    wordless = [cell for cell in number.nothing if not any(sign.isdigit() for sign in cell)]
    text = ref
    for cell in number.nothing:
        if cell not in wordless or len(wordless) == 1:
            text = f"NULLIF({text}, {quoted(cell)})"
    for removed in number.removed:
        text = f"REPLACE({text}, {quoted(removed)}, '')"
    if number.decimal_comma:
        text = f"REPLACE({text}, ',', '.')"
    whole, fraction = ("SIGNED", "DECIMAL(20, 6)") if dialect == "mysql" else ("INTEGER", "REAL")
    value = f"CAST({text} AS {whole if number.whole else fraction})"
    if len(wordless) < 2:
        return value
    digit = f"{ref} REGEXP '[0-9]'" if dialect == "mysql" else f"{ref} GLOB '*[0-9]*'"
    return f"CASE WHEN {digit} THEN {value} END"


def is_set(ref: str, flag: FlagCells | None, dialect: str, yes: bool) -> str:
    """Return the condition that a flag says yes, or no; NULL is neither.

    Args:
        flag: None of a column whose cells say yes by being there, as a day of deletion does.
    """
    if flag is None:
        return f"{ref} IS {'NOT ' if yes else ''}NULL"
    if flag.form == "boolean":
        return ref if yes else f"NOT {ref}"
    written = quoted if flag.form == "text" else str
    if yes or flag.no is not None:
        return f"{ref} = {written(flag.yes if yes or flag.no is None else flag.no)}"
    return f"{ref} <> {written(flag.yes)}"
