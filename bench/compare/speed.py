"""What a mask costs: ours beside GRID's, llguidance's and XGrammar's, on the same tokens of the same queries.

    python bench/compare/speed.py --grid-grammar sql_spider.grid
    python bench/compare/speed.py --systems querent llguidance --steps 500 --databases 2 --outputs 20

Gold queries of several databases of Spider's training part are cut into SmolLM2's tokens and replayed by each system in
a process of its own, in one thread: before each token, and at the end, the mask over all 49,152 tokens is worked out,
then the token is taken; both are timed apart, by the processor's time. Masks of ours are told by their kinds, too: of a
known state, of a new one within a word, of one behind words that were not met before. Each walk is followed twice in
all, since all remember what they met. Figures are of the walks that no system refuses, so that all answer for the same
steps; how many each refuses is told.
llguidance and XGrammar get the grammars that `querent grammar export` writes, GRID its own with the schema's names. The
budget is 128 tokens, which only GRID and ours can keep. A new schema takes the time from its source (tables, or the
text of a grammar) to the first mask, once another one has been prepared. Memory is what the process grew by, with all
schemas at hand. Random outputs draw evenly from a system's mask, but end with a chance of 1/4 where they may, and are
run on SQLite as they stand; those that take more than two seconds count as running.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from figures import ratios, show, told
from grid_guide import grammar_file, made_of
from replay import measured
from systems import BUDGET, SYSTEMS, lacking

sys.path.append(str(Path(__file__).resolve().parents[1] / "accuracy"))  # result files of all rooms are written alike
from result_files import DATA, RESULTS, made_by, save

from querent.llm.backends.smollm2 import PACKAGE, read_tokenizer

PACKAGES = {"grid": ("grid-guardrail", "grid-core"), "llguidance": ("llguidance",), "xgrammar": ("xgrammar",)}


def main() -> None:
    """Measure each system in its own process, show the table, and save it; or measure one."""
    options = arguments()
    if options.system:
        print(json.dumps(measured(options.system, read_tokenizer(), options)))
        return
    missing = {name: install for name in options.systems if (install := lacking(name))}
    if missing:
        lines = [f"{name} is missing: {install}" for name, install in missing.items()]
        raise SystemExit("\n".join([*lines, "or name those that are there by --systems"]))
    if not {"grid", "grid-budget"}.isdisjoint(options.systems):
        grammar_file(options.grid_grammar)
    found: dict[str, dict[str, Any]] = {}
    for name in options.systems:
        print(f"{name} …", flush=True)
        found[name] = apart(name)
    figures = told(found, options.steps)
    show(figures)
    settings = {name: getattr(options, name) for name in ("seed", "databases", "steps", "outputs")}
    settings |= {"budget": BUDGET} | made_of(options.grid_grammar)
    packages = {package for name, needs in PACKAGES.items() if name in figures["systems"] for package in needs}
    made = made_by("querent", "torch", "transformers", PACKAGE, *sorted(packages))
    save(options.out, made | settings | figures | {"ratios": ratios(figures["systems"])})


def apart(name: str) -> dict[str, Any]:
    """Return what a fresh process measures of a system; what it prints before is passed on.

    Raises:
        SystemExit: it failed.
    """
    command = [sys.executable, __file__, *sys.argv[1:], "--system", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    *before, last = done.stdout.splitlines() or [""]
    for line in before:
        print(f"    {line}", flush=True)
    if done.returncode:
        raise SystemExit(f"{name}: {last or 'it failed'}")
    return json.loads(last)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA / "multi" / "spider-train", help="folder of Spider's part")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--steps", type=int, default=5000, help="of all walks that count together")
    parser.add_argument("--databases", type=int, default=10)
    parser.add_argument("--outputs", type=int, default=200, help="random ones of each system")
    parser.add_argument("--seed", type=int, default=1, help="of all chance")
    parser.add_argument("--grid-grammar", type=Path, help="grammars/sql_spider.grid of GRID's repository")
    parser.add_argument("--out", type=Path, default=RESULTS / "speed.json", help="JSON of the figures")
    parser.add_argument("--system", choices=SYSTEMS, help="measure this one alone, and print it as JSON")
    return parser.parse_args()


if __name__ == "__main__":
    main()
