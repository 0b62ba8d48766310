"""What goes out: answers and errors as JSON has them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..data.answer import Answer
from ..data.errors import QuerentError

__all__ = ["answer_shown", "error_shown", "problem_shown"]


def answer_shown(answer: Answer, most: int | None) -> dict[str, Any]:
    """Return an answer as plain dicts and lists.

    Args:
        most: rows that are wanted, all if None.
    """
    rows = answer.rows[:most]
    return replace(answer, rows=rows, truncated=answer.truncated or len(rows) < len(answer.rows)).to_json()


def problem_shown(problem: str, *, field: str | None = None, hint: str | None = None) -> dict[str, Any]:
    """Return an error as every route tells it."""
    return {"error": {"problem": problem, "field": field, "hint": hint}}


def error_shown(error: QuerentError) -> dict[str, Any]:
    """Return what a person may know of an error: not in which file of the server it was found."""
    return problem_shown(error.problem, field=error.field, hint=error.hint)
