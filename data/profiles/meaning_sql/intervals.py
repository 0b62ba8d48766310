"""The condition that a time lies in an interval.

t.c >= '2024-02-01' AND t.c < '2024-03-01'        ISO text, types of a server
t.c >= 1706745600 AND t.c < 1709251200            seconds since 1970, UTC
SUBSTR(t.c, 7, 4) = '2024'                        03/02/2024
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

from ..column_profile import Grain, TimeStorage
from .time_moments import guarded, moment_of
from .time_pieces import pieces_of, quoted

__all__ = ["within"]

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
