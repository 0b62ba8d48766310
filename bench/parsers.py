"""Train and score the parser on GeoQuery, css-yibao and the shipped plant, both splits, several seeds.

    python bench/parsers.py --data ../shared/data --jobs 2
    python bench/parsers.py --sets plant-zh plant-en --seeds 0 1 --jobs 2

Each cell (data set, split, seed) is one training run and is saved in the result file as it ends; the same
command goes on where it was stopped. A cell scores its network in four ways on the test part:

    bilevel  local constraint, soft global constraint (the default)
    hard     local constraint, the paper's hard mask as global constraint
    local    local constraint alone
    off      no constraint: the plain seq2seq baseline

The constraint loss is off, so the constraints do not touch the gradients: the baseline is the same trained network,
and every comparison is paired. What they do touch is which of a run's networks is kept (best greedy EM on dev under
the bilevel constraint). ``bilevel`` is also scored with the parser's own values and on the training part.
"""

from __future__ import annotations

import argparse
import datetime
import fcntl
import json
import os
import platform
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DOMAINS = {
    "geography": ("text2sql:{data}/text2sql/geography", "en"),
    "css-yibao": ("css:{data}/css-yibao", "zh"),
    "plant-zh": ("plant", "zh"),
    "plant-en": ("plant", "en"),
}
# css-yibao has 3.5 times as many questions, of far fewer patterns: fewer passes do. On the query split of GeoQuery dev
# EM goes up and down by ten points between measurements: it is measured often, and the best network is kept.
SETTINGS = {
    "geography": ["optim.epochs=20", "eval.every=50"],
    "css-yibao": ["optim.epochs=9", "eval.every=100"],
    "plant-zh": ["optim.epochs=20", "eval.every=200"],
    "plant-en": ["optim.epochs=20", "eval.every=200"],
}
COMMAND = "QUERENT_BENCH_COMMAND"
COMMON = ["device=cpu", "optim.precision=bfloat16"]
KEPT = [
    *("n", "em", "em_by_query", "jaccard", "validity", "runs", "late", "execution", "entity_f1"),
    *("all_values_found", "table_f1", "function_f1", "inside_global", "share_left", "seconds"),
    *("by_feature", "by_length"),
]


def main() -> None:
    """Run what is missing of the cells asked for."""
    options = arguments()
    os.environ.setdefault(COMMAND, shlex.join(["python", "bench/parsers.py", *sys.argv[1:]]))  # the cells inherit it
    if options.cell:
        run_cell(options, *options.cell)
        return
    cells = list(product(options.sets, options.splits, options.seeds))
    done = read(options.out)["cells"]
    missing = [c for c in cells if "/".join(map(str, c)) not in done]
    print(f"{len(cells)} cells, {len(missing)} to do", flush=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        codes = list(pool.map(lambda cell: spawn(options, cell), missing))
    if any(codes):
        sys.exit(f"{sum(map(bool, codes))} cells failed: see the logs under {options.runs}")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data", help="folder of the sets")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "parsers.json", help="the result file")
    parser.add_argument("--runs", type=Path, default=HERE.parent / "runs" / "bench", help="folder of the run folders")
    parser.add_argument("--sets", nargs="+", default=list(DOMAINS), choices=list(DOMAINS))
    parser.add_argument("--splits", nargs="+", default=["question", "query"], choices=["question", "query"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="training option, dotted")
    parser.add_argument("--jobs", type=int, default=1, help="cells at a time, each on one thread")
    parser.add_argument("--cell", nargs=3, metavar=("SET", "SPLIT", "SEED"), help=argparse.SUPPRESS)
    return parser.parse_args()


def spawn(options: argparse.Namespace, cell: tuple[str, str, int]) -> int:
    """Run one cell in a process of its own, its output in a log; return the exit code."""
    name = "-".join(map(str, cell))
    options.runs.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, __file__, "--data", options.data, "--out", options.out, "--runs", options.runs]
    command += [part for setting in options.set for part in ("--set", setting)]
    command += ["--cell", *map(str, cell)]
    print(f"start {name}", flush=True)
    with (options.runs / f"{name}.log").open("a") as log:
        code = subprocess.run([str(c) for c in command], stdout=log, stderr=log, check=False).returncode
    print(f"{'end' if code == 0 else 'FAILED'} {name}", flush=True)
    return code


def run_cell(options: argparse.Namespace, name: str, split: str, seed: str) -> None:
    """Train one parser, score it in every way, and add the cell to the result file."""
    from rich.console import Console

    from querent import Parser, evaluate, load_domain
    from querent.parser.options import TrainConfig
    from querent.parser.training import train

    spec, language = DOMAINS[name]
    domain = load_domain(spec.format(data=options.data), language=language)
    settings = [
        f"data.split={split}",
        f"data.language={language}",
        f"seed={seed}",
        *COMMON,
        *SETTINGS[name],
        *options.set,
    ]
    config = TrainConfig.load(None, settings)
    start = time.perf_counter()
    folder = train(config, domain, options.runs / f"{name}-{split}-{seed}", console=Console(force_terminal=False))
    seconds = time.perf_counter() - start
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    scores = {way: kept(found) for way, found in summary["scores"].items()}
    parser = Parser.from_pretrained(folder / "best")
    for way, (local, mode) in {"hard": (True, "hard"), "local": (True, "off"), "off": (False, "off")}.items():
        parser.local, parser.global_constraint.mode = local, mode
        scores[f"test, gold values, {way}"] = kept(evaluate(parser, domain, part="test", split=split).to_json())
    cell = {
        "seconds": round(seconds),
        "encoder": summary["config"]["model"]["encoder"],
        "best": summary["best"],
        "data": {k: v for k, v in summary["data"].items() if k != "uncovered"},
        "scores": scores,
    }
    add(options.out, f"{name}/{split}/{seed}", cell, summary["config"])


def kept(scores: dict[str, Any]) -> dict[str, Any]:
    """Return the figures worth keeping; the answers themselves hold text of the sets."""
    return {key: scores[key] for key in KEPT if key in scores}


def read(file: Path) -> dict[str, Any]:
    """Return the result file's content, or an empty one."""
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"cells": {}}


def add(file: Path, name: str, cell: dict[str, Any], config: dict[str, Any]) -> None:
    """Add one cell; cells that end at the same time wait for each other."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with (file.parent / f".{file.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        content = read(file)
        content["versions"] = versions()
        content["machine"] = f"{platform.machine()}, {platform.system()}, CPU, one thread a cell"
        options = {k: v for k, v in config.items() if k not in ("data", "seed")}
        about = {"command": os.environ[COMMAND], "options": options}
        content["cells"][name] = {**cell, **about, "date": datetime.date.today().isoformat()}
        content["cells"] = dict(sorted(content["cells"].items()))
        draft = file.with_suffix(".draft")
        draft.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        draft.replace(file)


def versions() -> dict[str, str]:
    """Return the versions that a result depends on."""
    from importlib.metadata import version

    names = ("querent", "torch", "transformers", "lark", "sqlglot", "numpy")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


if __name__ == "__main__":
    main()
