"""The commands, two databases, and networks with random weights."""

import json
import math
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from reader_cases import network, write_database, write_encoder, writes
from typer.main import get_command
from typer.testing import CliRunner

from querent.classifiers.named_features import Calibration
from querent.commands.cli import app
from querent.parser.network.saved import save_network
from querent.parser.reader.output_vocabulary import END, Role, fixed_words

# names that need quotes, a view, tables without keys, without rows, of nothing but a blob
ODD = """
CREATE TABLE "order details" ("select" INTEGER PRIMARY KEY, "unit price" REAL, "it's" TEXT, "Größe" TEXT);
CREATE TABLE "from" (a INT, b INT, PRIMARY KEY (a, b));
CREATE TABLE empty (x, y DATE);
CREATE TABLE files (content BLOB);
CREATE TABLE 城市 (名称 TEXT, 人口 INTEGER);
CREATE VIEW cheap AS SELECT * FROM "order details" WHERE "unit price" < 5;
INSERT INTO "order details" VALUES (1, 9e999, 'O''Hara', 'groß'), (2, 0.5, '{text0}', NULL);
INSERT INTO "from" VALUES (1, 2), (2, 1);
INSERT INTO files VALUES (x'00ff');
INSERT INTO 城市 VALUES ('北京', 21000000);
"""

_command = cache(get_command)  # made once: all options of all commands are read for it
SURE = 3.0  # bias of the calibration


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
    monkeypatch.setattr("typer.testing._get_command", _command)
    runner = CliRunner()

    def run(*arguments: object, stdin: str | bytes | None = None) -> Ended:
        found = runner.invoke(app, [str(a) for a in arguments], input=stdin, prog_name="querent")
        if found.exception is not None and not isinstance(found.exception, SystemExit):
            raise found.exception
        return Ended(found.exit_code, found.stdout, found.stderr)

    return run


@pytest.fixture(scope="session")
def saved_network(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return what saves a network with random weights; the folder of one that was saved so before."""
    folder = tmp_path_factory.mktemp("networks")
    encoder = write_encoder(folder / "encoder")

    def save(
        *,
        seed: int = 0,
        bias: float = SURE,
        answerable: float = 0.9,
        short: float = 2.0,
        names: float = 4.0,
        languages: tuple[str, ...] = ("en",),
    ) -> Path:
        path = folder / f"{seed} {bias} {answerable} {short} {names} {languages}"
        if not path.exists():
            made = network(seed=seed, name=encoder)
            made.weights["fits.2.weight"][:] = 0.0
            made.weights["fits.2.bias"][:] = math.log(answerable / (1 - answerable))
            made.weights["fixed_key.bias"][END] += short  # long queries take long
            made.weights["role_key.bias"][[Role.TABLE, Role.COLUMN]] += names
            if names > 3:  # neither constants nor values, so that a query reads its database
                values = [Role.TEXT, Role.CONTAINS, Role.STARTS, Role.ENDS, Role.NUMBER]
                made.weights["role_key.bias"][values] = -9.0
                writes(made, (i for i, (_, terminal) in enumerate(fixed_words()) if terminal != "WHOLE"))
            calibration = Calibration({}, bias)
            save_network(made, path, languages=languages, card="# Random\n", calibration=calibration)
        return path

    return save


@pytest.fixture
def music(tmp_path: Path) -> Path:
    return write_database(tmp_path)


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "odd.sqlite")) as connection:
        connection.executescript(ODD)
    return tmp_path / "odd.sqlite"


@pytest.fixture
def city(tiny: Path, tmp_path: Path) -> Path:
    """Return a copy of the tiny domain's database."""
    (tmp_path / "city.sqlite").write_bytes((tiny / "domain" / "tiny.sqlite").read_bytes())
    return tmp_path / "city.sqlite"
