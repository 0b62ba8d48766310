"""Whether two engines gave the same rows.

Numbers are compared as far as every engine computes them: MySQL keeps four decimals more than the dividend has in a
division and in AVG, so ``AVG(predicted_alarm)`` is off by up to 0.00005; SQLite counts in doubles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

Cell = float | str | None
Row = tuple[Cell, ...]

RELATIVE = 1e-6
ABSOLUTE = 6e-5


def same_rows(one: Sequence[Sequence[Any]], other: Sequence[Sequence[Any]], *, ordered: bool) -> bool:
    """Tell whether both are the same rows, in the same order if ``ordered``, else as bags."""
    left, right = ([tuple(map(_cell, row)) for row in rows] for rows in (one, other))
    if len(left) != len(right):
        return False
    if not ordered:
        left, right = sorted(left, key=_key), sorted(right, key=_key)
    if all(map(_same, left, right)):
        return True
    return not ordered and _matched(left, right)


def _cell(value: Any) -> Cell:
    """Return what a value is whatever the engine calls its type: a number, text (of a time, ISO) or NULL."""
    if isinstance(value, bool | int | float | Decimal):
        return float(value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"no engine should return {type(value).__name__}: {value!r}")


def _same(one: Row, other: Row) -> bool:
    return len(one) == len(other) and all(map(_same_cell, one, other))


def _same_cell(one: Cell, other: Cell) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return one == other


def _key(row: Row) -> tuple[Any, ...]:
    """Texts first: they are equal or not, while near numbers may change places."""
    return (
        [(cell is None, cell or "") for cell in row if not isinstance(cell, float)],
        [round(cell, 2) for cell in row if isinstance(cell, float)],
    )


def _matched(left: list[Row], right: list[Row]) -> bool:
    """Find each row a partner of its own: sorting may have parted rows whose numbers differ within tolerance."""
    free = list(right)
    for row in left:
        partner = next((i for i, other in enumerate(free) if _same(row, other)), None)
        if partner is None:
            return False
        del free[partner]
    return True
