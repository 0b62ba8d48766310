"""The commands, and a run that knows a tiny domain by heart."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from querent.cli import app

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "parser"))  # its tiny domain serves here too


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one line of standard output."""
        (line,) = self.out.splitlines()
        return json.loads(line)

    def error(self) -> str:
        """The one line on standard error that a wrong input ends in; anything else fails the test."""
        assert self.code == 2, (self.code, self.err)
        assert "Traceback" not in self.err + self.out
        last = self.err.rstrip("\n").splitlines()[-1]
        assert last.startswith("error: ")
        assert self.err.count("error: ") == 1
        return last


Run = Callable[..., Ended]


@pytest.fixture
def querent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    runner = CliRunner()

    def run(*arguments: object, stdin: str | None = None) -> Ended:
        found = runner.invoke(app, [str(a) for a in arguments], input=stdin, prog_name="querent")
        if found.exception is not None and not isinstance(found.exception, SystemExit):
            raise found.exception
        return Ended(found.exit_code, found.stdout, found.stderr)

    return run


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with ``domain``, ``encoder``, and ``run``, which knows the domain's pairs by heart."""
    from tiny_domain import learnt

    folder = tmp_path_factory.mktemp("tiny")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUERENT_CACHE", str(folder / "cache"))
        learnt(folder)
    return folder


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep indexes out of the user's cache."""
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def city(tiny: Path, tmp_path: Path) -> Path:
    """Return a copy of the tiny domain's database."""
    (tmp_path / "city.sqlite").write_bytes((tiny / "domain" / "tiny.sqlite").read_bytes())
    return tmp_path / "city.sqlite"
