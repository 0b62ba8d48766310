"""The queries of ``sql/*.sql``, each above the form that it becomes (``=``) or what is told of it (``!``)."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

__all__ = ["pairs", "queries"]


def pairs(name: str, sign: str = "=") -> dict[str, str]:
    """Return the forms, or what is told, by query."""
    return {
        query: told.removeprefix(f"{sign} ") for query, told in pairwise(_lines(name)) if told.startswith(f"{sign} ")
    }


def queries(name: str) -> list[str]:
    """Return the queries of a file that has nothing but queries and comments."""
    return [line for line in _lines(name) if line and not line.startswith("--")]


def _lines(name: str) -> list[str]:
    return (Path(__file__).parent / "sql" / f"{name}.sql").read_text("utf-8").splitlines()
