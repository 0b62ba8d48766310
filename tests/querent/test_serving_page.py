"""docs/page.md is followed: its roles are read, its commands answer, its pictures are there."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages import Page

PAGE = Page("page.md")
DOCS = Path(__file__).resolve().parents[2] / "docs"
TOKEN = "a-token-that-the-page-has-written"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the page writes; the boss has the token."""
    folder = tmp_path_factory.mktemp("page")
    roles, sales = PAGE.blocks("toml", PAGE.section("Who may ask what"))
    digests = re.findall(r'"(.{64})"', roles)
    own = roles.replace(digests[0], hashlib.sha256(TOKEN.encode()).hexdigest())
    (folder / "roles.toml").write_text(own, encoding="utf-8")
    (folder / "sales.toml").write_text(sales, encoding="utf-8")
    (folder / "token").write_text(f"{TOKEN}\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def port(place: Path) -> Iterator[str]:
    """Return the port of the page's server of one shop."""
    pytest.importorskip("uvicorn", reason="pip install '.[serve]'")
    if shutil.which("curl") is None:
        pytest.skip("no curl")
    command = [sys.executable, "-c", "from querent.cli import main; main()", "serve", "shop", "--port", "0"]
    environment = {name: value for name, value in os.environ.items() if name != "QUERENT_TOKEN"}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as run:
        assert run.stdout is not None
        found = re.search(r":(\d+)/", run.stdout.readline())
        assert found
        yield found[1]
        run.terminate()


def told_by(script: str, place: Path, port: str) -> list[Any]:
    """Return what a block of commands prints, an object a line."""
    here = script.replace("localhost:8000", f"localhost:{port}").replace("python3 ", f"{sys.executable} ")
    ended = 'curl() { command curl "$@" && echo; }; '  # as a terminal would begin a line after each
    command = ["bash", "-euo", "pipefail", "-c", ended + here]
    run = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines() if line.strip()]


def test_its_commands_of_the_interface_answer(place: Path, port: str) -> None:
    leaning, streamed, chosen, others, guarded = PAGE.blocks("sh", PAGE.section("The interface"))
    (second,) = told_by(leaning, place, port)
    assert "2023" in second["answer"]["sql"]
    assert len(second["conversation"]["turns"]) == 2
    steps = told_by(streamed, place, port)
    assert [one["step"] for one in steps] == ["values", "queries", "answer"]
    assert steps[-1]["explanation"]["steps"]
    (choice,) = told_by(chosen, place, port)
    assert choice["answer"]["sql"]
    validated, schema, about, health = told_by(others, place, port)
    assert (validated["runs"], validated["nearest"] is not None) == (False, True)
    assert (schema["database"], about["role"], health) == ("shop", "everybody", {"status": "ok"})
    assert told_by(guarded, place, port) == [schema]


def test_its_roles_are_read(place: Path) -> None:
    from querent.serving.roles import read_roles

    roles = read_roles(place / "roles.toml", ["shop", "plant"])
    boss, sales = roles.all
    assert roles.of(TOKEN) == boss
    assert [(boss.sees(name), sales.sees(name)) for name in ("shop", "plant")] == [(True, True), (True, False)]
    assert sales.feedback == place / "sales.jsonl"


def test_its_token_is_long_enough(place: Path) -> None:
    from querent.serving.roles import SHORTEST_TOKEN

    (making,) = re.findall(r"^python3 -c .* > token$", PAGE.text, re.MULTILINE)
    subprocess.run(["bash", "-c", making.replace("python3", sys.executable)], cwd=place.parent, check=True)
    made = (place.parent / "token").read_text(encoding="utf-8").strip()
    assert len(made) >= SHORTEST_TOKEN
    sums = subprocess.run(
        ["bash", "-c", f'TOKEN={made}; printf %s "$TOKEN" | sha256sum'], capture_output=True, check=True
    )
    assert sums.stdout.decode().split()[0] == hashlib.sha256(made.encode()).hexdigest()


def test_its_defaults_are_those_of_the_command() -> None:
    import typer

    from querent.cli import app

    options = {one.opts[0]: one.default for one in typer.main.get_command(app).commands["serve"].params}  # type: ignore[attr-defined]
    table = dict(re.findall(r"^\| `(--[\w-]+)` \| ([\d,]+)", PAGE.text, re.MULTILINE))
    assert table
    assert {name: float(value.replace(",", "")) for name, value in table.items()} == {
        name: float(options[name]) for name in table
    }


def test_its_pictures_are_there_and_light() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", PAGE.text)
    assert len(pictures) == 5
    for picture in pictures:
        file = DOCS / picture
        assert file.read_bytes().startswith(b"\x89PNG"), picture
        assert file.stat().st_size < 150_000, picture
