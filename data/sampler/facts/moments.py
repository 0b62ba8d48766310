"""The days that the cells of a time column tell, read by the database whatever they are stored as."""

from __future__ import annotations

from datetime import date

from ...databases.database import Database
from ...errors import DatabaseError
from ...profiles.column_profile import TimeStorage
from ...profiles.meaning_sql import TimePart, part_of

__all__ = ["days_of"]

_ROWS = 1000
_PARTS: dict[str, TimePart] = {"year": "year", "month": "month", "day": "day", "second": "day"}


def days_of(database: Database, table: str, column: str, storage: TimeStorage) -> tuple[date, ...]:
    """Return the days of a column's cells, the first ones of their year or month where no more is told.

    Args:
        database: asked in the dialect of SQLite.
        table: as SQL writes it, like the column.
        column: that is stored so.
        storage: of the column.
    """
    part = part_of(column, storage, "sqlite", _PARTS[storage.grain])
    try:
        rows = database.fetch(f"SELECT {part} FROM {table} WHERE {column} IS NOT NULL LIMIT {_ROWS}").rows
    except DatabaseError:  # the engine takes no such part out of it
        return ()
    return tuple(day for (cell,) in rows if cell is not None and (day := _day(str(cell))) is not None)


def _day(told: str) -> date | None:
    try:
        return date.fromisoformat(f"{told:0>4}-01-01"[:10] if len(told) <= 4 else f"{told}-01"[:10])
    except ValueError:  # 0000-00-00
        return None
