"""Measure how many questions a parser answers a second, and what its constraints cost.

    python bench/speed.py --run runs/bench/geography-question-0 --domain text2sql:../shared/data/text2sql/geography

Every setting (batch 1 and 32, greedy and beam 5, each with both constraints and with none) is timed once a round, in
an order that turns from round to round; the figures are medians over the rounds, and a cost is the median of the
rounds' own ratios, since the speed of a shared machine drifts. Values are the gold ones: the value finder is no part
of what is compared. Both sides read the questions, run the same network and write SQL; the constrained side also runs
the classifiers and masks every step. Without constraints a query may run to the budget, so the time a word is given
as well as the time a question. With them a hypothesis may not end before its query is whole, so a search of several
can take more steps: they are counted, and what masks and advances take by themselves is timed in a round of its own.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Generator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
LIMITS = {1: 0.10, 5: 0.25}
"""What the constraints may cost at most, by beam width."""


def main() -> None:
    """Time all settings, print a table, and save the result."""
    options = arguments()
    import torch

    from querent import Parser, load_domain

    torch.set_num_threads(1)
    folder = options.run / "best" if (options.run / "best").is_dir() else options.run
    parser = Parser.from_pretrained(folder, device="cpu")
    domain = load_domain(options.domain)
    examples = domain.part("test")[: options.questions]
    settings = list(product((1, 32), (1, 5), (True, False)))
    times: dict[tuple[int, int, bool], list[tuple[float, int]]] = {setting: [] for setting in settings}
    for turn in range(-1, options.rounds):  # the first round warms up
        for setting in settings[turn % 8 :] + settings[: turn % 8]:
            found = answer(parser, examples, *setting)
            if turn >= 0:
                times[setting].append(found)
    rows = [
        row(times, batch, beam, len(examples)) | apart(parser, examples, batch, beam)
        for batch, beam in product((1, 32), (1, 5))
    ]
    show(rows)
    result = {
        "command": f"python bench/speed.py --run {options.run} --domain {options.domain}"
        f" --questions {options.questions} --rounds {options.rounds}",
        "machine": f"{platform.machine()}, {platform.system()}, CPU, one thread",
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "questions": len(examples),
        "words": len(parser.vocabulary),
        "rows": rows,
    }
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="a run folder or a saved parser")
    parser.add_argument("--domain", required=True, help="the domain whose test questions are answered")
    parser.add_argument("--questions", type=int, default=96)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", type=Path, default=HERE / "results" / "speed.json")
    return parser.parse_args()


def answer(parser: Any, examples: Any, batch: int, beam: int, constrained: bool) -> tuple[float, int]:
    """Answer all questions; return the seconds and the words written."""
    parser.local = constrained
    parser.global_constraint.mode = "soft" if constrained else "off"
    questions, values = [e.question for e in examples], [e.values for e in examples]
    start = time.perf_counter()
    answers = parser(questions, values=values, beam=beam, batch_size=batch)
    return time.perf_counter() - start, sum(len(a.tokens) for a in answers)


def apart(parser: Any, examples: Any, batch: int, beam: int) -> dict[str, Any]:
    """Return the steps of the search with and without constraints, and the share of time that the masks take."""
    with counted() as (steps, seconds):
        whole, _ = answer(parser, examples, batch, beam, True)
        constrained = len(steps)
        answer(parser, examples, batch, beam, False)
    told = {"steps": constrained, "steps_unconstrained": len(steps) - constrained}
    return told | {"masks": round(sum(seconds) / whole, 4)}


@contextmanager
def counted() -> Generator[tuple[list[int], list[float]]]:
    """Yield a list that gets the rows of each step, and one that gets the seconds of each mask and advance."""
    from querent.grammar import Batch
    from querent.parser import search

    steps: list[int] = []
    seconds: list[float] = []
    before = {(Batch, "allowed"): Batch.allowed, (Batch, "advance"): Batch.advance, (search, "_scores"): search._scores}

    def timed(method: Any) -> Any:
        def call(*given: Any) -> Any:
            start = time.perf_counter()
            found = method(*given)
            seconds.append(time.perf_counter() - start)
            return found

        return call

    def scores(model: Any, memory: Any, rows: Any, *given: Any) -> Any:
        steps.append(len(rows))
        return before[search, "_scores"](model, memory, rows, *given)

    try:
        Batch.allowed, Batch.advance, search._scores = timed(Batch.allowed), timed(Batch.advance), scores
        yield steps, seconds
    finally:
        for (owner, name), what in before.items():
            setattr(owner, name, what)


def row(times: dict[Any, list[tuple[float, int]]], batch: int, beam: int, questions: int) -> dict[str, Any]:
    """Return one line of the table: both speeds, and the cost of the constraints a question and a word."""
    on, off = times[batch, beam, True], times[batch, beam, False]
    ratios = [a / b for (a, _), (b, _) in zip(on, off, strict=True)]
    by_word = [(a / n) / (b / m) for (a, n), (b, m) in zip(on, off, strict=True)]
    return {
        "batch": batch,
        "beam": beam,
        "per_second": round(questions / statistics.median(a for a, _ in on), 2),
        "per_second_unconstrained": round(questions / statistics.median(b for b, _ in off), 2),
        "cost": round(statistics.median(ratios) - 1, 4),
        "cost_by_word": round(statistics.median(by_word) - 1, 4),
        "spread": [round(min(ratios) - 1, 4), round(max(ratios) - 1, 4)],
        "limit": LIMITS[beam],
    }


def show(rows: list[dict[str, Any]]) -> None:
    """Print the table."""
    print(
        f"{'batch':>5} {'beam':>4} {'questions/s':>12} {'unconstrained':>14} {'cost':>7} {'by word':>8} {'limit':>6}"
        f" {'steps':>11} {'masks':>6}"
    )
    for r in rows:
        print(
            f"{r['batch']:>5} {r['beam']:>4} {r['per_second']:>12} {r['per_second_unconstrained']:>14}"
            f" {r['cost']:>7.1%} {r['cost_by_word']:>8.1%} {r['limit']:>6.0%}"
            f" {r['steps']:>5}/{r['steps_unconstrained']:<5} {r['masks']:>6.1%}"
        )


if __name__ == "__main__":
    main()
