"""A SQLite file that is there whole or not at all."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

__all__ = ["new_database"]


@contextmanager
def new_database(path: Path) -> Generator[sqlite3.Connection]:
    """Open a new SQLite file beside ``path``, and put it in its place once the block has filled it.

    What stands at ``path`` is replaced then; if the block fails, it stays, and nothing is left beside it.
    """
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(partial)) as database, database:
            yield database
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
