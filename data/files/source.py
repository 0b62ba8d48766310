"""A table as a file holds it: its name, its columns' headings, and its rows, as often as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import InputError

__all__ = ["BLOCK", "MOST_COLUMNS", "Cells", "RowBlock", "SourceTable", "checked_room", "checked_width"]

BLOCK = 1_000
"""Rows that are in memory at a time, of a file that can be read in parts."""

MOST_COLUMNS = 2_000
"""Columns that a table of SQLite has room for."""

_ROOM, _UNPACKED = 256_000_000, 50
"""Bytes that each file may unpack to, and how many more each of its bytes may."""

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


def checked_width(width: int, file: Path, line: int | None = None) -> None:
    """Hold a number of columns to what a table of SQLite has room for.

    Raises:
        InputError: they are more.
    """
    if width > MOST_COLUMNS:
        hint = f"leave at most {MOST_COLUMNS}, or write what the columns say as rows"
        raise InputError(f"{width} columns are too many", file=file, line=line, hint=hint)


def checked_room(needed: int, what: str, file: Path, size: int) -> None:
    """Hold the bytes that a file unpacks to, called ``what``, to what its own size in bytes makes likely.

    Raises:
        InputError: they are more.
    """
    most = _ROOM + _UNPACKED * size
    if needed > most:
        problem = f"{what} unpack to more than {most / 1e6:,.0f} MB, where the file has {size:,} bytes"
        raise InputError(problem, file=file, hint="save it as CSV if it is meant to hold so much")
