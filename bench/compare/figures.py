"""What is told of measured systems: percentiles over the steps that all took, and how many times as long ours take."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["ratios", "show", "told"]

OURS = "querent"
PASSES = ("first", "again")
Times = Sequence[float]


def told(found: Mapping[str, dict[str, Any]], steps: int) -> dict[str, Any]:
    """Return the figures of each system over the walks that none refused, as many as make up the steps asked for."""
    each = list(found.values())
    databases = len({walk["database"] for walk in each[0]["first"]})
    common, counted = list[int](), Counter[str]()
    for number, walk in enumerate(each[0]["first"]):
        taken = all(one["first"][number]["refused"] is None for one in each)
        if taken and counted[walk["database"]] < steps / databases:  # as many of each database
            common.append(number)
            counted[walk["database"]] += len(walk["mask"])
    return {
        "walks counted": len(common),
        "steps counted": counted.total(),
        "steps of each database": dict(counted),
        "systems": {name: figures_of(one, common) for name, one in found.items()},
    }


def figures_of(one: dict[str, Any], common: Sequence[int]) -> dict[str, Any]:
    """Return one system's figures."""
    counts = one["outputs"]
    shares = {what: share(counts[what], counts["outputs"]) for what in ("ended", "run", "time-outs", "failed")}
    shares["run, of those that ended"] = share(counts["ended and run"], counts["ended"])
    return {
        "walks refused": sum(walk["refused"] is not None for walk in one["first"]),
        "walks asked": len(one["first"]),
        **{f"µs, {when}": times_of([one[when][number] for number in common]) for when in PASSES},
        **kinds_of([one["first"][number] for number in common]),
        "ms, new schema": round(statistics.median(one["news"]) / 1000, 3),
        "ms, new schema, most": round(max(one["news"]) / 1000, 3),
        "ms, exporting its grammar": round(1000 * one["sourcing"], 3),
        "s, reading the tokenizer": round(one["started"], 2),
        "MiB": round(one["memory"], 1),
        "random outputs": {"outputs": counts["outputs"], **shares},
    }


def share(part: int, whole: int) -> float | None:
    """Return a share, None of nothing."""
    return round(part / whole, 4) if whole else None


def times_of(taken: Iterable[dict[str, Times]]) -> dict[str, dict[str, float]]:
    """Return percentiles and mean of masks, of advances, and of both as one step."""
    rows = list(taken)
    masks = np.array([time for walk in rows for time in walk["mask"]])
    advances = np.array([time for walk in rows for time in walk["advance"]])
    parts = {"mask": masks, "advance": advances, "step": masks + advances}
    return {part: spread(times) for part, times in parts.items()}


def kinds_of(taken: Iterable[dict[str, Any]]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the masks of each kind of step, where a system tells kinds: their share, and their times."""
    found: dict[str, list[float]] = {}
    for walk in taken:
        for kind, time in zip(walk["kinds"], walk["mask"], strict=True):
            found.setdefault(kind, []).append(time)
    steps = sum(map(len, found.values()))
    told = {kind: {"share": share(len(times), steps) or 0.0} | spread(np.array(times)) for kind, times in found.items()}
    return {} if "" in told or not told else {"µs, first, masks by kind": told}


def spread(times: Any) -> dict[str, float]:
    """Return p50, p90, p99, the mean and the most, in microseconds."""
    if not len(times):
        return {}
    found = {f"p{q}": float(np.percentile(times, q)) for q in (50, 90, 99)}
    return {what: round(value, 2) for what, value in (found | {"mean": times.mean(), "most": times.max()}).items()}


def ratios(systems: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return how many times as long ours takes as each other: without a budget, and within one where it has one."""
    found: dict[str, dict[str, float]] = {}
    for name in systems:
        ours = OURS + "-budget" * name.endswith("-budget")
        if not name.startswith(OURS) and ours in systems:
            mine, other = systems[ours], systems[name]
            found[f"{ours} / {name}"] = {
                f"{when}, {what}": ratio(mine[f"µs, {when}"]["step"][what], other[f"µs, {when}"]["step"][what])
                for when in PASSES
                for what in ("p50", "p99", "mean")
                if mine[f"µs, {when}"]["step"]
            } | {"new schema": ratio(mine["ms, new schema"], other["ms, new schema"])}
    return found


def ratio(mine: float, other: float) -> float:
    """Return a quotient at three digits."""
    return float(f"{mine / max(other, 0.001):.3g}")


def show(figures: dict[str, Any]) -> None:
    """Print the table and the ratios."""
    print(f"{figures['walks counted']} walks, {figures['steps counted']} steps; microseconds")
    heads = [f"{part} {what}" for part in ("mask", "adv.") for what in ("p50", "p90", "p99", "mean")]
    print(f"{'':15} {'':6}" + "".join(f"{head:>10}" for head in heads))
    for name, one in figures["systems"].items():
        for when in PASSES:
            parts = one[f"µs, {when}"]
            cells = [parts[part].get(what, 0) for part in ("mask", "advance") for what in ("p50", "p90", "p99", "mean")]
            print(f"{name:15} {when:6}" + "".join(f"{cell:10.1f}" for cell in cells))
    for name, one in figures["systems"].items():
        said, refused = one["random outputs"], f"{one['walks refused']} of {one['walks asked']}"
        print(
            f"{name:15} refused {refused}, new schema {one['ms, new schema']} ms, {one['MiB']} MiB,"
            f" random outputs ended {said['ended']}, run {said['run']}"
        )
    for pair, its in ratios(figures["systems"]).items():
        print(f"{pair}: {its}")
