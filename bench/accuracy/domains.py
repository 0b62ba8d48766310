"""Train a parser on each set and split from the shipped network on, and score it in several ways.

    python bench/accuracy/domains.py --data ../shared/data --sets geography academic plant-en --seeds 0 1 2

Each cell (set, split, seed) is one run of `querent train` with its default options, and is saved in the result file as
it ends; the same command goes on where it was stopped. A cell scores its parser on the test part with the values that
it finds itself, beam 4 and both constraints (own), and then with one thing changed: gold values, a greedy search, the
global constraint as a mask or off, the local constraint off, both off. «zero-shot» is the shipped network before.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from result_files import DATA, RESULTS, ROOT, add
from rich.console import Console

import querent

DOMAINS = {
    "geography": ("text2sql:{data}/text2sql/geography", "en"),
    "academic": ("text2sql:{data}/text2sql/academic", "en"),
    "restaurants": ("text2sql:{data}/text2sql/restaurants", "en"),
    "atis": ("text2sql:{data}/text2sql/atis", "en"),
    "css-yibao": ("css:{data}/css-yibao", "zh"),
    "plant-zh": ("plant", "zh"),
    "plant-en": ("plant", "en"),
}
WAYS: dict[str, dict[str, Any]] = {
    "own": {},
    "gold values": {"values": "gold"},
    "greedy": {"beam": 1},
    "global hard": {"global_mode": "hard"},
    "global off": {"global_mode": "off"},
    "local off": {"level": None},
    "both off": {"level": None, "global_mode": "off"},
}
MEASURED = {"own": "test, own values", "gold values": "test, gold values"}
KEPT = (
    *("n", "em", "em_by_query", "jaccard", "validity", "runs", "execution", "refused", "all_values_found"),
    *("table_f1", "column_f1", "function_f1", "inside_global", "share_left", "seconds"),
)


def main() -> None:
    """Run what is missing of the cells asked for."""
    options = arguments()
    for name, split, seed in product(options.sets, options.splits, options.seeds):
        cell = f"{name}/{split}/{seed}"
        if options.out.exists() and cell in json.loads(options.out.read_text(encoding="utf-8"))["sets"]:
            continue
        print(cell, flush=True)
        entry = measured(name, split, seed, options)
        print(json.dumps(entry["scores"]["own"]), flush=True)
        add(options.out, cell, entry)


def measured(name: str, split: str, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """Train one parser, and return its scores."""
    spec, language = DOMAINS[name]
    domain = querent.load_domain(spec.format(data=options.data), language=language)
    config = querent.TrainConfig.load(None, [f"data.split={split}", f"seed={seed}", *options.set])
    run = querent.train(config, domain, options.runs / f"{name}-{split}-{seed}", console=Console())
    summary = querent.RunFolder(run).summary()
    scores = {way: kept(found) for way, found in scored(run, summary, domain, split, options.ways)}
    if language == "en" and seed == 0:
        base = querent.load_network(querent.parser_folder("en"))
        scores["zero-shot"] = kept(querent.evaluate(base, domain, split=split).to_json())
    return {
        "settings": options.set,
        "minutes": round(summary["seconds"] / 60, 1),
        "dev_em": summary["best"]["dev_em"],
        "data": {key: summary["data"][key] for key in ("questions", "queries", "unlearnt")},
        "scores": scores,
    }


def scored(
    run: Path, summary: dict[str, Any], domain: querent.Domain, split: str, ways: list[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the scores on test, in each way; those that the run measured itself are taken from its summary."""
    loaded = querent.load_network(querent.parser_folder(run))
    for way in ways:
        if way in MEASURED:
            yield way, summary["scores"][MEASURED[way]]
        else:
            yield way, querent.evaluate(loaded, domain, split=split, **WAYS[way]).to_json()


def kept(scores: dict[str, Any]) -> dict[str, Any]:
    """Return the figures that are kept."""
    return {key: round(value, 4) if isinstance(value := scores[key], float) else value for key in KEPT}


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the sets")
    parser.add_argument("--out", type=Path, default=RESULTS / "domains.json", help="the result file")
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "bench", help="folder of the run folders")
    parser.add_argument("--sets", nargs="+", default=list(DOMAINS), choices=list(DOMAINS))
    parser.add_argument("--splits", nargs="+", default=["question", "query"], choices=["question", "query"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="training option, dotted")
    return parser.parse_args()


if __name__ == "__main__":
    main()
