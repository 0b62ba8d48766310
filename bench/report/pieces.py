"""What sections of docs/results.md are made of."""

from __future__ import annotations

from typing import Any

__all__ = ["commands", "table"]


def commands(result: dict[str, Any]) -> str:
    """Return the commands that made a result, each once."""
    made = dict.fromkeys(entry["command"] for entry in result["sets"].values())
    return ", ".join(f"`{command}`" for command in made) + ".\n"


def table(heads: list[str], rows: list[list[Any]]) -> str:
    """Return a table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)
