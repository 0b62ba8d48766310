"""Tables and figures as the pages of docs/ have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["share", "table"]


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def share(figure: float | None) -> str:
    """Return a figure of three places, nothing where there is none."""
    return "" if figure is None else f"{figure:.3f}"
