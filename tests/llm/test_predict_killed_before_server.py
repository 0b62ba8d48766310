"""`querent predict --llm`, killed on its way, with a server that fails every tenth call: nothing is lost or doubled.

tests/parser/test_predict_killed.py kills it at each point of a record; here questions are under way at a server.
"""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from importlib.util import find_spec
from itertools import count
from typing import Any

import pytest
from loopback import Loopback, Reply, broken, chat, cut_short, status
from scripted import fenced
from typer.testing import CliRunner

from querent.commands.cli import app

pytestmark = pytest.mark.skipif(find_spec("openai") is None, reason="pip install '.[llm]'")
COUNT, JOBS = 60, 4
MAIN = "from querent.commands.cli import main; main()"
SOON = {"Retry_After": "0.01"}
FAULTS = (
    status(500, "out of memory", **SOON),
    status(200, '{"id": "1", "choices": [{"index": 0, "mess'),
    status(429, "slow down", **SOON),
    status(503, "loading", **SOON),
    chat("   "),
    cut_short,
    status(502, "", **SOON),
    broken,
)


class Server:
    """Answers a question with a query that no other has; every tenth call fails, each time in another way."""

    def __init__(self) -> None:
        self.answered: Counter[int] = Counter()
        self.failed = 0
        self._calls = count(1)

    def __call__(self, body: dict[str, Any]) -> Reply:
        if next(self._calls) % 10 == 0:
            self.failed += 1
            return FAULTS[self.failed % len(FAULTS)]
        (number,) = map(int, re.findall(r"number (\d+)", body["messages"][-1]["content"]))
        self.answered[number] += 1
        usage = {"prompt_tokens": 50, "completion_tokens": 12, "total_tokens": 62}
        return chat(fenced(f"SELECT n FROM number WHERE n = {number}"), usage=usage)


def test_nothing_is_lost_and_nothing_doubled(cache, tmp_path, monkeypatch):
    asked, out, server = [f"is there a number {n}?" for n in range(COUNT)], tmp_path / "out.jsonl", Server()
    (tmp_path / "questions.txt").write_text("\n".join(asked) + "\n", encoding="utf-8")
    with closing(sqlite3.connect(tmp_path / "numbers.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE number (n INTEGER)")
        connection.executemany("INSERT INTO number VALUES (?)", ((n,) for n in range(COUNT)))
    with Loopback(answer=server) as loopback:
        command = [sys.executable, "-c", MAIN, "predict", "questions.txt", "--database", "numbers.sqlite"]
        command += ["--llm", f"{loopback.url}#m", "--out", out.name, "--jobs", str(JOBS)]
        with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL) as first:
            while not out.exists() or out.read_bytes().count(b"\n") < 0.4 * COUNT:
                assert first.poll() is None, "it ended before it could be killed"
                time.sleep(0.01)
            first.kill()
        before, left = Counter(server.answered), out.read_bytes()
        monkeypatch.chdir(tmp_path)
        assert CliRunner().invoke(app, command[3:]).exit_code == 0
    kept, after = left.count(b"\n"), server.answered - before
    assert 0.4 * COUNT <= kept < COUNT
    assert out.read_bytes().startswith(left[: left.rfind(b"\n") + 1])
    records = [json.loads(line) for line in out.read_bytes().splitlines()]
    assert [record["id"] for record in records] == [str(n + 1) for n in range(COUNT)]
    assert [record["question"] for record in records] == asked
    assert [record["rows"] for record in records] == [[[n]] for n in range(COUNT)]  # each has its own answer
    assert {(r["status"], len(r["attempts"]), r["prompt_tokens"]) for r in records} == {("ok", 1, 50)}
    assert server.failed >= COUNT / 10
    assert set(after) == set(range(kept, COUNT))  # what has a record is not asked again, the rest is
    assert max(after.values()) == 1
    assert (before & after).total() <= 4 * JOBS  # those that were under way at the kill
