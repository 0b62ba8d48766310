"""A time as the date functions of a dialect read it, and what of it sorts."""

from __future__ import annotations

from ...errors import QueryError
from ..column_profile import TimeStorage
from .mysql_moments import mysql_moment
from .time_pieces import pieces_of, quoted

__all__ = ["guarded", "moment_of", "read_by_sqlite", "sortable"]


def read_by_sqlite(storage: TimeStorage) -> bool:
    """Do SQLite's date functions read such cells, or what little makes of them?"""
    slashed = storage.form == "year first" and storage.padded and storage.grain == "day" and storage.separator != "年"
    return slashed or storage.form in ("iso", "native", "unix", "unix ms")


def moment_of(ref: str, storage: TimeStorage, dialect: str, *, clock: bool = False) -> str:
    """Return what date functions read: ISO text in SQLite, what is a date or reads as one in MySQL.

    Of what does not sort, MySQL reads the time of day if ``clock``, SQLite never does.

    Raises:
        QueryError: PostgreSQL makes a date of no text and no number without the risk of an error.
    """
    if dialect == "mysql":
        return mysql_moment(ref, storage, clock=clock)
    if dialect == "sqlite":
        return _sqlite_moment(ref, storage)
    if storage.form == "native":
        return ref
    raise QueryError(f"{dialect} makes no date of what is stored as {storage.form}", hint="use a view that casts it")


def _sqlite_moment(ref: str, storage: TimeStorage) -> str:
    match storage.form:
        case "unix" | "unix ms":
            return f"DATETIME({ref if storage.form == 'unix' else f'{ref} / 1000'}, 'unixepoch')"
        case "iso" | "native":
            ref = _as_said(ref, storage)
            return f"{ref} || '-01'" if storage.grain == "month" else ref
        case "year first" if read_by_sqlite(storage):
            return f"REPLACE({ref}, {quoted(storage.separator)}, '-')"
        case _:
            day = {"month": " || '-01'", "year": " || '-01-01'"}.get(storage.grain, "")
            return pieces_of(ref, storage, "sqlite").joined("-") + day


def _as_said(ref: str, storage: TimeStorage) -> str:
    """Return a time to its minute, without an offset from UTC by which date functions would move it to another day."""
    return f"SUBSTR({ref}, 1, 16)" if storage.offset else ref


def sortable(ref: str, storage: TimeStorage, dialect: str) -> str:
    """Return what sorts by time: the column itself where its cells do, else their days as 20240203, or dates."""
    if storage.sorts:
        return ref
    if dialect == "mysql":
        return moment_of(ref, storage, dialect)
    pieces = pieces_of(ref, storage, dialect)
    return guarded(ref, pieces.joined(), pieces.pattern, storage)


def guarded(ref: str, value: str, pattern: str, storage: TimeStorage) -> str:
    """Return a value that is NULL where the cell does not look like a time, if the column has such texts."""
    return f"CASE WHEN {ref} LIKE {quoted(pattern)} THEN {value} END" if storage.gaps and storage.text else value
