"""Measure what the processes of `querent serve` hold in memory, what they share counted once (PSS).

python bench/serving/memory.py --out bench/results/serving-memory.json
"""

from __future__ import annotations

import argparse
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

sys.path.insert(0, str(Path(__file__).parents[1] / "accuracy"))
from result_files import save

QUESTION = "how many customers ordered something in 2023?"
WORKERS = (1, 2, 4)
ASKED = 10
"""Questions for each process, so that each has most likely answered some."""


def main() -> None:
    """Measure servers of one, two and four processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    out: Path = parser.parse_args().out
    figures = {f"{count} workers": measured(count) for count in WORKERS}
    print(json.dumps(figures, indent=1))
    save(out, {"question": QUESTION, "MB of all processes": figures})


def measured(count: int) -> int:
    """Return the MB of a server with so many processes that answer."""
    with served("--workers", str(count)) as (server, address):
        for _ in range(ASKED * count):
            ask(address)
        return round(sum(pss(process) for process in (server, *children(server))))


@contextmanager
def served(*options: str) -> Iterator[tuple[int, str]]:
    """Yield the process and the address of a server of the shop, begun with some more options."""
    command = [sys.executable, "-c", "from querent.cli import main; main()", "serve", "shop", "--port", "0"]
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


def ask(address: str) -> None:
    """Ask once."""
    body = json.dumps({"question": QUESTION}).encode()
    with urlopen(Request(f"{address}ask", body, {"content-type": "application/json"})) as response:
        response.read()


def children(process: int) -> list[int]:
    """Return the processes that one has begun."""
    return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def pss(process: int) -> float:
    """Return the memory of a process in MB, what it shares divided among all that share it."""
    found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


if __name__ == "__main__":
    main()
