"""Samples of columns and profiles of small databases."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from databases import create

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.data.schema.schema import Column, Table
from querent.meaning.cell_sample import CellSample
from querent.meaning.profile import DatabaseProfile
from querent.meaning.profiling import profile_of

Sampled = Callable[..., CellSample]
Profiled = Callable[[str], DatabaseProfile]


@pytest.fixture
def sampled() -> Sampled:
    """Return what makes a sample of some cells of one column."""

    def sample(cells: Sequence[Any], name: str = "x", kind: str = "text", dialect: str = "sqlite") -> CellSample:
        column = Column(name, kind)
        return CellSample.of(Table("t", (column,)), column, dialect, cells)

    return sample


@pytest.fixture
def write_script(tmp_path: Path) -> Callable[[str], Path]:
    """Return what runs a script on a new SQLite file."""

    def write(script: str) -> Path:
        file = tmp_path / "profiled.sqlite"
        file.unlink(missing_ok=True)
        return create(file, script)

    return write


@pytest.fixture
def profiled(write_script: Callable[[str], Path]) -> Profiled:
    """Return what profiles a SQLite database that a script writes."""

    def profile(script: str) -> DatabaseProfile:
        file = write_script(script)
        with Database.open(file) as database:
            return profile_of(database, from_sqlite(file))

    return profile
