"""Measures of this tree: the memory of `querent serve`, and the time of a mask of tokens."""

from __future__ import annotations

import argparse
import gc
import json
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.request import Request, urlopen

import numpy as np
from rich.progress import track

from querent.data.domains.collection import read_collection
from querent.grammar import TokenConstraint, TokenSpellings

QUESTION = "how many customers ordered something in 2023?"
WORKERS = (1, 2, 4)
ASKED = 10  # questions for each process, so that each has most likely answered some


def memory(_: argparse.Namespace) -> dict[str, Any]:
    """Print and return the proportional set sizes (PSS) of servers of the shop."""
    figures: dict[str, int] = {}
    for count in WORKERS:
        with served("--workers", str(count), "--timeout", "120") as (server, address):
            body = json.dumps({"question": QUESTION}).encode()
            for _asked in range(ASKED * count):
                with urlopen(Request(f"{address}ask", body, {"content-type": "application/json"})) as response:
                    response.read()
            children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
            figures[f"{count} workers"] = round(sum(map(_pss, (server, *map(int, children)))))
    print(json.dumps(figures, indent=1))
    return {"question": QUESTION, "MB of all processes": figures}


def _pss(process: int) -> float:
    found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


@contextmanager
def served(*options: str) -> Generator[tuple[int, str]]:
    """Yield the process and the address of a server of the shop, begun with some more options."""
    command = [sys.executable, "-c", "from querent.commands.cli import main; main()", "serve", "shop", "--port", "0"]
    quiet: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen([*command, *options], **quiet) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+/", server.stdout.readline())
        if found is None:
            sys.exit("the server does not start")
        try:
            yield server.pid, found[0]
        finally:
            server.send_signal(signal.SIGTERM)


def masks(options: argparse.Namespace) -> dict[str, Any]:
    """Print and return the CPU milliseconds of masks along gold queries, each database's constraint made anew.

    The process has called `gc.freeze()` after the tokenizer was loaded, as docs/constrain-your-model.md advises.
    """
    from transformers import AutoTokenizer

    collection = read_collection(options.collection)
    pairs = random.Random(options.seed).sample(list(collection.pairs), options.queries)
    tokenizer: Any = AutoTokenizer.from_pretrained(options.tokenizer)
    spellings, made = TokenSpellings.of_tokenizer(tokenizer), dict[str, TokenConstraint]()
    times: dict[str, list[float]] = {"schema": [], "mask": [], "step": []}
    gc.freeze()
    refused = 0
    for pair in track(pairs, "masks"):
        if pair.database not in made:
            schema = collection.schemas[pair.database]
            make = partial(TokenConstraint, schema, spellings, dialect="sqlite")
            made[pair.database] = _timed(times["schema"], make)
        state = made[pair.database].start()
        for token in [*tokenizer.encode(pair.sql, add_special_tokens=False), tokenizer.eos_token_id]:
            if not _timed(times["mask"], state.allowed)[token]:
                refused += 1
                break
            state = _timed(times["step"], partial(state.advance, token))
    found = {what: _figures(some) for what, some in times.items()} | {"queries refused": refused}
    print(json.dumps(found))
    return {"tokens": len(tokenizer), "queries": options.queries, "seed": options.seed, "querent": found}


_T = TypeVar("_T")


def _timed(times: list[float], make: Callable[[], _T]) -> _T:
    """Return what is made, with the CPU milliseconds noted that it took."""
    begun = time.process_time()
    made = make()
    times.append(1e3 * (time.process_time() - begun))
    return made


def _figures(times: list[float]) -> dict[str, float]:
    """Return count, mean and percentiles of some times."""
    percentiles = {f"p{p}": round(float(np.percentile(times, p)), 3) for p in (50, 90, 99)}
    return {"count": len(times), "mean": round(float(np.mean(times)), 3)} | percentiles | {"most": round(max(times), 1)}
