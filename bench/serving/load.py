"""Measure a server under load: how long people wait, what fails, whether memory grows, whether a kill loses feedback.

    python bench/serving/load.py --out bench/results/load.json

Each user holds a conversation with the shipped shop: asks, thinks a while, asks what leans on it, and says of some
answers that they are right. Where a server is busy (429), a user comes again as told. Half-way one process of the
server is killed; what it was answering then is asked again. Times are those of whole requests, waiting included.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from memory import children, pss

sys.path.insert(0, str(Path(__file__).parents[1] / "accuracy"))
from result_files import save

from querent.data.feedback import Feedback

DIALOGUES = (
    ("how many orders are there?", "only those of 2023", "by city"),
    ("which customers live in Oslo?", "how many orders did they place?"),
    ("what is the average unit price of products?", "by category", "which is the highest?"),
    ("show the names of all suppliers", "only those in Norway", "how many are they?"),
    ("which payments were made by card?", "what is their total amount?"),
    ("哪些客户住在Oslo?", "他们有几个?"),
    ("how many products are out of stock?", "show their names"),
    ("total payments per method", "sort them by the total"),
)


@dataclass
class Seen:
    """What all users have seen: seconds of each request that came back, what became of it, what was kept."""

    seconds: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    ends: Counter[str] = field(default_factory=Counter[str])
    judged: set[str] = field(default_factory=set[str])


def main() -> None:
    """Start a server, let people ask, and tell what they saw."""
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "feedback.jsonl"
        serve = [
            str(Path(sys.executable).with_name("querent")),
            "serve",
            "shop",
            "--port",
            "0",
            "--feedback",
            str(kept),
        ]
        serve += ["--workers", str(options.workers), "--waiting", str(options.users)]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            try:
                assert server.stdout is not None
                address = re.search(r"http://\S+", server.stdout.readline() or "")
                assert address is not None, "the server did not start"
                seen, memory = asyncio.run(_used(address[0], server.pid, options))
            finally:
                server.terminate()
        found = {one.question for one in Feedback(kept).standing()}
    result = {"figures": figures(seen, memory, options) | {"feedback lost": len(seen.judged - found)}}
    print(json.dumps(result, indent=1))
    if options.out:
        save(options.out, result)


async def _used(address: str, server: int, options: argparse.Namespace) -> tuple[Seen, list[dict[int, float]]]:
    """Let people ask until time is over; return what they saw, and MiB of each process every half minute."""
    seen, memory, until = Seen(), list[dict[int, float]](), time.monotonic() + options.seconds
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=address, timeout=120, limits=limits) as client:
        users = [asyncio.create_task(_user(client, n, seen, until, options)) for n in range(options.users)]
        while time.monotonic() < until:
            memory.append({one: pss(one) for one in (server, *children(server))})
            if options.kill and len(memory) == max(2, options.seconds // 60):
                os.kill(children(server)[0], signal.SIGKILL)
            await asyncio.sleep(min(30, options.seconds / 4))
        await asyncio.gather(*users)
        memory.append({one: pss(one) for one in (server, *children(server))})
    return seen, memory


async def _user(client: httpx.AsyncClient, number: int, seen: Seen, until: float, options: argparse.Namespace) -> None:
    draw = random.Random(f"{options.seed}/{number}")
    await asyncio.sleep(draw.uniform(0, options.think))
    while time.monotonic() < until:
        conversation: Any = None
        for turn in draw.choice(DIALOGUES):
            told = await _asked(client, "/ask", {"question": turn, "conversation": conversation}, seen)
            conversation = told["conversation"] if told else conversation
            if told and conversation["turns"] and draw.random() < 0.1:
                kept = await _asked(client, "/feedback", {"conversation": conversation, "verdict": "right"}, seen)
                seen.judged |= {kept["question"]} if kept else set()
            await asyncio.sleep(draw.expovariate(1 / options.think))
            if time.monotonic() > until:
                return


async def _asked(client: httpx.AsyncClient, path: str, body: dict[str, Any], seen: Seen) -> Any:
    """Ask until there is an answer, and return it; None where it is an error."""
    begun = time.monotonic()
    for _ in range(20):
        try:
            told = await client.post(path, json={key: value for key, value in body.items() if value is not None})
        except httpx.TransportError:
            seen.ends["cut off"] += 1
            await asyncio.sleep(0.5)
            continue
        if told.status_code == 429:
            seen.ends["busy"] += 1
            await asyncio.sleep(int(told.headers["retry-after"]))
            continue
        seen.ends["answered" if told.status_code == 200 else f"error {told.status_code}"] += 1
        seen.seconds.append((path, time.monotonic() - begun))
        return told.json() if told.status_code == 200 else None
    seen.ends["given up"] += 1
    return None


def figures(seen: Seen, memory: Sequence[dict[int, float]], options: argparse.Namespace) -> dict[str, Any]:
    """Return what the users saw, and the memory of each process at the start, in the middle and at the end of it."""
    lives: dict[int, list[int]] = {}
    for process, size in (one for sample in memory for one in sample.items()):
        lives.setdefault(process, []).append(round(size))
    waits = sorted(seconds for path, seconds in seen.seconds if path == "/ask")
    return {
        "users": options.users,
        "seconds": options.seconds,
        "workers": options.workers,
        "questions": len(waits),
        "s, p50": round(statistics.median(waits), 2),
        "s, p95": round(waits[int(0.95 * len(waits))], 2),
        "s, longest": round(waits[-1], 2),
        "ends": dict(seen.ends),
        "errors": sum(count for end, count in seen.ends.items() if end.startswith(("error", "given"))),
        "MiB of all processes, shared parts once": [round(sum(sample.values())) for sample in memory],
        "MiB of each, the first begins the others": [[one[0], one[len(one) // 2], one[-1]] for one in lives.values()],
        "feedback kept": len(seen.judged),
    }


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--think", type=float, default=8.0, help="seconds between two questions of a user, on average")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kill", action=argparse.BooleanOptionalAction, default=True, help="a process, half-way")
    parser.add_argument("--out", type=Path, default=None, help="JSON of the figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
