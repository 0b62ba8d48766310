"""SQLite files for tests, from a schema and rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

__all__ = ["write_sqlite"]


def write_sqlite(file: Path, schema: str, rows: Mapping[str, Sequence[Sequence[Any]]]) -> Path:
    """Create the tables of ``schema``, fill them with the rows of each, and return the file."""
    with closing(sqlite3.connect(file)) as database, database:
        database.executescript(schema)
        for table, several in rows.items():
            marks = ", ".join("?" * len(several[0]))
            database.executemany(f'INSERT INTO "{table}" VALUES ({marks})', several)
    return file
