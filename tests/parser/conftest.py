"""What every test of the parser stands on."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import databases
import pytest
from reader_cases import schema, write_database

import querent
from querent.ner.index import ValueIndex
from querent.parser.reader.context import DatabaseContext


@pytest.fixture(autouse=True)
def _own_cache(cache: Path) -> None:
    """Keep indexes out of the user's cache."""


@pytest.fixture(scope="session")
def music_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the music database as a file that no test changes."""
    file = write_database(tmp_path_factory.mktemp("music"))
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("INSERT INTO artist VALUES (4, 'Sinéad O''Connor', 'Ireland')")
    return file


@pytest.fixture(scope="session")
def music(music_file: Path) -> Iterator[DatabaseContext]:
    """Return that database as the parser sees it, with its values."""
    with ValueIndex.open(music_file, schema("music"), cache=music_file.parent) as index:
        yield DatabaseContext.of(schema("music"), index, dialect="sqlite", language="en")


@pytest.fixture(scope="module")
def bank_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the database of ``banks/`` that a module names as BANK, its formulas beside it."""
    folder, home = tmp_path_factory.mktemp("bank"), Path(__file__).with_name("banks")
    shutil.copy(home / f"{request.module.BANK}.toml", folder / "knowledge.toml")
    return databases.create(folder / "made.sqlite", (home / f"{request.module.BANK}.sql").read_text("utf-8"))


@pytest.fixture(scope="module")
def connection(bank_file: Path) -> Iterator[querent.Connection]:
    """Open that database with its formulas."""
    with querent.connect(bank_file, language="en", knowledge=bank_file.parent) as opened:
        yield opened
