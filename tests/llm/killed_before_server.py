"""Kill `querent predict --llm` on its way, with a server that fails every tenth call, and give the same command again.

Run as ``python killed_before_server.py 1000`` it asks a thousand questions, in a folder of its own, and tells how long
that took; the tests ask fewer.
"""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from loopback import Loopback, Reply, broken, chat, cut_short, status
from scripted import fenced

__all__ = ["Ended", "killed_and_given_again"]

MAIN = "from querent.cli import main; main()"
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
    """Answers a question with a query that no other has; every tenth call fails, each time in another way.

    Attributes:
        answered: how often each question was.
        failed: calls.
    """

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


@dataclass(frozen=True)
class Ended:
    """What became of two runs.

    Attributes:
        questions: as they were asked, in order; the n-th, from 0, asks for the number n.
        kept: the whole lines that the killed run left.
        whole: the file of records at the end.
        before: how often the server had answered each question when the first run was dead.
        after: how often the second run had it answer each.
        failed: calls.
    """

    questions: list[str]
    kept: bytes
    whole: bytes
    before: Counter[int]
    after: Counter[int]
    failed: int


def killed_and_given_again(folder: Path, questions: int, *options: str) -> Ended:
    """Run the command until four tenths of the records are there, kill it, and run it again to its end."""
    asked, out, server = [f"is there a number {n}?" for n in range(questions)], folder / "out.jsonl", Server()
    (folder / "questions.txt").write_text("\n".join(asked) + "\n", encoding="utf-8")
    with closing(sqlite3.connect(folder / "numbers.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE number (n INTEGER)")
        connection.executemany("INSERT INTO number VALUES (?)", ((n,) for n in range(questions)))
    with Loopback(answer=server) as loopback:
        command = [sys.executable, "-c", MAIN, "predict", "questions.txt", "--database", "numbers.sqlite"]
        command += ["--llm", f"{loopback.url}#m", "--out", out.name, *options]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as first:
            while not out.exists() or out.read_bytes().count(b"\n") < 0.4 * questions:
                if first.poll() is not None:
                    raise RuntimeError("it ended before it could be killed")
                time.sleep(0.01)
            first.kill()
        before, left = Counter(server.answered), out.read_bytes()
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = server.answered - before
    return Ended(asked, left[: left.rfind(b"\n") + 1], out.read_bytes(), before, after, server.failed)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        begun = time.perf_counter()
        ended = killed_and_given_again(Path(place), int(sys.argv[1]), *sys.argv[2:])
        print(f"{len(ended.questions)} questions in {time.perf_counter() - begun:.1f} s, {ended.failed} calls failed")
        print(f"{len(ended.kept.splitlines())} records at the kill, {len(ended.whole.splitlines())} at the end")
        twice = ended.before & ended.after
        print(f"answered twice, since their record was not yet written at the kill: {twice.total()}")
