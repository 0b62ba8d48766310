"""What the constraint promises, measured: rows of tables for docs/results.md."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["ENGINES", "gold", "same", "walks", "writers"]

ENGINES = {
    "sqlite": "SQLite",
    "mariadb": "MariaDB",
    "mariadb-loose": "MariaDB without ONLY_FULL_GROUP_BY",
    "postgres": "PostgreSQL",
}

AIMS = {"geography": 0.98, "restaurants": 0.98, "academic": 0.98, "atis": 0.98, "plant": 0.98, "css-yibao": 0.95}
"""The least share of a set's gold queries to be admitted."""

NAMED = 8
"""Unused productions that are named at most."""

Rows = tuple[list[str], list[list[Any]]]
"""Heads and rows of a table."""


def gold(result: dict[str, Any]) -> Rows:
    """Return how many gold queries of each set are admitted, and what is said of the others."""
    rows: list[list[Any]] = []
    for name, aim in AIMS.items():
        entry = result["sets"][name]
        loose = ", loose" if entry["grouping"] == "loose" else ""
        share = f"{entry['admitted']} of {entry['queries']} ({entry['admitted_share']:.1%})"
        against = "; ".join(_against(one) for one in (*entry["uncovered"], *entry["refused"]))
        rows.append([name, entry["dialect"] + loose, share, f"{aim:.0%}", against or "–"])
    return ["", "dialect", "admitted", "aimed at", "refused: line, reason, what the database says"], rows


def _against(one: dict[str, Any]) -> str:
    """Return the reason of one refused query in words."""
    reason = one["problem"].split(" (expected")[0].replace("|", "\\|")
    engine = f", and it {one['engine'].replace('|', ' ')}" if one["engine"] else ""
    return f"{one['lines'][0]}: {reason}{engine}"


def walks(result: dict[str, Any]) -> Rows:
    """Return what random walks found on each engine."""
    rows: list[list[Any]] = []
    for engine, title in ENGINES.items():
        if (entry := result["engines"].get(engine)) is None:
            continue
        seeds = ", ".join(str(run["seed"]) for run in entry["runs"])
        counts = [f"{entry[key]:,}" for key in ("schemas", "queries", "errors", "time_outs")]
        number = re.search(r"[0-9]+(\.[0-9]+)+", entry["version"])
        made = f"`{entry['constraint'][:8]}`"
        rows.append([f"{title} {number[0] if number else ''}", made, seeds, *counts, _used(entry["productions"])])
    counted = ["schemas", "queries", "errors", "time-outs", "productions used"]
    return ["", "constraint", "seeds", *counted], rows


def same(result: dict[str, Any]) -> Rows:
    """Return the digests of the queries that two constraints wrote of one seed."""
    rows: list[list[Any]] = []
    for engine, pair in result["pairs"].items():
        then, now = pair["then"], pair["now"]
        counts = [f"{now[key]:,}" for key in ("queries", "words", "errors")]
        digests = [f"`{one['digest']}`" for one in (then, now)]
        constraints = " → ".join(f"`{one['constraint'][:8]}`" for one in (then, now))
        rows.append([ENGINES[engine], constraints, now["runs"][0]["seed"], *counts, *digests])
    return ["", "constraints", "seed", "queries", "words", "errors now", "digest then", "digest now"], rows


def _used(found: dict[str, Any]) -> str:
    """Return how many were used, and the others by name where they are few."""
    never = ", ".join(f"`{name}`" for name in found["never"]).replace("|", "\\|")
    named = f", all but {never}" if 0 < len(found["never"]) <= NAMED else ""
    return f"{found['of'] - len(found['never'])} of {found['of']}{named}"


def writers(result: dict[str, Any]) -> Rows:
    """Return what the outputs of a small model came to, by the way they were searched."""
    entry = result["engines"]["sqlite"]
    keys = ("outputs", "tokens", "errors", "time_outs")
    rows: list[list[Any]] = [
        [way, entry["seed"], entry["schemas"], *(f"{counts[key]:,}" for key in keys)]
        for way, counts in entry["ways"].items()
    ]
    return ["search", "seed", "schemas", "outputs", "tokens", "errors", "time-outs"], rows
