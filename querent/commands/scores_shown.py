"""Scores as tables."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

import querent

__all__ = ["show_scores"]


def show_scores(scores: dict[str, Any], name: str, console: Console) -> None:
    """Print scores, as `Scores.to_json` has them, of a domain."""
    title = (
        f"{name}, {scores['part']} of the {scores['split']} split, {scores['values']} values, {scores['n']} questions"
    )
    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for key, text in querent.Scores.TITLES.items():
        if key not in ("n", "seconds") and scores[key] is not None:
            table.add_row(text, f"{scores[key]:.{1 if key == 'tokens' else 3}f}")
    console.print(table)
    for key, text in (("by_feature", "SQL feature"), ("by_length", "words of the gold query")):
        console.print(_groups(scores[key], text))


def _groups(groups: dict[str, dict[str, Any]], title: str) -> Table:
    table = Table(title=f"by {title}", title_justify="left")
    table.add_column("")
    for head in ("questions", "exact match", "execution"):
        table.add_column(head, justify="right")
    for name, row in groups.items():
        shares = ("–" if row[kind] is None else f"{row[kind]:.3f}" for kind in ("em", "execution"))
        table.add_row(name, str(row["n"]), *shares)
    return table
