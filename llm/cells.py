"""A few cells of text columns, which tell a model how values are written."""

from __future__ import annotations

from ..data.databases.database import Database
from ..data.errors import DatabaseError
from ..data.schema.schema import Schema, Table

__all__ = ["example_cells"]

_LONGEST = 30
"""Characters of a cell that is told; names and codes are shorter, prose is longer."""


def example_cells(schema: Schema, database: Database, most: int = 3) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the first different short texts of each column, by its table and name.

    A column that cannot be read within the database's time limit has none.

    Args:
        most: cells of a column.
    """
    found = {
        (table.name, column.name): _cells(database, table, column.name, most) for table, column in schema.columns()
    }
    return {place: cells for place, cells in found.items() if cells}


def _cells(database: Database, table: Table, column: str, most: int) -> tuple[str, ...]:
    try:
        cells = database.distinct(table, column, limit=2 * most)
    except DatabaseError:
        return ()
    texts = [" ".join(cell.split()) for cell in cells if isinstance(cell, str)]
    return tuple(text for text in texts if 0 < len(text) <= _LONGEST)[:most]
