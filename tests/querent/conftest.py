"""A parser that has learnt six questions by heart, saved, beside a database that it was made for."""

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
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a saved parser's folder."""
    from tiny_saved import save

    return save(tmp_path_factory.mktemp("saved") / "parser", steps=150)


@pytest.fixture
def city(tmp_path: Path) -> Path:
    """Return the database of the saved parser's domain."""
    from tiny_saved import write_database

    return write_database(tmp_path / "city.sqlite")
