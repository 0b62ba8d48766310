"""The constraint on other models' tokens, measured: rows of tables for docs/results.md."""

from __future__ import annotations

from typing import Any

from promise_tables import ENGINES, Rows

__all__ = ["exact", "outputs", "small_model", "speed", "writers"]


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


def small_model(result: dict[str, Any]) -> Rows:
    """Return how many of a small model's answers run, and are right, under each mask."""
    keys = ("questions", "ended", "runs", "right", "tokens, mean", "ms a token, mask")
    return ["", *keys], [[way, *(found[key] for key in keys)] for way, found in result["ways"].items()]


def speed(result: dict[str, Any]) -> Rows:
    """Return what each system's masks and steps cost."""
    rows: list[list[Any]] = []
    for name, one in result["systems"].items():
        first, again = one["µs, first"], one["µs, again"]
        times = [f"{first['mask'][what]:,.0f}" for what in ("p50", "p99", "mean")]
        times += [f"{again['mask'][what]:,.0f}" for what in ("p50", "p99")]
        times += [f"{first['advance'][what]:,.0f}" for what in ("p50", "p99")]
        said = one["random outputs"]
        refused = f"{one['walks refused']} of {one['walks asked']}"
        shares = [f"{said[what]:.0%}" for what in ("ended", "run")]
        rows.append([name, *times, f"{one['ms, new schema']:,.0f}", f"{one['MiB']:,.0f}", refused, *shares])
    masks = ["mask p50", "p99", "mean", "again p50", "p99", "step p50", "p99"]
    return ["", *masks, "new schema, ms", "MiB", "gold refused", "outputs end", "run"], rows
