"""The days that the cells of time columns tell, read by the database whatever they are stored as."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from ...data.databases.database import Database
from ...data.errors import DatabaseError
from ...meaning.sql import TimePart, part_of
from .facts import ColumnFacts

_ROWS = 1000
_PARTS: dict[str, TimePart] = {"year": "year", "month": "month", "day": "day", "second": "day"}


def with_days(columns: Sequence[ColumnFacts], database: Database | None) -> tuple[ColumnFacts, ...]:
    """Return a table's columns, the times with the days of its rows; of less than a day the first it may be.

    Args:
        columns: of one table.
        database: asked in the dialect of SQLite; without one nothing is told.
    """
    parts = {
        column: part_of(column.sql, column.profile.time, "sqlite", _PARTS[column.profile.time.grain])
        for column in columns
        if column.profile.time is not None and column.role in {"date", "year"}
    }
    if database is None or not parts:
        return tuple(columns)
    try:
        rows = database.fetch(f"SELECT {', '.join(parts.values())} FROM {columns[0].table} LIMIT {_ROWS}").rows
    except DatabaseError:  # the engine takes no such part out of one of them
        return tuple(columns)
    told = {column: tuple(_day(row[i]) for row in rows) for i, column in enumerate(parts)}
    return tuple(replace(column, by_row=told[column]) if column in told else column for column in columns)


def _day(cell: object) -> date | None:
    text = "" if cell is None else str(cell)
    try:
        return date.fromisoformat(f"{text:0>4}-01-01"[:10] if len(text) <= 4 else f"{text}-01"[:10])
    except ValueError:  # 0000-00-00
        return None
