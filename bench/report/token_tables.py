"""The constraint on other models' tokens, measured: rows of tables for docs/results.md."""

from __future__ import annotations

from typing import Any

from promise_tables import ENGINES, Rows

__all__ = ["exact", "outputs", "writers"]


def outputs(result: dict[str, Any]) -> Rows:
    """Return what random outputs found on each engine."""
    keys = ("schemas", "queries", "tokens", "errors", "time_outs")
    found = {key: entry for key, entry in result["engines"].items() if key in ENGINES}
    rows: list[list[Any]] = [
        [ENGINES[name], entry["seed"], *(f"{entry[key]:,}" for key in keys)] for name, entry in found.items()
    ]
    return ["", "seed", "schemas", "outputs", "tokens", "errors", "time-outs"], rows


def exact(result: dict[str, Any]) -> Rows:
    """Return how many tokens of how many states were held against their spelling."""
    rows: list[list[Any]] = [
        [ENGINES[name], entry["seed"], entry["schemas"], entry["states"], f"{entry['tokens']:,}", entry["differences"]]
        for name, entry in result["engines"].items()
    ]
    return ["", "seed", "schemas", "states", "tokens", "differences"], rows


def writers(result: dict[str, Any]) -> Rows:
    """Return what the outputs of a small model came to, by the way they were searched."""
    entry = result["engines"]["sqlite"]
    keys = ("outputs", "tokens", "errors", "time_outs")
    rows: list[list[Any]] = [
        [way, entry["seed"], entry["schemas"], *(f"{counts[key]:,}" for key in keys)]
        for way, counts in entry["ways"].items()
    ]
    return ["search", "seed", "schemas", "outputs", "tokens", "errors", "time-outs"], rows
