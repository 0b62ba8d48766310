"""The rows of a query, how cells are compared, and their form in JSON."""

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

_EXACT = 2**53  # JavaScript cannot represent larger integers
_SHORT = 32  # the number of bytes beyond which a cell is replaced by its length


@dataclass(frozen=True)
class Rows:
    """The rows of one query.

    Attributes:
        truncated: whether there were more rows than the limit.
        notes: the reasons why there are fewer rows than the limit allows.
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
        kept, size, size_limit = list[tuple[Any, ...]](), 0, f"{LARGEST_RESULT // 1_000_000} MB"
        for row in rows:
            if len(kept) == most:
                return cls(tuple(columns), kept, truncated=True)
            size += sum(len(cell) for cell in row if isinstance(cell, str | bytes))
            if size > LARGEST_RESULT and not kept:
                raise DatabaseError(f"a row has over {size_limit}", hint="ask for less of it")
            if size > LARGEST_RESULT:
                problem = f"only the first {len(kept)} rows were read: with the next one they have over {size_limit}"
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
    """Return a cell in its form for comparisons: floats at six significant digits, whole ones as integers."""
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
    """Return a cell as JSON and JavaScript can represent it; other types become texts.

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
            plain_bytes = bytes(cell)
            return plain_bytes.hex() if len(plain_bytes) <= _SHORT else f"({len(plain_bytes)} bytes)"
        case _:
            return str(cell)


def plain_rows(rows: Iterable[Iterable[Any]]) -> list[list[Any]]:
    """Return rows of cells as JSON can represent them."""
    return [[plain_cell(cell) for cell in row] for row in rows]


def says_something(rows: Iterable[Sequence[Any]]) -> bool:
    """Return whether an answer has any cell other than NULL and zero."""
    return any(cell is not None and cell != 0 for row in rows for cell in row)
