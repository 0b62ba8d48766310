"""What goes out: answers and errors as JSON has them."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from decimal import Decimal
from typing import Any

from ..data.answer import Answer, Option
from ..data.errors import QuerentError

__all__ = ["answer_shown", "error_shown", "problem_shown"]

_EXACT = 2**53
"""Integers from here on are no numbers to JavaScript."""


def answer_shown(answer: Answer, most: int | None) -> dict[str, Any]:
    """Return an answer as plain dicts and lists.

    Args:
        most: rows that are wanted, all if None.
    """
    rows, asked = answer.rows[:most], answer.clarification
    cut = answer.truncated or len(rows) < len(answer.rows)
    told = replace(answer, rows=(), clarification=None).to_json()  # not all cells can be copied
    options = [_option(option) for option in asked.options] if asked else []
    back = asked and {"kind": asked.kind, "question": asked.question, "options": options}
    return {**told, "rows": _cells(rows), "truncated": cut, "clarification": back}


def _option(option: Option) -> dict[str, Any]:
    return {**asdict(replace(option, rows=())), "rows": _cells(option.rows)}


def problem_shown(problem: str, *, field: str | None = None, hint: str | None = None) -> dict[str, Any]:
    """Return an error as every route tells it."""
    return {"error": {"problem": problem, "field": field, "hint": hint}}


def error_shown(error: QuerentError) -> dict[str, Any]:
    """Return what a person may know of an error: not in which file of the server it was found."""
    return problem_shown(error.problem, field=error.field, hint=error.hint)


def _cells(rows: Any) -> list[list[Any]]:
    return [[_cell(cell) for cell in row] for row in rows]


def _cell(cell: Any) -> Any:
    """Return a cell as JSON and JavaScript can have it; what is no number or text there is told as text."""
    match cell:
        case None | bool() | str():
            told = cell
        case int():
            told = cell if abs(cell) < _EXACT else str(cell)
        case float():
            told = cell if math.isfinite(cell) else str(cell)
        case Decimal():
            told = _cell(int(cell) if cell.is_finite() and cell == cell.to_integral_value() else float(cell))
        case bytes() | bytearray() | memoryview():
            told = f"({len(bytes(cell))} bytes)"
        case _:  # a date, a time, a UUID, a list
            told = str(cell)
    return told
