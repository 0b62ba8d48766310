"""A table as a file holds it: its name, its columns' headings, and its rows, as often as they are needed."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import InputError
from ..schema.plain_names import plain_name
from ..texts import NOTHING

_LONGEST = 60  # characters of a name; a heading that is a whole question goes on in the description
_BETWEEN = re.compile(r"[^\w]+|_+")


def identifiers(texts: Iterable[str], stem: str) -> list[str]:
    """Return a name for each text.

    Args:
        texts: headings, or names of files and sheets.
        stem: ``column`` or ``table``: begins the name of what has none, or begins with a digit.

    >>> identifiers(["Unit Price (€)", "unit price", "", "2019", "HireDate", "城市"], "column")
    ['unit_price', 'unit_price_2', 'column_3', 'column_2019', 'HireDate', '城市']
    """
    found: list[str] = []
    taken: set[str] = set()
    for place, text in enumerate(texts, start=1):
        first = _identifier(text, stem) or f"{stem}_{place}"
        name, number = first, 1
        while name.lower() in taken:
            number += 1
            name = f"{first}_{number}"
        taken.add(name.lower())
        found.append(name)
    return found


def _identifier(text: str, stem: str) -> str:
    heading = unicodedata.normalize("NFKC", text).strip()
    name = _BETWEEN.sub("_", heading).strip("_")
    if plain_name(name) == plain_name(name.lower()):  # the capitals of HireDate separate its words
        name = name.lower()
    if len(name) > _LONGEST:
        name = name[:_LONGEST].rpartition("_")[0] or name[:_LONGEST]
    return f"{stem}_{name}" if name[:1].isdecimal() or name.lower().startswith("sqlite_") else name


def readable(heading: str, name: str, unit: str) -> str:
    """Return the description of a column, empty if its name is enough.

    Args:
        heading: as the file writes it.
        name: of the column.
        unit: the unit of its numbers, which is not stored in the cells.
    """
    words = " ".join(heading.split())
    if unit and unit not in words:
        return f"{words or name} in {unit}"
    return words if words and plain_name(name) != plain_name(words) else ""


LOOKED_AT = 50
"""The number of rows in which the headings of a table are searched."""

_DATUM = re.compile(r"[-+]?[$€£¥]?\s?[-+]?\d[\d.,:/ -]*(?:[eE][-+]?\d+)?\s?[%$€£¥]?|\d{4}-\d\d-\d\d.*")
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d")
_FULL = 0.6  # the share of a usual row's filled cells from which a row is no title


def is_empty(cell: Any) -> bool:
    """Does a cell say nothing?"""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def heading_place(rows: Sequence[Cells]) -> tuple[int, bool]:
    """Return the number of the first row that is no title, from 0, and whether it has headings; else it is data.

    Args:
        rows: the first ones of a table, not all empty.
    """
    filled = [sum(not is_empty(cell) for cell in row) for row in rows]
    some = sorted(count for count in filled if count)
    usual = some[len(some) // 2]
    first = next(
        place
        for place, (row, count) in enumerate(zip(rows, filled, strict=True))
        # tables that begin with numbers of their rows have no heading in the corner
        if count and (count >= _FULL * usual or (count == usual - 1 and is_empty(row[0]) and len(row) >= usual))
    )
    named = _has_headings(rows[first], rows[first + 1 :])
    if not named and first and 2 * filled[first - 1] >= usual and len(rows[first - 1]) >= usual:
        return first - 1, True  # half of the columns have headings, and there are no others
    return first, named


def headings_of(row: Cells) -> tuple[str, ...]:
    """Return the cells of a row as headings; empty where it has none."""
    return tuple(_text(cell) for cell in row)


def warn_of_headings(place: str, above: int, *, named: bool) -> None:
    """Warn of unread rows above the headings, and of missing headings."""
    if above > 0:
        warnings.warn(f"{place}: {above} row{'s' * (above > 1)} above the headings not read", stacklevel=3)
    if not named:
        warnings.warn(f"{place}: no headings, so its columns are called column_1 and so on", stacklevel=3)


def _text(cell: Any) -> str:
    if is_empty(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return " ".join(str(cell).split())


def _has_headings(first: Cells, rows: Sequence[Cells]) -> bool:
    """Return whether a row has headings: a word above numbers or times is one, a number above them is not.

    Several years are headings, too. If all cells are words, none of the headings occurs again in its column.
    """
    years = [text for cell in first if _YEAR.fullmatch(text := _text(cell))]
    numbers: list[str] = []
    again: list[bool] = []
    for place, text in ((place, _text(cell)) for place, cell in enumerate(first)):
        below = [row[place] for row in rows if place < len(row) and _text(row[place]).lower() not in NOTHING]
        if not below or text.lower() in NOTHING:
            continue
        again.append(text in map(_text, below))
        if all(map(_is_datum, below)):
            if not _is_datum(first[place]):
                return True
            numbers.append(text)
    if numbers:
        return len(set(years)) == len(numbers) > 1
    return not any(again) or all(again)


def _is_datum(cell: Any) -> bool:
    return isinstance(cell, int | float | date) or _DATUM.fullmatch(_text(cell)) is not None


BLOCK = 1_000
"""Rows that are in memory at a time, of a file that can be read in parts."""

MOST_COLUMNS = 2_000
"""Columns that a table of SQLite has room for."""

_ROOM, _UNPACKED = 256_000_000, 50  # bytes that each file may unpack to, and how many more each of its bytes may

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
        typed: whether the file has types, so that texts stay texts.
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
        raise InputError(problem, file=file, hint="save it as CSV if it really has so much")
