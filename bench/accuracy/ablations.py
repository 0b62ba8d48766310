"""Switch off one part at a time, and measure what the answers on held-out databases lose.

    python bench/accuracy/ablations.py --collection spider:../shared/data/multi/spider-train --epochs 4

The shipped English network is asked with one thing changed (`held_out.py`); what shapes a training is measured on short
trainings from nothing, alike but for one thing (`base.py`), which are judged greedily and without the constraint; after
one epoch nothing can be told yet (EX .03). Each row is saved as it ends; the same command goes on where it was stopped.
The normal form cannot be switched off: the pointers write nothing else.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from result_files import RESULTS, ROOT, add

import querent

HERE = Path(__file__).resolve().parent
ASKED: dict[str, list[str]] = {
    "as shipped": [],
    "one hypothesis in place of four": ["--beam", "1"],
    "no local constraint": ["--level", "off"],
    "no global constraint": ["--wanted", "off"],
    "neither constraint": ["--level", "off", "--wanted", "off"],
    "neither, one hypothesis": ["--level", "off", "--wanted", "off", "--beam", "1"],
    "no values found": ["--values", "none"],
}
TRAINED: dict[str, list[str]] = {
    "short training": [],
    "short training, no relations": ["--without-relations"],
    "short training, no sampled questions": ["--sampled", "0"],
}


def main() -> None:
    """Run what is missing of the rows."""
    options = arguments()
    for name, changed in ASKED.items():
        if name not in done(options.out):
            keep(name, asked(name, changed, options), options)
    for name, changed in TRAINED.items():
        if options.epochs and name not in done(options.out):
            keep(name, trained(name, changed, options), options)


def asked(name: str, changed: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Ask the shipped network with one thing changed."""
    out, records = options.runs / f"{name}.json", options.runs / f"{name}.jsonl"
    told = ["--parser", str(querent.parser_folder("en")), "--collections", options.collection]
    run("held_out.py", *told, *changed, "--out", str(out), "--records", str(records))
    (figures,) = json.loads(out.read_text(encoding="utf-8"))["figures"].values()
    return {"changed": " ".join(changed), **figures}


def trained(name: str, changed: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Train from nothing for a few epochs with one thing changed."""
    folder = options.runs / name.replace(",", "").replace(" ", "-")
    schedule = ["--epochs", str(options.epochs), "--every", str(options.epochs), "--judged", "560"]
    run("base.py", "--collections", options.collection, "--out", str(folder), *schedule, *changed)
    curve = (folder / "curve.jsonl").read_text(encoding="utf-8").splitlines()
    last = json.loads(curve[-1])
    return {"changed": " ".join(changed), **{key: last[key] for key in ("epoch", "step", "loss", "ex", "runs")}}


def run(script: str, *told: str) -> None:
    """Run another script of this folder."""
    print(script, *told, flush=True)
    subprocess.run([sys.executable, str(HERE / script), *told], check=True, stdout=subprocess.DEVNULL)


def done(out: Path) -> set[str]:
    """Return the names of the rows that are there."""
    return set(json.loads(out.read_text(encoding="utf-8"))["sets"]) if out.exists() else set()


def keep(name: str, row: dict[str, Any], options: argparse.Namespace) -> None:
    """Save a row, and print it."""
    print(name, json.dumps(row), flush=True)
    add(options.out, name, row)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collection", required=True, help="spider:FOLDER")
    parser.add_argument("--epochs", type=int, default=4, help="of a short training; 0 leaves them out")
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "ablations", help="folder of what is made")
    parser.add_argument("--out", type=Path, default=RESULTS / "ablations.json", help="the result file")
    options = parser.parse_args()
    options.runs.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    main()
