"""What an expression of a query means, whatever words it is said with: an interval, a part of a time, a duration …"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from sqlglot import exp

from ...profiles.column_profile import ColumnProfile, TimeStorage
from ...profiles.meaning_sql import DurationUnit, TimePart, elapsed, is_set, number_of, part_of, recurring, within

__all__ = [
    "Meant",
    "MeantDuration",
    "MeantFlag",
    "MeantInterval",
    "MeantNumber",
    "MeantPart",
    "MeantRecurring",
    "Profiled",
    "time_of",
    "written",
]

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
