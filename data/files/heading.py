"""Which row of a table has its columns' headings: below titles, above the data, or none."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from datetime import date
from typing import Any

from ..profiles.cells.cell_sample import NOTHING
from .source import Cells

__all__ = ["heading_place", "headings_of", "is_empty", "tell_headings"]

LOOKED_AT = 50
"""Rows at the beginning of a table that tell where it has its headings."""

_DATUM = re.compile(r"[-+]?[$€£¥]?\s?[-+]?\d[\d.,:/ -]*(?:[eE][-+]?\d+)?\s?[%$€£¥]?|\d{4}-\d\d-\d\d.*")
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d")
_FULL = 0.6
"""The share of a usual row's filled cells from which a row is no title."""


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
    first = next(place for place, row in enumerate(rows) if filled[place] and _is_full(row, filled[place], usual))
    named = _has_headings(rows[first], rows[first + 1 :])
    if not named and first and 2 * filled[first - 1] >= usual and len(rows[first - 1]) >= usual:
        return first - 1, True  # half of the columns have headings, and there are no others
    return first, named


def _is_full(row: Cells, filled: int, usual: int) -> bool:
    """Is a row no title? Tables that begin with numbers of their rows have no heading in the corner."""
    return filled >= _FULL * usual or (filled == usual - 1 and is_empty(row[0]) and len(row) >= usual)


def headings_of(row: Cells) -> tuple[str, ...]:
    """Return the cells of a row as headings; empty where it has none."""
    return tuple(_text(cell) for cell in row)


def tell_headings(place: str, above: int, *, named: bool) -> None:
    """Warn of rows above the headings, which are not read, and of headings that are missing."""
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
    """Say whether a row tells what stands below: a word above numbers or times does, a number above such does not.

    Several years are headings, too. Where all is words, none of a row with headings is there again in its column.
    """
    years = [told for cell in first if _YEAR.fullmatch(told := _text(cell))]
    numbers: list[str] = []
    again: list[bool] = []
    for place, told in ((place, _text(cell)) for place, cell in enumerate(first)):
        below = [row[place] for row in rows if place < len(row) and _text(row[place]).lower() not in NOTHING]
        if not below or told.lower() in NOTHING:
            continue
        again.append(told in map(_text, below))
        if all(map(_is_datum, below)):
            if not _is_datum(first[place]):
                return True
            numbers.append(told)
    if numbers:
        return len(set(years)) == len(numbers) > 1
    return not any(again) or all(again)


def _is_datum(cell: Any) -> bool:
    return isinstance(cell, int | float | date) or _DATUM.fullmatch(_text(cell)) is not None
