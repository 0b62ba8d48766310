"""`querent serve` while somebody's own query would run for half a minute in one function."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from querent.data.databases import query_process
from querent.serving.roles import TokenRole

pytest.importorskip("uvicorn", reason="pip install '.[serve]'")

SLOW = "SELECT instr(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || 'x')"
SERVE = "from querent.commands.cli import main; from querent.serving import app; app._GRACE = 1; main()"
ORDERS = "how many orders are there?"


def caller(address: str) -> Callable[..., Any]:
    """Return what sends a body to a path of a server and returns its answer, None of a server that has ended."""

    def call(path: str, **body: Any) -> Any:
        asked = Request(f"{address}{path}", json.dumps(body).encode(), {"content-type": "application/json"})
        try:
            with urlopen(asked, timeout=60) as response:
                return json.load(response)
        except HTTPError as error:
            return json.load(error)
        except OSError:
            return None

    return call


@pytest.mark.parametrize("way", ["correct", "feedback"])
def test_others_are_answered_meanwhile(
    served: Callable[[Any], str],
    application: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
) -> None:
    monkeypatch.setattr(query_process, "_GRACE", 0.2)
    roles = (TokenRole("everybody", feedback=tmp_path / "feedback.jsonl"),)
    call = caller(served(application("shop", roles=roles, query_seconds=2)))
    with ThreadPoolExecutor(1) as other:
        conversation = call("ask", question=ORDERS)["conversation"]
        body: dict[str, Any] = {"conversation": conversation, "sql": SLOW}
        if way == "feedback":
            conversation["turns"][-1]["sql"] = SLOW
            body = {"conversation": conversation, "verdict": "right"}
        slow = other.submit(call, way, **body)
        time.sleep(0.5)
        for _ in range(2):
            assert call("ask", question=ORDERS)["answer"]["rows"] == [[35]]
        assert not slow.done()
        assert slow.result(timeout=20)["error"]["problem"] == "the query took longer than 2 s"
        assert call("correct", conversation=conversation, sql="SELECT 7")["answer"]["rows"] == [[7]]


def test_sigterm_ends_it_and_the_query(tmp_path: Path) -> None:
    options = ["--port", "0", "--query-timeout", "60", "--feedback", str(tmp_path / "feedback.jsonl")]
    command = [sys.executable, "-c", SERVE, "serve", "shop", *options]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running,
        ThreadPoolExecutor(1) as other,
    ):
        try:
            assert running.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:\d+/", running.stdout.readline())
            assert found
            call = caller(found[0])
            conversation = call("ask", question=ORDERS)["conversation"]
            slow = other.submit(call, "correct", conversation=conversation, sql=SLOW)
            time.sleep(0.5)
            children = Path(f"/proc/{running.pid}/task")
            begun = {int(one) for file in children.glob("*/children") for one in file.read_text().split()}
            running.send_signal(signal.SIGTERM)
            running.wait(15)
            assert slow.result(timeout=5) is None
            assert not any(Path(f"/proc/{one}").exists() for one in begun)
            assert begun or not children.exists()
            assert os.getpid() not in begun
        finally:
            running.kill()
