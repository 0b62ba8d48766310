"""What a query returns, and how its cells are compared."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

__all__ = ["Rows", "comparable", "says_something"]


@dataclass(frozen=True)
class Rows:
    """The rows of one query; ``truncated``: there were more than the database was asked to fetch."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    truncated: bool = False


def comparable(value: Any) -> Hashable:
    """Return a cell as cells are compared: floats at six significant digits, whole ones as integers."""
    if isinstance(value, Decimal):
        value = int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return str(value)
        return int(value) if value.is_integer() else float(f"{value:.6g}")
    if isinstance(value, (datetime, date, time)):
        return str(value)
    return bytes(value) if isinstance(value, (bytearray, memoryview)) else value


def says_something(rows: Iterable[Sequence[Any]]) -> bool:
    """Tell whether an answer holds anything but nulls and zeros."""
    return any(cell is not None and cell != 0 for row in rows for cell in row)
