"""CSV and TSV files: one table each, read line by line, in the encoding and with the separator that they have."""

from __future__ import annotations

import codecs
import csv
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path

from ..errors import InputError
from ..texts import NOTHING
from .column_reading import LONGEST
from .source import (
    LOOKED_AT,
    MOST_COLUMNS,
    RowBlock,
    SourceTable,
    checked_width,
    heading_place,
    headings_of,
    is_empty,
    warn_of_headings,
)

_SEPARATORS = (",", ";", "\t", "|")

_NUMBER = re.compile(r"[-+$€£¥ ]*\d[\d.,' ]*(?:[eE][-+]?\d+)?[%€ ]*")
_ROWS = 200


def separator_of(lines: Sequence[str], likely: str = ",") -> str:
    """Return the sign that parts the cells of lines, ``likely`` where none does: then there is one column.

    Args:
        lines: the first ones of a file.
        likely: the usual sign for the ending of its name.
    """
    first_line = lines[0].strip().lower() if lines else ""
    if first_line.startswith("sep=") and first_line[4:] in _SEPARATORS:  # Excel reads such a line
        return first_line[4:]
    if lines and "," not in lines[0] and _is_number(lines[1:]):
        return "\t"  # one column of numbers, with commas of their own
    scores = {sign: _score(lines, sign) for sign in sorted(_SEPARATORS, key=lambda sign: sign != likely)}
    best = max(scores, key=lambda sign: scores[sign])
    return best if scores[best] > (0, 0) else likely


def _is_number(lines: Sequence[str]) -> bool:
    """Is each line a number, or several with nothing but commas between them, or empty of meaning?"""
    cells = (line.strip().strip('"') for line in lines)
    return all((len(text) <= LONGEST and _NUMBER.fullmatch(text)) or text.lower() in NOTHING for text in cells)


def _score(lines: Iterable[str], sign: str) -> tuple[float, int]:
    """Return how many rows of more than one cell have the same number of them, as a share, and that number."""
    try:
        widths = Counter(len(row) for row in islice(csv.reader(lines, delimiter=sign), _ROWS) if any(row))
    except csv.Error:
        return 0, 0
    several = {width: rows for width, rows in widths.items() if width > 1}
    if not several:
        return 0, 0
    width, rows = max(several.items(), key=lambda one: (one[1], one[0]))
    return rows / widths.total(), width


_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins as UTF-16's does
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GUESSED = ("cp1252", "gb18030", "cp1250", "cp1251", "cp1253", "cp1254", "big5", "cp932", "cp949")
"""What spreadsheets write by themselves somewhere; those in front are taken where several are as likely."""

_CHUNK = 1 << 20
_SAMPLE = 1 << 16  # bytes of lines with signs that ASCII has not, from which the encoding is guessed


def _encoding_of(file: Path) -> str:
    """Return the encoding of a text file, as Python names it.

    Raises:
        InputError: it is no text.

    Warns:
        UserWarning: it is a guess.
    """
    with file.open("rb") as stream:
        head = stream.read(1 << 12)
    if known := next((name for mark, name in _MARKS if head.startswith(mark)), "") or _wide(head):
        return known
    if b"\0" in head:
        raise InputError("not a text: it has zero bytes", file=file, hint="give a CSV, TSV, Excel or Parquet file")
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            while stream.read(_CHUNK):
                pass
    except UnicodeDecodeError:
        return _guess(file)
    return "utf-8"


def _wide(head: bytes) -> str:
    """Return UTF-16 without its mark where every other byte is nought, as of Latin letters."""
    low, high = (head[place::2].count(0) for place in (0, 1))
    half = max(1, len(head) // 2)
    return "utf-16-le" if high > 0.4 * half and not low else "utf-16-be" if low > 0.4 * half and not high else ""


def _guess(file: Path) -> str:
    """Return the likeliest encoding of the lines that are not ASCII alone."""
    from charset_normalizer import from_bytes  # most files need no guess

    sample = b""
    with file.open("rb") as stream:
        while len(sample) < _SAMPLE and (line := stream.readline(_SAMPLE)):
            sample += b"" if line.isascii() else line
    found = from_bytes(sample, cp_isolation=list(_GUESSED))
    best = found.best()
    if best is None:
        raise InputError("not a text in any known encoding", file=file, hint="save it as UTF-8")
    alike = [one for one in found if (one.chaos, one.coherence) == (best.chaos, best.coherence)]
    names = {name for one in alike for name in one.could_be_from_charset}
    guess = next((name for name in _GUESSED if name in names), best.encoding)
    warnings.warn(f"{file}: not UTF-8, read as {guess}; save it as UTF-8 if letters are wrong", stacklevel=3)
    return guess


_LONGEST = 10_000_000  # characters of one cell or line; a longer one has an unclosed quote
_LINES = 500  # lines from which the separator is found
_BLOCK = 1 << 16  # characters that are in memory at a time, as cells; a processor keeps that many at hand
_MOST = 1_000_000  # characters of them
_BLANK = ([], [""])  # rows of empty lines


def csv_table(file: Path) -> SourceTable:
    """Return the table of a CSV or TSV file; only its beginning is read now.

    Raises:
        InputError: it is no text, it is empty, or it has headings and no rows.

    Warns:
        UserWarning: its encoding is a guess, its headings are missing, or there is a title above them.
    """
    layout = _Layout.of(file)
    rows = layout.first_rows(LOOKED_AT)
    if not any(not is_empty(cell) for row in rows for cell in row):
        raise InputError("the file is empty", file=file, hint="give one with headings and rows")
    first, named = heading_place(rows)
    width = max(len(row) for row in rows[first:])
    width = len(rows[first]) if named and rows[first] else width
    skipped = first + named
    warn_of_headings(str(file), first, named=named)
    if all(is_empty(cell) for row in layout.first_rows(skipped + LOOKED_AT)[skipped:] for cell in row):
        raise InputError("headings and no rows", file=file, hint="give a file with rows")
    headings = headings_of(rows[first]) if named else ("",) * width
    checked_width(len(headings), file, 1)
    size, semicolons = file.stat().st_size, layout.separator == ";"
    blocks = _below(layout, skipped, len(headings), size)
    return SourceTable(file.stem, file, headings, blocks, size, plain=True, semicolons=semicolons)


@dataclass(frozen=True)
class _Layout:
    """How a file is written."""

    file: Path
    encoding: str
    separator: str
    has_separator_line: bool  # whether the first line is «sep=» and a separator

    @classmethod
    def of(cls, file: Path) -> _Layout:
        encoding = _encoding_of(file)
        lines: list[str] = []
        with file.open(encoding=encoding, newline="", errors="replace") as stream:
            while len(lines) < _LINES and sum(map(len, lines)) < _MOST and (line := stream.readline(_MOST)):
                lines.append(line)
        separator = separator_of(lines, "\t" if file.suffix.lower() == ".tsv" else ",")
        return cls(file, encoding, separator, lines[0].strip().lower() == f"sep={separator}" if lines else False)

    def first_rows(self, count: int) -> list[list[str]]:
        """Return the first rows that are no empty lines.

        Raises:
            InputError: one is wider than a table can be, or as from `blocks`.
        """
        rows: list[list[str]] = []
        with self.file.open(encoding=self.encoding, newline="") as stream:
            for line, block in self.blocks(stream, _BLOCK):
                checked_width(max((len(row) for row in block if any(row[MOST_COLUMNS:])), default=0), self.file)
                rows += (row for row in block if row not in _BLANK)
                if len(rows) >= count or line > 200 * _LINES:
                    break
        return rows[:count]

    def blocks(self, stream: TextIOWrapper, size: int, skipped: int = 0) -> Iterator[tuple[int, list[list[str]]]]:
        """Yield the rows of an open file, those of ``size`` characters at a time, with the line of the first of them.

        The first ``skipped`` rows are left out, empty lines not counted.

        Raises:
            InputError: a quote is not closed, a line or cell is too long or not in the file's encoding.
        """
        csv.field_size_limit(_LONGEST)
        begun = 1 + bool(self.has_separator_line and stream.readline())
        while True:
            rows: list[list[str]] = []
            try:
                lines = stream.readlines(size)
                if not lines:
                    return
                if max(map(len, lines)) > _LONGEST:
                    rows = [[]] * next(place for place, line in enumerate(lines) if len(line) > _LONGEST)
                    raise csv.Error(f"a line of over {_LONGEST:,} characters; end each row with its line")
                reader = csv.reader(chain(lines, stream), delimiter=self.separator, strict=True)
                if '"' in "".join(lines):
                    while reader.line_num < len(lines):
                        rows.append(next(reader))
                else:
                    rows = [line.rstrip("\r\n").split(self.separator) for line in lines]
            except (csv.Error, UnicodeError) as error:
                kind, hint = f"not {self.encoding}", "save the file as UTF-8"
                if isinstance(error, csv.Error):
                    kind, hint = "not read as CSV", "close the quote that begins there, or double those within a cell"
                line = _line_after(rows, begun)
                raise InputError(f"{kind}: {error}", file=self.file, line=line, hint=hint) from error
            above = 0
            while skipped and above < len(rows):
                skipped -= rows[above] not in _BLANK
                above += 1
            yield _line_after(rows[:above], begun), rows[above:]
            begun += max(len(lines), reader.line_num)


def _line_after(rows: Sequence[Sequence[str]], begun: int) -> int:
    """Return the line after rows, the first of which begins at line ``begun``; cells may have several lines."""
    breaks = sum(cell.count("\n") + cell.count("\r") - cell.count("\r\n") for row in rows for cell in row)
    return begun + len(rows) + breaks


def _below(layout: _Layout, skipped: int, width: int, size: int) -> Callable[[], Iterator[RowBlock]]:
    """Return what reads the rows of a file below its headings, each filled to their number.

    Short rows are filled, with one warning; a row that is too long is an error, since a cell of it would be lost, or a
    separator stands in a cell without quotes.
    """
    warned = False

    def blocks() -> Iterator[RowBlock]:
        nonlocal warned
        short = first = 0
        with layout.file.open("rb") as raw, TextIOWrapper(raw, encoding=layout.encoding, newline="") as stream:
            for begun, rows in layout.blocks(stream, max(_BLOCK, 500 * width), skipped):
                if any(map(any, rows)) and set(map(len, rows)) != {width}:
                    lines = _make_whole(rows, begun, width, layout.file)
                    short, first = short + len(lines), first or next(iter(lines), 0)
                yield RowBlock(list(filter(any, rows)), min(1.0, raw.tell() / max(1, size)))
        if short and not warned:
            warned, problem = True, f"{short} row{'s' * (short > 1)} with fewer cells than headings"
            warnings.warn(f"{layout.file}: {problem}, the first at line {first}; filled with NULL", stacklevel=2)

    return blocks


def _make_whole(rows: list[list[str]], begun: int, width: int, file: Path) -> list[int]:
    """Make all rows as wide as the headings, and return the lines of those that are too short.

    Raises:
        InputError: a row is too long.
    """
    short: list[int] = []
    for place, row in enumerate(rows):
        if any(map(str.strip, row[width:])):
            problem = f"{len(row)} cells where the headings are {width}"
            hint = "put a cell with a separator in it in quotes, or mend the line"
            raise InputError(problem, file=file, line=_line_after(rows[: place + 1], begun) - 1, hint=hint)
        if len(row) < width and any(row):
            short.append(_line_after(rows[: place + 1], begun) - 1 if not short else 0)
        rows[place] = row[:width] + [""] * (width - len(row))
    return short
