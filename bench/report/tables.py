"""Write docs/results.md, results.md with the tables of bench/results/: python bench/report/tables.py"""

from __future__ import annotations

import json
from pathlib import Path
from string import Template
from typing import Any

import dialogue_tables
import linking_tables
import proxy_tables
from page_tables import share, table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "results.md"
ENGINES = {
    "sqlite": "SQLite",
    "mariadb": "MariaDB",
    "mariadb-loose": "MariaDB, loose grouping",
    "postgres": "PostgreSQL",
}
AIMS = {"geography": 0.98, "restaurants": 0.98, "academic": 0.98, "atis": 0.98, "plant": 0.98, "css-yibao": 0.95}
"""The least share of a set's gold queries to be admitted."""

WALKS = {
    "walks": "large",
    "walks-plain": "plain",
    "walks-objects": "objects",
    "walks-wide": "objects, wide",
    "walks-windows": "windows",
}
FORMULAS = {
    "ex": "EX",
    "ex calculation": "calculation",
    "ex condition": "condition",
    "ex union": "union",
    "ex none": "EX of those without",
    "sure": "ok",
    "right of sure": "right where ok",
    "retrieved": "formula found",
    "precision": "grounding precision",
    "recall": "recall",
}
WEIGHTS = {"precision": "precision", "recall": "recall", "f1": "F1", "best": "best", "told though absent": "absent"}


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Return the page's text."""
    check = {file.stem: read(file) for file in sorted((RESULTS / "check").glob("*.json"))}
    walked = {title: read(RESULTS / f"{name}.json")["sets"] for name, title in WALKS.items()}
    attacked, meant = (read(RESULTS / f"{name}.json")["sets"] for name in ("hostile", "meanings"))
    proxies, rivals = (read(RESULTS / f"{name}.json")["sets"] for name in ("proxies", "proxies-rivals"))
    asked, grounded = (read(RESULTS / f"{name}.json")["sets"] for name in ("knowledge", "grounding-weights"))
    talked = {name: read(RESULTS / f"dialogues-{name}.json")["figures"] for name in dialogue_tables.SETS}
    linked = read(RESULTS / "schema-linking.json")["sets"]
    filled = {
        "linking": linking_tables.linking(linked),
        "linking_columns": linking_tables.columns(linked),
        "linking_costs": linking_tables.costs(linked),
        "gold": gold(check),
        "walks": walks(walked),
        "meanings": meanings(meant),
        "hostile": hostile(attacked),
        "knowledge": knowledge(asked),
        "weights": weights(grounded),
        "dialogues": dialogue_tables.overview(talked),
        "dialogue_kinds": dialogue_tables.by_kind(talked),
        **proxy_tables.tables(proxies),
        "rivals": proxy_tables.rivals(rivals),
    }
    return Template((HERE / "results.md").read_text(encoding="utf-8")).substitute(filled)


def read(file: Path) -> dict[str, Any]:
    """Return what a result file holds."""
    return json.loads(file.read_text(encoding="utf-8"))


def gold(check: dict[str, dict[str, Any]]) -> str:
    """Return how many gold queries of each set are admitted, and how many of the others run."""
    rows: list[list[Any]] = []
    for name, aim in AIMS.items():
        entry = check[name]
        against = [*entry["uncovered"], *entry["refused"]]
        ran = sum(one["engine"] == "runs" for one in against)
        counts = [entry["queries"], entry["admitted"], f"{entry['admitted_share']:.1%}", f"{aim:.0%}"]
        rows.append([name, *counts, len(against), ran])
    return table(["", "queries", "admitted", "share", "aimed at", "refused", "and run"], rows)


def walks(walked: dict[str, dict[str, Any]]) -> str:
    """Return what random walks found on each engine."""
    rows: list[list[Any]] = []
    for title, engines in walked.items():
        for engine, entry in sorted(engines.items(), key=lambda one: list(ENGINES).index(one[0])):
            seeds = ", ".join(map(str, entry["seeds"]))
            counts = [f"{entry[key]:,}" for key in ("queries", "errors", "time_outs")]
            found = entry["productions"]
            used = f"{found['of'] - len(found['never'])} of {found['of']}"
            rows.append([title, ENGINES[engine], seeds, *counts, used])
    counted = ["queries", "errors", "time-outs", "productions used"]
    return table(["draw", "engine", "seeds", *counted], rows)


def meanings(engines: dict[str, dict[str, Any]]) -> str:
    """Return what random queries with what columns mean found on each engine."""
    keys = ("queries", "meant", "errors", "time_outs")
    rows = [
        [title, engines[name]["seed"], *(f"{engines[name][key]:,}" for key in keys)]
        for name, title in ENGINES.items()
        if name in engines
    ]
    return table(["", "seed", "queries", "with a meaning", "errors", "time-outs"], rows)


def hostile(engines: dict[str, Any]) -> str:
    """Return how many hostile queries were sent by each way, and what they did."""
    ways = ("database", "llm", "examples", "formulas", "evidence")
    rows = [
        [
            ENGINES[name],
            entry["seed"],
            *(f"{entry[f'{way}: asked']:,}" for way in ways),
            entry["changes"],
            entry["leaks"],
        ]
        for name, entry in engines.items()
    ]
    return table(["", "seed", *ways, "changes", "secrets read"], rows)


def knowledge(sets: dict[str, dict[str, Any]]) -> str:
    """Return how questions that need a formula are answered, by the way in which formulas are told."""
    rows = [
        [*name.replace("/test/", "/").split("/", 1), entry["n"], *(share(entry.get(key)) for key in FORMULAS)]
        for name, entry in sorted(sets.items())
    ]
    return table(["", "way", "n", *FORMULAS.values()], rows)


def weights(sets: dict[str, dict[str, Any]]) -> str:
    """Return how well concepts are grounded as columns, and what is found under each way of naming."""
    rows: list[list[str]] = []
    for name, entry in sorted(sets.items()):
        namings = {key.removeprefix("recall "): value for key, value in entry.items() if key.startswith("recall ")}
        told = ", ".join(f"{naming} {value:.3f}" for naming, value in namings.items())
        rows.append([name, *(share(entry[key]) for key in WEIGHTS), told])
    return table(["", *WEIGHTS.values(), "found by naming"], rows)


if __name__ == "__main__":
    main()
