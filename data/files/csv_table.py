"""CSV and TSV files: one table each, read line by line, whatever their size."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice
from pathlib import Path

from ..errors import InputError
from .encoding import encoding_of
from .heading import LOOKED_AT, heading_place, headings_of, is_empty, tell_headings
from .separator import separator_of
from .source import BLOCK, RowBlock, SourceTable, checked_width

__all__ = ["csv_table"]

_LONGEST = 10_000_000
"""Characters of one cell; what is longer is a quote that nobody closed."""

_LINES = 500
"""Lines that tell the separator."""

_LONGEST_LINE = 1_000_000


def csv_table(file: Path) -> SourceTable:
    """Return the table of a CSV or TSV file; only its beginning is read now.

    Raises:
        InputError: it is no text, it is empty, or it has headings and no rows.

    Warns:
        UserWarning: its encoding is a guess, its headings are missing, or there is a title above them.
    """
    layout = _Layout.of(file)
    rows = [row for _, row in islice(layout.rows(), LOOKED_AT)]
    if not any(not is_empty(cell) for row in rows for cell in row):
        raise InputError("the file is empty", file=file, hint="give one with headings and rows")
    first, named = heading_place(rows)
    width = max(len(row) for row in rows[first:])
    width = len(rows[first]) if named and rows[first] else width
    skipped = first + named
    tell_headings(str(file), first, named=named)
    if all(is_empty(cell) for _, row in islice(layout.rows(), skipped, skipped + LOOKED_AT) for cell in row):
        raise InputError("headings and no rows", file=file, hint="give a file with rows")
    headings = headings_of(rows[first]) if named else ("",) * width
    checked_width(len(headings), file, 1)
    size = file.stat().st_size
    return SourceTable(
        file.stem,
        file,
        headings,
        _Blocks(layout, skipped, len(headings), size).read,
        size,
        semicolons=layout.separator == ";",
    )


@dataclass(frozen=True)
class _Layout:
    """How a file is written."""

    file: Path
    encoding: str
    separator: str

    @classmethod
    def of(cls, file: Path) -> _Layout:
        encoding = encoding_of(file)
        with file.open(encoding=encoding, newline="", errors="replace") as stream:
            lines = [line for _ in range(_LINES) if (line := stream.readline(_LONGEST_LINE))]
        return cls(file, encoding, separator_of(lines, "\t" if file.suffix.lower() == ".tsv" else ","))

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows that are no empty lines, each with the line that it ends in.

        Raises:
            InputError: a quote is not closed, or a line is not in the file's encoding.
        """
        with self.file.open(encoding=self.encoding, newline="") as stream:
            yield from self.of_stream(stream)

    def of_stream(self, stream: TextIOWrapper) -> Iterator[tuple[int, list[str]]]:
        """Yield those of an open file."""
        csv.field_size_limit(_LONGEST)
        reader = csv.reader(stream, delimiter=self.separator, strict=True)
        begun = 1
        try:
            for row in reader:
                line = reader.line_num
                if row and not (begun == 1 and self.separator.join(row).strip().lower() == f"sep={self.separator}"):
                    yield line, row
                begun = line + 1
        except csv.Error as error:
            hint = "close the quote that begins there, or double those within a cell"
            raise InputError(f"not read as CSV: {error}", file=self.file, line=begun, hint=hint) from error
        except UnicodeError as error:
            problem = f"not {self.encoding}: {error}"
            raise InputError(problem, file=self.file, line=begun, hint="save the file as UTF-8") from error


class _Blocks:
    """Reads the rows of a file below its headings, each filled to their number.

    Short rows are filled and told, once; a row that is too long is an error, since a cell of it would be lost, or a
    separator stands in a cell without quotes.
    """

    def __init__(self, layout: _Layout, skipped: int, width: int, size: int) -> None:
        self._layout, self._skipped, self._width, self._size = layout, skipped, width, size
        self._told = False

    def read(self) -> Iterator[RowBlock]:
        """Yield them.

        Raises:
            InputError: a row is too long, or as from `_Layout.rows`.
        """
        short: list[int] = []
        with (
            self._layout.file.open("rb") as raw,
            TextIOWrapper(raw, encoding=self._layout.encoding, newline="") as stream,
        ):
            rows = islice(self._layout.of_stream(stream), self._skipped, None)
            while several := list(islice(rows, BLOCK)):
                short += [line for line, row in several if 0 < len(row) < self._width and any(row)]
                whole = [self._whole(row, line) for line, row in several if any(row)]
                yield RowBlock(whole, min(1.0, raw.tell() / max(1, self._size)))
                if len(short) > BLOCK:
                    short = [short[0]] * len(short)  # numbers of lines that nobody is told
        if short and not self._told:
            self._told = True
            told = (
                f"{len(short)} row{'s' * (len(short) > 1)} with fewer cells than headings, the first at line {short[0]}"
            )
            warnings.warn(f"{self._layout.file}: {told}; filled with NULL", stacklevel=2)

    def _whole(self, row: list[str], line: int) -> list[str]:
        width = self._width
        if len(row) == width:
            return row
        if any(cell.strip() for cell in row[width:]):
            problem = f"{len(row)} cells where the headings are {width}"
            hint = "put a cell with a separator in it in quotes, or mend the line"
            raise InputError(problem, file=self._layout.file, line=line, hint=hint)
        return row[:width] + [""] * (width - len(row))
