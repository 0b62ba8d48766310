"""The queries of ``sql/*.sql``, each above the form that it becomes (``=``) or what is told of it (``!``)."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

__all__ = ["pairs"]


def pairs(name: str, sign: str = "=") -> dict[str, str]:
    """Return the forms, or what is told, by query."""
    lines = (Path(__file__).parent / "sql" / f"{name}.sql").read_text("utf-8").splitlines()
    return {query: told.removeprefix(f"{sign} ") for query, told in pairwise(lines) if told.startswith(f"{sign} ")}
