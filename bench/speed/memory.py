"""The memory of the processes of `querent serve` in MB, with one, two and four workers; what they share counts once."""

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

__all__ = ["measure", "served"]

QUESTION = "how many customers ordered something in 2023?"
WORKERS = (1, 2, 4)
ASKED = 10
"""Questions for each process, so that each has most likely answered some."""


def measure(_: argparse.Namespace) -> dict[str, Any]:
    """Print and return the proportional set sizes (PSS) of servers of the shop."""
    figures: dict[str, int] = {}
    for count in WORKERS:
        with served("--workers", str(count)) as (server, address):
            body = json.dumps({"question": QUESTION}).encode()
            for _ in range(ASKED * count):
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
