"""A table as a file holds it: its name, its columns' headings, and its rows, as often as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import InputError

__all__ = [
    "MOST_COLUMNS",
    "MOST_TABLES",
    "Cells",
    "RowBlock",
    "SourceTable",
    "checked_number",
    "checked_room",
    "checked_width",
    "rows_at_a_time",
]

_BLOCK = 10_000
"""Cells that are in memory at a time, of a file that can be read in parts."""

MOST_COLUMNS = 2_000
"""Columns that a table of SQLite has room for."""

MOST_TABLES = 1_000
"""Tables of one database of files, and files."""

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


def checked_number(found: int, most: int, things: str, *, hint: str = "name some by a pattern", **place: Any) -> None:
    """Hold a number of things to the most that may be.

    Args:
        place: file and line.

    Raises:
        InputError: they are more.
    """
    if found > most:
        raise InputError(f"{found} {things} are too many", hint=f"at most {most:,}: {hint}", **place)


def checked_width(width: int, file: Path, line: int | None = None) -> None:
    """Hold a number of columns to what a table of SQLite has room for.

    Raises:
        InputError: they are more.
    """
    hint = "leave some out, or write what they say as rows"
    checked_number(width, MOST_COLUMNS, "columns", hint=hint, file=file, line=line)


def checked_room(needed: int, what: str, file: Path, size: int) -> None:
    """Hold what a file unpacks to, in bytes, to what its own size makes likely.

    Args:
        what: it is, as an error says it.
        size: bytes of the file, or of several.

    Raises:
        InputError: it is more.
    """
    most = _ROOM + _UNPACKED * size
    if needed > most:
        problem = f"{what} unpack to more than {most / 1e6:,.0f} MB, where the file has {size:,} bytes"
        raise InputError(problem, file=file, hint="save it as CSV if it is meant to hold so much")


def rows_at_a_time(width: int) -> int:
    """Return how many rows of so many columns are in memory at a time."""
    return max(200, _BLOCK // width)
