"""A table as a file holds it: its name, its columns' headings, and its rows, as often as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import InputError

__all__ = ["MOST_COLUMNS", "Cells", "RowBlock", "SourceTable", "checked_width", "rows_at_a_time"]

_BLOCK = 10_000
"""Cells that are in memory at a time, of a file that can be read in parts."""

MOST_COLUMNS = 2_000
"""Columns that a table of SQLite has room for."""

Cells: TypeAlias = Sequence[Any]


@dataclass(frozen=True)
class RowBlock:
    """Some rows, each as wide as the table.

    Attributes:
        read: share of the table that is read with them, 0 to 1.
    """

    rows: Sequence[Cells]
    read: float


@dataclass(frozen=True)
class SourceTable:
    """One table of a file.

    Attributes:
        name: as a person reads it: the file's name without its ending, or a sheet's.
        headings: of the columns, as the file writes them; empty where it has none.
        blocks: reads the rows from the first one on, each time it is called.
        size: bytes, what reading it takes beside others.
        typed: does the file tell types, so that a text is a text whatever it looks like?
        plain: is each cell a text, as in CSV?
        semicolons: are cells parted by semicolons, as where the comma stands before fractions?
    """

    name: str
    file: Path
    headings: tuple[str, ...]
    blocks: Callable[[], Iterator[RowBlock]]
    size: int
    typed: bool = False
    plain: bool = False
    semicolons: bool = False


def checked_width(width: int, file: Path, line: int | None = None) -> int:
    """Return a number of columns.

    Raises:
        InputError: a table of SQLite has not as many.
    """
    if width > MOST_COLUMNS:
        hint = f"leave at most {MOST_COLUMNS}, or write what the columns say as rows"
        raise InputError(f"{width} columns are too many", file=file, line=line, hint=hint)
    return width


def rows_at_a_time(width: int) -> int:
    """Return how many rows of so many columns are in memory at a time."""
    return max(200, _BLOCK // width)
