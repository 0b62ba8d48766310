"""Tables of schema linking on large databases, of `bench/accuracy/schema_linking.py`."""

from __future__ import annotations

from typing import Any

from page_tables import share, table

__all__ = ["costs", "linking"]

TITLES = {"spider-train": "Spider, en", "chase-train": "CHASE, zh"}
KINDS = {"keyless": "without keys", "wide": "one table of 500 columns"}
KS = (1, 3, 5, 8)


def linking(found: dict[str, dict[str, Any]]) -> str:
    """Return how well tables are found, and how many answers are right."""
    rows: list[list[Any]] = []
    for name, one in _sorted(found):
        if "EX" not in one or one["tables"] == 1:
            continue
        linked = [share(one[key]) for key in ("TPR", "FPR", *(f"SLR@{k}" for k in KS), "SLR@5 of one home")]
        asked = [share(one["EX"]), share(one["EX of one home"]), one["ok"], share(one["right where ok"])]
        rows.append([name, round(one["tables"]), one["questions"], *linked, *asked])
    told = ["TPR", "FPR", *(f"SLR@{k}" for k in KS), "SLR@5, one home", "EX", "EX, one home", "`ok`", "right of them"]
    return table(["union of", "tables", "questions", *told], rows)


def columns(found: dict[str, dict[str, Any]]) -> str:
    """Return how well columns are found."""
    rows = [
        [name, *(f"{one[key]:,.0f}" for key in ("tables", "columns")), one["questions"]]
        + [share(one[f"{key} of columns"]) for key in ("TPR", "FPR", "SLR")]
        for name, one in _sorted(found)
        if "SLR of columns" in one
    ]
    return table(["questions of", "tables", "columns", "questions", "TPR", "FPR", "SLR"], rows)


def costs(found: dict[str, dict[str, Any]]) -> str:
    """Return what opening and questions cost."""
    keys = ("CPU s, first opening", "CPU s, again opening", "CPU s a question, median", "CPU s a question, mean")
    rows = [
        [name, round(one["tables"]), *(f"{one[key]:.2f}" for key in keys)]
        for name, one in _sorted(found)
        if keys[-1] in one and one["tables"] > 1
    ]
    return table(["union of", "tables", "first opening", "again", "a question, median", "mean"], rows)


def _sorted(found: dict[str, dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Return the sets by language and size, each with its title."""
    told = [(_title(name), one) for name, one in found.items()]
    english = TITLES["spider-train"]
    return sorted(told, key=lambda pair: (not pair[0].startswith(english), pair[0], pair[1]["tables"]))


def _title(name: str) -> str:
    title = next(title for start, title in TITLES.items() if name.startswith(start.partition("-")[0]))
    kind = next((told for part, told in KINDS.items() if part in name), "")
    return f"{title} ({kind})" if kind else title
