"""What a query returns, how its cells are compared, and what they are in JSON."""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from ..errors import DatabaseError

LARGEST_RESULT = 100_000_000
"""Bytes of all texts and blobs of a result: reading ends there."""

_EXACT = 2**53  # integers from here on are no numbers to JavaScript
_SHORT = 32  # bytes of a cell that are given as they are; a longer one is replaced by their number


@dataclass(frozen=True)
class Rows:
    """The rows of one query.

    Attributes:
        truncated: whether there were more than the database was asked to fetch.
        notes: why there are fewer than it was asked to fetch, where there are.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    truncated: bool = False
    notes: tuple[str, ...] = ()

    @classmethod
    def read(cls, columns: Iterable[str], rows: Iterable[tuple[Any, ...]], most: int) -> Rows:
        """Read up to ``most`` rows as they come, fewer where they are large.

        Raises:
            DatabaseError: the first one alone is too large.
        """
        kept, size, told = list[tuple[Any, ...]](), 0, f"{LARGEST_RESULT // 1_000_000} MB"
        for row in rows:
            if len(kept) == most:
                return cls(tuple(columns), kept, truncated=True)
            size += sum(len(cell) for cell in row if isinstance(cell, str | bytes))
            if size > LARGEST_RESULT and not kept:
                raise DatabaseError(f"a row has over {told}", hint="ask for less of it")
            if size > LARGEST_RESULT:
                problem = f"only the first {len(kept)} rows were read: with the next one they have over {told}"
                return cls(tuple(columns), kept, truncated=True, notes=(problem,))
            kept.append(row)
        return cls(tuple(columns), kept)


def as_number(value: Decimal) -> int | float:
    """Return a decimal as an integer where it is whole, else as a float; infinite from 1e309 on, as floats are.

    PostgreSQL's have up to 131,072 digits, more than Python writes of an integer.

    >>> [as_number(Decimal(one)) for one in ("3.00", "2.5", "1e5000", "NaN")]
    [3, 2.5, inf, nan]
    """
    held = value.is_finite() and value.adjusted() <= sys.float_info.max_10_exp
    return int(value) if held and value == value.to_integral_value() else float(value)


def comparable(value: Any) -> Hashable:
    """Return a cell as cells are compared: floats at six significant digits, whole ones as integers."""
    if isinstance(value, Decimal):
        value = as_number(value)
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return str(value)
        return int(value) if value.is_integer() else float(f"{value:.6g}")
    if isinstance(value, (datetime, date, time)):
        return str(value)
    return bytes(value) if isinstance(value, (bytearray, memoryview)) else value


def plain_cell(cell: Any) -> Any:
    """Return a cell as JSON and JavaScript can have it; what is no number or text there becomes a text.

    >>> [plain_cell(cell) for cell in (2**53, math.inf, Decimal("2.50"), b"\\x00\\xff", date(2024, 3, 1))]
    ['9007199254740992', 'inf', 2.5, '00ff', '2024-03-01']
    """
    match cell:
        case None | bool() | str():
            return cell
        case int():
            return cell if abs(cell) < _EXACT else str(cell)
        case float():
            return cell if math.isfinite(cell) else str(cell)
        case Decimal():
            number = as_number(cell)
            return plain_cell(number) if math.isfinite(number) or not cell.is_finite() else str(cell)
        case bytes() | bytearray() | memoryview():
            told = bytes(cell)
            return told.hex() if len(told) <= _SHORT else f"({len(told)} bytes)"
        case _:
            return str(cell)


def plain_rows(rows: Iterable[Iterable[Any]]) -> list[list[Any]]:
    """Return rows of cells as JSON can have them."""
    return [[plain_cell(cell) for cell in row] for row in rows]


def says_something(rows: Iterable[Sequence[Any]]) -> bool:
    """Tell whether an answer holds anything but nulls and zeros."""
    return any(cell is not None and cell != 0 for row in rows for cell in row)
