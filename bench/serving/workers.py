"""Measure `querent serve`: what its processes hold in memory, questions a second, and how soon it says that it lives.

python bench/serving/workers.py --out bench/results/serving.json
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

QUESTION = "how many customers ordered something in 2023?"
ASKED, ASKERS = 60, 4


def main() -> None:
    """Measure one, two and four processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    out: Path = parser.parse_args().out
    figures = {str(count): measured(count) for count in (1, 2, 4)}
    told = {
        "command": f"python bench/serving/workers.py --out {out}",
        "date": date.today().isoformat(),
        "machine": f"{platform.machine()}, {platform.system()}, {os.cpu_count()} cores",
        "versions": {"python": platform.python_version(), **{name: version(name) for name in ("querent", "uvicorn")}},
        "question": QUESTION,
        "workers": figures,
    }
    out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(figures, indent=1))


def measured(count: int) -> dict[str, Any]:
    """Return the figures of a server with so many processes."""
    with served(count) as (server, address):
        for _ in range(10 * count):
            ask(address)
        memory = [pss(process) for process in (server, *children(server))]
        living: list[float] = []
        done = threading.Event()
        looking = threading.Thread(target=look, args=(address, done, living))
        looking.start()
        begun = time.monotonic()
        with ThreadPoolExecutor(ASKERS) as pool:
            list(pool.map(lambda _: ask(address), range(ASKED)))
        rate = ASKED / (time.monotonic() - begun)
        done.set()
        looking.join()
    return {
        "PSS in MB, all processes": round(sum(memory)),
        "questions a second": round(rate, 1),
        "median ms of /health meanwhile": round(1000 * statistics.median(living)),
    }


@contextmanager
def served(count: int) -> Iterator[tuple[int, str]]:
    """Yield the process and the address of a server of the shop."""
    command = [sys.executable, "-c", "from querent.cli import main; main()", "serve", "shop", "--port", "0"]
    quiet: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen([*command, "--workers", str(count), "--waiting", str(ASKERS)], **quiet) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+/", server.stdout.readline())
        if found is None:
            sys.exit("the server does not start")
        try:
            yield server.pid, found[0]
        finally:
            server.send_signal(signal.SIGTERM)


def ask(address: str) -> None:
    """Ask once."""
    body = json.dumps({"question": QUESTION}).encode()
    with urlopen(Request(f"{address}ask", body, {"content-type": "application/json"})) as response:
        response.read()


def look(address: str, done: threading.Event, living: list[float]) -> None:
    """Ask again and again whether the server lives, and note the seconds."""
    while not done.wait(0.02):
        begun = time.monotonic()
        with urlopen(f"{address}health") as response:
            response.read()
        living.append(time.monotonic() - begun)


def children(process: int) -> list[int]:
    """Return the processes that one has begun."""
    return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def pss(process: int) -> float:
    """Return the memory of a process in MB, what it shares divided among all that share it."""
    found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


if __name__ == "__main__":
    main()
