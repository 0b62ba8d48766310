"""One system measured: walks replayed twice, new schemas, memory, and what comes of random outputs."""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import spider
from gold_walks import walks
from systems import BUDGET, SYSTEMS, Run

__all__ = ["measured"]

ENDING = 0.25
"""How often a random output ends where it may; evenly drawn, the end would be one token among hundreds."""


def measured(name: str, tokenizer: Any, options: argparse.Namespace) -> dict[str, Any]:
    """Return everything that is measured of a system; times in microseconds, memory in MiB."""
    drawn = walks(tokenizer, options.data, databases=options.databases, steps=options.steps, seed=options.seed)
    names = list(dict.fromkeys(database for database, _ in drawn))
    import torch  # some systems load it, and its memory is nobody's own

    torch.set_num_threads(1)
    before, began = resident(), time.perf_counter()
    system = SYSTEMS[name](tokenizer, options.grid_grammar)
    started = time.perf_counter() - began
    schemas = {database: spider.schema_of(options.data, database) for database in names}
    began = time.perf_counter()
    sources = {database: system.source(schema) for database, schema in schemas.items()}
    sourcing = (time.perf_counter() - began) / len(names)
    system.prepare(sources[names[0]])().mask()  # what is loaded once is no schema's cost
    news: list[float] = []
    begins: dict[str, Callable[[], Run]] = {}
    for database in names:
        began = time.perf_counter_ns()
        begins[database] = system.prepare(sources[database])
        begins[database]().mask()
        news.append((time.perf_counter_ns() - began) / 1000)
    passes = [
        [{"database": name} | replayed(begins[name], tokens, tokenizer.eos_token_id) for name, tokens in drawn]
        for _ in range(2)
    ]
    memory = resident() - before
    said = outputs(begins, tokenizer, options)
    told = {"started": started, "sourcing": sourcing, "news": news, "memory": memory, "outputs": said}
    return told | {"first": passes[0], "again": passes[1]}


def replayed(begin: Callable[[], Run], tokens: list[int], end: int) -> dict[str, Any]:
    """Return what the mask and the advance of each step took of the processor, up to a token that is refused."""
    run, masks, advances, kinds = begin(), list[float](), list[float](), list[str]()
    remembered = getattr(run, "remembered", tuple[int, int])  # ours alone tells
    for step, token in enumerate([*tokens, end]):
        before = remembered()
        began = time.thread_time_ns()
        run.mask()
        ended = time.thread_time_ns()
        masks.append((ended - began) / 1000)
        kinds.append(kind_of(before, remembered()))
        if not run.allowed()[token]:
            return {"refused": step, "mask": masks, "advance": advances, "kinds": kinds}
        began = time.thread_time_ns()
        run.advance(token)
        advances.append((time.thread_time_ns() - began) / 1000)
    return {"refused": None, "mask": masks, "advance": advances, "kinds": kinds}


def kind_of(before: Sequence[int], after: Sequence[int]) -> str:
    """Tell a step by what it found: nothing, a mask alone, or what words may come and cost, too; "" if untold."""
    if not before:
        return ""
    if before[0] != after[0]:
        return "new word state"
    return "known state" if before == after else "new state within a word"


def outputs(begins: dict[str, Callable[[], Run]], tokenizer: Any, options: argparse.Namespace) -> dict[str, int]:
    """Count what becomes of random outputs, as many on each database."""
    told: Counter[str] = Counter(dict.fromkeys(("outputs", "ended", "run", "ended and run", "time-outs", "failed"), 0))
    for number in range(options.outputs):
        database = list(begins)[number % len(begins)]
        try:
            tokens, ended = drawn_output(
                begins[database](), tokenizer.eos_token_id, random.Random(f"{options.seed} {number}")
            )
        except Exception as error:  # whatever is raised, the output has no text
            told.update(outputs=1, failed=1)
            print(f"{database}, output {number}: {type(error).__name__}: {error}", flush=True)
            continue
        found = spider.answer(options.data, database, tokenizer.decode(tokens, skip_special_tokens=True), timeout=2)
        late = isinstance(found, str) and "longer than" in found
        runs = late or not isinstance(found, str)
        told.update({"outputs": 1, "ended": ended, "run": runs, "ended and run": ended and runs, "time-outs": late})
    return dict(told)


def drawn_output(run: Run, end: int, chance: random.Random) -> tuple[list[int], bool]:
    """Draw tokens evenly from each mask, and say whether the output ended within its tokens.

    Raises:
        ValueError: a mask is empty.
    """
    tokens: list[int] = []
    for _ in range(BUDGET):
        run.mask()
        allowed = np.flatnonzero(run.allowed())
        if not allowed.size:
            raise ValueError("the mask is empty")
        others = allowed[allowed != end]
        if not others.size or (others.size < allowed.size and chance.random() < ENDING):
            return tokens, True
        tokens.append(int(chance.choice(others)))
        run.advance(tokens[-1])
    return tokens, False


def resident() -> float:
    """Return the MiB of memory that this process has now; at most, where the system does not say."""
    told = Path("/proc/self/status")
    if not told.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line = next(line for line in told.read_text(encoding="utf-8").splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024
