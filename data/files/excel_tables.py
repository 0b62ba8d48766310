"""Excel workbooks and Parquet files: a table of each sheet that has rows, or of the file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile, is_zipfile

from ..errors import InputError
from ..packages import needs
from .source import (
    BLOCK,
    LOOKED_AT,
    RowBlock,
    SourceTable,
    checked_room,
    checked_width,
    heading_place,
    headings_of,
    is_empty,
    warn_of_headings,
)

if TYPE_CHECKING:
    from python_calamine import CalamineSheet


def excel_tables(file: Path) -> list[SourceTable]:
    """Return the tables of a workbook: one is called as the file, several as their sheets.

    Raises:
        InputError: it cannot be read, or no sheet has rows; what reads it is not installed.

    Warns:
        UserWarning: a sheet has no rows, no headings, or titles above them.
    """
    with needs("python-calamine", "excel", file=file):
        import python_calamine as calamine
    size = file.stat().st_size
    try:
        if is_zipfile(file):  # with a password it is none
            with ZipFile(file) as parts:
                checked_room(sum(part.file_size for part in parts.infolist()), "its parts", file, size)
        book = calamine.load_workbook(str(file))
        sheets = {name: book.get_sheet_by_name(name) for name in book.sheet_names}
    except calamine.PasswordError as error:
        raise InputError("the workbook has a password", file=file, hint="save it without one") from error
    except (calamine.CalamineError, BadZipFile, NotImplementedError, ValueError) as error:
        hint = "save it as .xlsx once more, or each sheet as CSV"
        raise InputError(f"not read as a workbook: {error}", file=file, hint=hint) from error
    found = {name: _Sheet(file, name, sheet) for name, sheet in sheets.items()}
    full = {name: sheet for name, sheet in found.items() if sheet.height}
    if not full:
        raise InputError("no sheet has headings and rows", file=file, hint="give one that has")
    for name in found.keys() - full.keys():
        warnings.warn(f"{file}, sheet {name}: no headings and rows, left out", stacklevel=2)
    return [
        SourceTable(name if len(full) > 1 else file.stem, file, sheet.headings, sheet.read, size // len(full))
        for name, sheet in full.items()
    ]


class _Sheet:
    """One sheet, below whatever stands above its headings.

    Attributes:
        headings: of its columns; where a cell spans several of them, it stands before those below it.
        height: rows with data in them, 0 of a sheet that is no table.
    """

    def __init__(self, file: Path, name: str, sheet: CalamineSheet) -> None:
        self._sheet = sheet
        left = sheet.start[1] if sheet.start else 0
        self._merged = [((a[0], a[1] - left), (b[0], b[1] - left)) for a, b in sheet.merged_cell_ranges or []]
        self._skipped = self.height = 0
        self.headings: tuple[str, ...] = ()
        rows = list(islice(self._rows(), LOOKED_AT))
        if sheet.end is None or all(is_empty(cell) for row in rows for cell in row):
            return
        first, named = heading_place(rows)
        self._skipped = first + named
        self.height = sheet.end[0] + 1 - self._skipped
        spanning = self._spanning(rows, first) if named else {}
        own = headings_of(rows[first]) if named else ("",) * len(rows[first])
        self.headings = tuple(f"{spanning.get(place, '')} {heading}".strip() for place, heading in enumerate(own))
        checked_width(len(self.headings), file)
        above = sum(any(not is_empty(cell) for cell in row) for row in rows[:first]) - bool(spanning)
        if self.height:
            warn_of_headings(f"{file}, sheet {name}", above, named=named)

    def read(self) -> Iterator[RowBlock]:
        """Yield the rows with data in them."""
        rows = islice(self._rows(), self._skipped, None)
        done = 0
        while several := list(islice(rows, BLOCK)):
            done += len(several)
            yield RowBlock([row for row in several if not all(map(is_empty, row))], done / self.height)

    def _rows(self) -> Iterator[Sequence[Any]]:
        """Yield all rows, empty ones above the first included; a cell that spans several of them stands in each."""
        spanned: dict[int, list[tuple[int, tuple[int, int]]]] = {}
        bottom = self._sheet.end[0] if self._sheet.end else 0
        for first, last in self._merged:
            for row in range(first[0], min(last[0], bottom) + 1) if last[0] > first[0] else ():
                spanned.setdefault(row, []).append((first[1], first))
        corners: dict[tuple[int, int], Any] = {}
        for number, cells in enumerate(self._sheet.iter_rows()):
            row = list(cells)
            for place, corner in spanned.get(number, ()):
                if 0 <= place < len(row):
                    row[place] = corners.setdefault(corner, row[place])
            yield row

    def _spanning(self, rows: Sequence[Sequence[Any]], place: int) -> dict[int, str]:
        """Return what spans several columns, but not all, in the row above the headings, by column."""
        found: dict[int, str] = {}
        for first, last in self._merged if place else ():
            if first[0] <= place - 1 <= last[0] < place and 0 < last[1] - first[1] < len(rows[place]) - 1:
                heading = " ".join(str(rows[place - 1][first[1]]).split())
                found |= dict.fromkeys(range(first[1], last[1] + 1), heading)
        return found


_CELLS, _CELLS_OF_A_BYTE = 20_000_000, 16
"""Cells that each file may have, and how many more for each of its bytes: reading a million takes half a second."""


def parquet_table(file: Path) -> SourceTable:
    """Return the table of a Parquet file.

    Raises:
        InputError: it cannot be read, or has no rows; what reads it is not installed.
    """
    with needs("pyarrow", "parquet", file=file):
        import pyarrow
        from pyarrow.parquet import ParquetFile

    def blocks() -> Iterator[RowBlock]:
        done = 0
        try:
            with ParquetFile(file) as opened:
                for batch in opened.iter_batches(BLOCK, use_threads=False):
                    done += batch.num_rows
                    columns = [column.to_pylist() for column in batch.columns]
                    yield RowBlock(list(zip(*columns, strict=True)), done / opened.metadata.num_rows)
        except MemoryError:
            raise
        except (pyarrow.ArrowException, OSError, ValueError) as error:  # the last of times that Python has not
            raise InputError(f"not read as Parquet: {error}", file=file, hint="write it anew") from error

    try:
        with ParquetFile(file) as opened:
            headings, rows = tuple(opened.schema_arrow.names), opened.metadata.num_rows
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"not read as Parquet: {error}", file=file, hint="write it anew") from error
    if not rows or not headings:
        raise InputError("columns and no rows", file=file, hint="give a file with rows")
    checked_width(len(headings), file)
    size = file.stat().st_size
    most = _CELLS + _CELLS_OF_A_BYTE * size
    if rows * len(headings) > most:
        problem = f"{rows:,} rows of {len(headings)} columns are more cells than the {most:,}"
        hint = "save it as CSV if it really has so many"
        raise InputError(f"{problem} that a file of {size:,} bytes may have", file=file, hint=hint)
    return SourceTable(file.stem, file, headings, blocks, size, typed=True)
