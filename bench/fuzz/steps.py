"""Measure what one step of the constraint costs: a mask and the word after it, for many hypotheses.

    python bench/fuzz/steps.py --domain plant text2sql:../shared/data/text2sql/geography

160 hypotheses (batch 32 times beam 5) walk side by side through a domain's vocabulary, each word drawn from its mask,
at level grammar and at level runs in turn; one that ends makes room for the next. A step is a mask and an advance of
each; its processor time is divided by the hypotheses, and the median over the steps is told. `random` draws words
evenly: nearly every state is new then, since nothing is as varied as noise. `gold` follows the domain's own queries, as
a trained network mostly does. All walk twice, since a constraint remembers the states that it has been in. The first
walk of a level is left out, so that no import is timed. Also told: how long it takes to build the constraint of a
made-up schema of 100 tables with its first mask, and what memory the process needed.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import resource
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from walk_results import RESULTS, command
from walk_schemas import random_schema
from walk_words import vocabulary as all_words

from querent import load_domain
from querent.data.errors import QuerentError
from querent.grammar import EOS, Constraint, Grammar, Vocabulary

LEVELS = ("grammar", "runs")
LIMITS = {"grammar": 1.5, "runs": 10.0}
"""Microseconds that a step may cost a hypothesis, as the median over random walks."""

Draw = Callable[[int, np.ndarray], int]


def main() -> None:
    """Walk through all domains, show the medians, and keep them."""
    options = arguments()
    rows = [row for spec in options.domain for row in of_domain(spec, options)]
    built = {dialect: build(dialect) for dialect in ("sqlite", "mysql", "postgres")}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    show(rows)
    print(f"100 tables, seconds to the first mask: {built}; {memory} MiB")
    result = {
        "command": command(),
        "seed": options.seed,
        "machine": f"{platform.machine()}, {platform.system()}, CPU, one thread",
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "hypotheses": options.hypotheses,
        "rows": rows,
        "seconds_for_100_tables": built,
        "memory_mib": memory,
    }
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", nargs="+", default=["plant"], help="domains whose words are walked through")
    parser.add_argument("--hypotheses", type=int, default=160)
    parser.add_argument("--batches", type=int, default=3, help="of hypotheses")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS / "steps.json")
    return parser.parse_args()


def of_domain(spec: str, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield a row for each level and way of walking."""
    domain = load_domain(spec)
    grammar = Grammar.for_schema(domain.schema, dialect=domain.dialect)
    queries = [sql for sql in dict.fromkeys(e.slotted for e in domain.examples) if readable(grammar, sql)]
    words = Vocabulary.build(grammar, queries)
    gold = [words.encode(sql) for sql in queries]

    def chosen(way: str, seed: int, count: int) -> Iterator[Draw]:
        for n in range(count):
            yield uniform(seed + n) if way == "random" else follow(gold[n % len(gold)])

    for level in LEVELS:
        walk(Constraint(words, level=level), [uniform(0)], 1)  # imports and tables
        for way in ("random", "gold"):
            constraint = Constraint(words, level=level)
            count = options.hypotheses * options.batches
            first, again = (
                walk(constraint, list(chosen(way, options.seed, count)), options.hypotheses) for _ in range(2)
            )
            yield {
                "domain": domain.name,
                "words": len(words),
                "level": level,
                "way": way,
                "hypotheses": count,
                "first": round(statistics.median(first), 2),
                "first_mean": round(statistics.mean(first), 2),
                "again": round(statistics.median(again), 2),
                "limit": LIMITS[level],
            }


def readable(grammar: Grammar, sql: str) -> bool:
    """Say whether the grammar has all words of a query."""
    with suppress(QuerentError):
        grammar.tokenize(sql)
        return True
    return False


def uniform(seed: int) -> Draw:
    """Return how a word is drawn evenly from a mask."""
    rng = random.Random(seed)
    return lambda _, allowed: int(rng.choice(allowed))


def follow(ids: Sequence[int]) -> Draw:
    """Return how a query is followed as long as it is admitted, and then ended by any words."""
    return lambda place, allowed: ids[place] if place < len(ids) and ids[place] in allowed else int(allowed[-1])


def walk(constraint: Constraint, draws: Sequence[Draw], hypotheses: int) -> list[float]:
    """Return the microseconds that each step of each hypothesis cost, where so many of them walk at a time.

    One that ends makes room for the next, so that as many walk side by side to the last.
    """
    costs: list[float] = []
    waiting = iter(draws)
    going = [(draw, 0) for draw in islice(waiting, hypotheses)]
    states = [constraint.start() for _ in going]
    while len(going) == min(hypotheses, len(draws)):
        began = time.process_time()
        masks = [state.allowed() for state in states]
        seconds = time.process_time() - began
        chosen = [draw(place, np.flatnonzero(mask)) for (draw, place), mask in zip(going, masks, strict=True)]
        rows = [row for row, word in enumerate(chosen) if word != EOS]
        began = time.process_time()
        states = [states[row].advance(chosen[row]) for row in rows]
        seconds += time.process_time() - began
        costs += [1e6 * seconds / len(going)] * len(going)
        fresh = [(draw, 0) for draw in islice(waiting, len(going) - len(rows))]
        going = [(going[row][0], going[row][1] + 1) for row in rows] + fresh
        states += [constraint.start() for _ in fresh]
    return costs


def build(dialect: str) -> float:
    """Return the seconds that the constraint of a made-up schema of 100 tables takes, its first mask included."""
    rng = random.Random(dialect)
    schema = random_schema(rng, dialect, tables=100)
    words = all_words(rng, Grammar.for_schema(schema, dialect=dialect))
    began = time.perf_counter()
    Constraint(words).start().allowed()
    return round(time.perf_counter() - began, 3)


def show(rows: Sequence[dict[str, Any]]) -> None:
    """Print the table."""
    print("microseconds a step and hypothesis, medians")
    print(f"{'domain':12} {'words':>5} {'level':8} {'way':7} {'first':>8} {'(mean)':>8} {'again':>8} {'limit':>6}")
    for r in rows:
        print(
            f"{r['domain']:12} {r['words']:>5} {r['level']:8} {r['way']:7} {r['first']:>8} {r['first_mean']:>8}"
            f" {r['again']:>8} {r['limit']:>6}"
        )


if __name__ == "__main__":
    main()
