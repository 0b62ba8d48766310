"""`querent serve`: processes that share a socket and a network, and end when they should."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from cases import table
from typer.testing import CliRunner

TOKEN = "a-token-that-nobody-guesses"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are forked")


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Return the command with two workers, and its port."""
    pytest.importorskip("uvicorn", reason="pip install '.[serve]'")
    command = [
        sys.executable,
        "-c",
        "from querent.commands.cli import main; main()",
        "serve",
        "shop",
        "--port",
        "0",
        "--workers",
        "2",
    ]
    with subprocess.Popen(
        command, env={**os.environ, "QUERENT_TOKEN": TOKEN}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        told = running.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", told)
        assert found, told
        yield running, int(found[1])
        running.kill()


def call(port: int, path: str, body: Any = None, token: str = TOKEN) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    with urlopen(Request(f"http://127.0.0.1:{port}{path}", data, headers), timeout=30) as response:
        return json.load(response)


def workers(running: subprocess.Popen[str]) -> set[int]:
    """Return the processes that answer."""
    return {int(one) for one in Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()}


def until(what: Callable[[], bool]) -> bool:
    """Wait up to half a minute until something holds."""
    end = time.monotonic() + 30
    while not (held := what()) and time.monotonic() < end:
        time.sleep(0.05)
    return held


def test_it_answers_whoever_has_the_token(served: tuple[subprocess.Popen[str], int]) -> None:
    _, port = served
    assert call(port, "/ask", {"question": "how many orders are there?"})["answer"]["rows"] == [[35]]
    with pytest.raises(HTTPError) as refused:
        call(port, "/about", token="another-token-altogether")
    assert refused.value.code == 401


def test_a_body_of_100_mb_is_refused_before_it_comes(served: tuple[subprocess.Popen[str], int]) -> None:
    _, port = served
    head = f"POST /ask HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(f"{head}content-length: {100 * 2**20}\r\n\r\n".encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 413")
        while connection.recv(4096):  # the server ends the connection, and reads none of the body
            pass


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_a_worker_that_ends_is_begun_again_and_none_outlives_the_first(
    served: tuple[subprocess.Popen[str], int],
) -> None:
    running, port = served
    before = workers(running)
    assert len(before) == 2
    os.kill(min(before), signal.SIGKILL)
    assert until(lambda: len(workers(running)) == 2 and workers(running) != before)
    assert call(port, "/ask", {"question": "how many orders are there?"})["answer"]["rows"] == [[35]]
    now = workers(running)
    running.kill()
    running.wait()
    assert until(lambda: not any(Path(f"/proc/{one}").exists() and not _ended(one) for one in now))


def _ended(process: int) -> bool:
    """Say whether a process is dead, and only waits to be asked for its end."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize(("arguments", "told"), table(__file__, "what_cannot_be_served_is_said_in_a_line"))
def test_what_cannot_be_served_is_said_in_a_line(arguments: list[str], told: str, tmp_path: Path) -> None:
    from querent.commands.cli import app

    if "role.toml" in arguments:
        arguments[-1] = str(tmp_path / "role.toml")
        (tmp_path / "role.toml").write_text('[tables]\nwhole = ["orders"]\n', encoding="utf-8")
    environment = {"COLUMNS": "500", "NO_COLOR": "1"}
    environment |= dict(one.split("=") for one in arguments if one.startswith("QUERENT_TOKEN"))
    done = CliRunner().invoke(app, ["serve", *(one for one in arguments if "TOKEN" not in one)], env=environment)
    assert done.exit_code == 2
    assert told in done.output
    assert done.output.count("\n") == 1


def test_a_port_that_is_taken_is_said_to_be() -> None:
    from querent import InputError
    from querent.serving.processes import serve
    from querent.serving.settings import ServingSettings

    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = ServingSettings({"shop": "shop"}, port=taken.getsockname()[1])
        with pytest.raises(InputError, match=r"cannot listen on 127\.0\.0\.1"):
            serve(settings)


def test_databases_have_names(tmp_path: Path) -> None:
    from querent.serving.settings import databases_named

    file = tmp_path / "of=lakes.sqlite"
    file.touch()
    told = [str(file), "goods=shop", "postgresql+psycopg://me:secret@host/sales?sslmode=require"]
    assert list(databases_named(told)) == ["of=lakes", "goods", "sales"]
