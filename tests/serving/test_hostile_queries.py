"""`querent serve` while somebody's own query would run for half a minute in one function."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("uvicorn", reason="needs querent[serve]")

SLOW = "SELECT instr(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || 'x')"
ORDERS = "how many orders are there?"


@contextmanager
def serving(seconds: int, feedback: Path) -> Generator[tuple[subprocess.Popen[str], Callable[..., Any]]]:
    """Serve the shop in one process, whose queries may take so many seconds; return it and what calls it."""
    options = ["--port", "0", "--query-timeout", str(seconds), "--feedback", str(feedback)]
    command = [sys.executable, "-c", "from querent.cli import main; main()", "serve", "shop", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        assert running.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", running.stdout.readline())
        assert found

        def call(path: str, **body: Any) -> Any:
            head = {"content-type": "application/json"}
            asked = Request(f"http://127.0.0.1:{found[1]}/{path}", json.dumps(body).encode(), head)
            try:
                with urlopen(asked, timeout=60) as response:
                    return json.load(response)
            except HTTPError as error:
                return json.load(error)
            except OSError:  # the server has ended
                return None

        try:
            yield running, call
        finally:
            running.kill()


@pytest.mark.parametrize("way", ["correct", "feedback"])
def test_others_are_answered_meanwhile(tmp_path: Path, way: str) -> None:
    with serving(4, tmp_path / "feedback.jsonl") as (_, call), ThreadPoolExecutor(1) as other:
        conversation = call("ask", question=ORDERS)["conversation"]
        body: dict[str, Any] = {"conversation": conversation, "sql": SLOW}
        if way == "feedback":
            conversation["turns"][-1]["sql"] = SLOW
            body = {"conversation": conversation, "verdict": "right"}
        slow = other.submit(call, way, **body)
        time.sleep(1)
        for _ in range(3):
            assert call("ask", question=ORDERS)["answer"]["rows"] == [[35]]
        assert not slow.done()
        assert slow.result(timeout=20)["error"]["problem"] == "the query took longer than 4 s"
        assert call("correct", conversation=conversation, sql="SELECT 7")["answer"]["rows"] == [[7]]


def test_sigterm_ends_it_and_the_query(tmp_path: Path) -> None:
    with serving(60, tmp_path / "feedback.jsonl") as (running, call), ThreadPoolExecutor(1) as other:
        conversation = call("ask", question=ORDERS)["conversation"]
        slow = other.submit(call, "correct", conversation=conversation, sql=SLOW)
        time.sleep(1)
        children = Path(f"/proc/{running.pid}/task")
        begun = {int(one) for file in children.glob("*/children") for one in file.read_text().split()}
        running.send_signal(signal.SIGTERM)
        running.wait(15)
        assert slow.result(timeout=5) is None
        assert not any(Path(f"/proc/{one}").exists() for one in begun)
        assert begun or not children.exists()
        assert os.getpid() not in begun
