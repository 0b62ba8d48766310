"""Mutate gold queries word by word: on which do Querent's grammar and sqlglot's parser disagree, and why?

    python bench/agreement.py --data ../shared/data
    python bench/agreement.py --sets plant-sqlite plant-postgres --mutants 2000 --seed 1

The grammar reads a mutant with its slots, sqlglot reads it with values in them. What the grammar alone accepts is a
bug of the grammar: each is printed. What sqlglot alone accepts is much, since it knows no schema and refuses
little; each has the grammar's own reason and, of `agreement_reasons`, what sqlglot does instead. The result file shows
text of the plant alone: in examples from the public sets terminals stand for names and values. The last line printed
is one JSON object.
"""

from __future__ import annotations

import argparse
import datetime
import json
import logging
import platform
import random
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from agreement_mutants import SETS, Golds, mutants
from agreement_reasons import OTHER, REASONS, reason
from agreement_verdicts import CELLS, Verdict, judge
from rich.console import Console
from rich.progress import track
from rich.table import Table

HERE = Path(__file__).resolve().parent
DIALECTS = ("sqlite", "mysql", "postgres")


@dataclass
class Tally:
    """What is counted, most of it by dialect.

    Attributes:
        sets: what each set is, and its mutants by cell.
        cells: mutants by cell.
        ways: mutants by way of mutation, then by cell.
        own: by the grammar's reason, what sqlglot alone accepts.
        reasons: by what sqlglot does, the same.
        examples: of the latter, one each, and whether it is the plant's.
        alone: what the grammar alone accepts.
        crashes: errors of sqlglot that are no refusals.
    """

    sets: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    cells: dict[str, Counter[str]] = field(default_factory=lambda: {cell: Counter() for cell in CELLS})
    ways: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    own: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    reasons: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    examples: dict[str, tuple[bool, str]] = field(default_factory=dict[str, tuple[bool, str]])
    alone: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    crashes: Counter[str] = field(default_factory=Counter[str])

    def add(self, name: str, dialect: str, way: str, verdict: Verdict) -> None:
        """Count one mutant of the set ``name``."""
        ours = name.startswith("plant")
        self.cells[verdict.cell][dialect] += 1
        self.ways[way][verdict.cell] += 1
        self.sets[name][verdict.cell] += 1
        if verdict.complaint.startswith("crash"):
            self.crashes[verdict.complaint] += 1
        if verdict.cell == "grammar alone accepts":
            print(f"{dialect}, {verdict.complaint}: {verdict.sql}", flush=True)
            shown = verdict.sql if ours else " ".join(word.terminal for word in verdict.query)
            self.alone.append({"set": name, "sqlglot": verdict.complaint, "query": shown})
        if verdict.cell == "sqlglot alone accepts":
            why = reason(verdict)
            if why == OTHER:
                print(f"{dialect}, {verdict.refusal}: {verdict.sql}", flush=True)
            self.own[verdict.own][dialect] += 1
            self.reasons[why][dialect] += 1
            if ours > self.examples.get(why, (False, ""))[0] or why not in self.examples:
                self.examples[why] = ours, verdict.shown(names=ours)

    def total(self, cell: str) -> int:
        """Return how many mutants of all dialects are in a cell."""
        return self.cells[cell].total()

    def result(self) -> dict[str, Any]:
        """Return the counts as they are saved."""
        whys = {found.name: found.why for found in REASONS} | {OTHER: "not explained"}
        ranked = sorted(self.reasons, key=lambda name: (-self.reasons[name].total(), name))
        return {
            "cells": {cell: _by_dialect(counts) for cell, counts in self.cells.items()},
            "sets": self.sets,
            "ways": {way: {cell: counts[cell] for cell in CELLS} for way, counts in self.ways.items()},
            "grammar alone accepts": self.alone,
            "sqlglot alone accepts": {
                "reason of the grammar": {own: _by_dialect(counts) for own, counts in sorted(self.own.items())},
                "what sqlglot does": [
                    {
                        "name": name,
                        "why": whys[name],
                        **_by_dialect(self.reasons[name]),
                        "example": self.examples[name][1],
                    }
                    for name in ranked
                ],
            },
            "crashes of sqlglot": dict(self.crashes.most_common()),
        }


def _by_dialect(counts: Counter[str]) -> dict[str, int]:
    return {**{dialect: counts[dialect] for dialect in DIALECTS}, "all": counts.total()}


def main() -> None:
    """Mutate, ask both, count."""
    options = arguments()
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns of each statement that it does not know
    tally = Tally()
    for number, name in enumerate(options.sets):
        share = (options.mutants + number) // len(options.sets)  # the shares add up to all
        count(tally, name, share, options)
    show(tally)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    content = {**about(options), **tally.result()}
    options.out.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({
        "seed": options.seed, "mutants": options.mutants, **{cell: tally.total(cell) for cell in CELLS},
        "not explained": tally.reasons[OTHER].total(), "crashes of sqlglot": tally.crashes.total(),
    }))  # fmt: skip


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data", help="folder of the sets")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "agreement.json", help="the result file")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--mutants", type=int, default=10_000, help="of all sets together, the same of each")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def about(options: argparse.Namespace) -> dict[str, Any]:
    """Return what the result depends on."""
    sets = "" if options.sets == list(SETS) else f" --sets {' '.join(options.sets)}"
    return {
        "command": f"python bench/agreement.py --data ../shared/data{sets}"
        f" --mutants {options.mutants} --seed {options.seed}",
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.machine()}, {platform.system()}, CPU, one core",
        "versions": {
            "python": platform.python_version(),
            **{package: version(package) for package in ("querent", "lark", "sqlglot")},
        },
        "seed": options.seed,
        "mutants": options.mutants,
    }


def count(tally: Tally, name: str, share: int, options: argparse.Namespace) -> None:
    """Count mutants of one set; each set's depend on the seed and its name alone."""
    golds = Golds.of(name, options.data)
    dialect = golds.grammar.dialect
    tally.sets[name] = {
        "dialect": dialect,
        "grammar": golds.grammar.digest[:12],
        "gold queries": len(golds.queries),
        "outside the grammar": golds.outside,
        **dict.fromkeys(CELLS, 0),
    }
    drawn = islice(mutants(golds, random.Random(f"{options.seed}/{name}")), share)
    for way, query in track(drawn, name, share, disable=not sys.stderr.isatty()):
        tally.add(name, dialect, way, judge(golds.grammar, query))


def show(tally: Tally) -> None:
    """Print the cells, the grammar's reasons and sqlglot's."""
    result = tally.result()
    alone = result["sqlglot alone accepts"]
    console = Console(width=None if sys.stdout.isatty() else 160)
    _print(console, "Mutants", result["cells"])
    _print(console, "sqlglot alone accepts: the grammar's reason", alone["reason of the grammar"])
    named = {f"{found['name']}: sqlglot {found['why']}": found for found in alone["what sqlglot does"]}
    _print(console, "sqlglot alone accepts: what sqlglot does", named)


def _print(console: Console, title: str, rows: dict[str, dict[str, Any]]) -> None:
    table = Table(title=title, title_justify="left")
    table.add_column()
    for column in (*DIALECTS, "all"):
        table.add_column(column, justify="right")
    for name, counts in rows.items():
        table.add_row(name, *(str(counts[column]) for column in (*DIALECTS, "all")))
    console.print(table)


if __name__ == "__main__":
    main()
