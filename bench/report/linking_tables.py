"""Tables of schema linking on large databases, of `bench/accuracy/schema_linking.py`."""

from __future__ import annotations

from typing import Any

from page_tables import share, table

__all__ = ["costs", "linking"]

TITLES = {"spider-train": "Spider, en", "chase-train": "CHASE, zh"}
KS = (1, 3, 5, 8)


def linking(found: dict[str, dict[str, Any]]) -> str:
    """Return how well tables are found, and how many answers are right."""
    rows: list[list[Any]] = []
    for name, one in _sorted(found):
        linked = [share(one[key]) for key in ("TPR", "FPR", *(f"SLR@{k}" for k in KS), "SLR@5 of one home")]
        asked = [share(one["EX"]), share(one["EX of one home"]), one["ok"], share(one["right where ok"])]
        rows.append([name, one["tables"], one["questions"], *linked, *asked])
    told = ["TPR", "FPR", *(f"SLR@{k}" for k in KS), "SLR@5, one home", "EX", "EX, one home", "`ok`", "right of them"]
    return table(["union of", "tables", "questions", *told], rows)


def costs(found: dict[str, dict[str, Any]]) -> str:
    """Return what opening and questions cost."""
    keys = ("CPU s, first opening", "CPU s, again opening", "CPU s a question, median", "CPU s a question, mean")
    rows = [[name, one["tables"], *(f"{one[key]:.2f}" for key in keys)] for name, one in _sorted(found)]
    return table(["union of", "tables", "first opening", "again", "a question, median", "mean"], rows)


def _sorted(found: dict[str, dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Return the sets by language and size, each with its title."""
    told = [(TITLES[name.rpartition("-")[0]], one) for name, one in found.items()]
    return sorted(told, key=lambda pair: (list(TITLES.values()).index(pair[0]), pair[1]["tables"]))
