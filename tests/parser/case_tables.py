"""Rows of tests that stand as tables in case_tables.toml; a cell that is a dash stands for None."""

import tomllib
from pathlib import Path
from typing import Any

__all__ = ["rows"]

_TABLES: dict[str, list[list[Any]]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def rows(key: str) -> list[Any]:
    """Return the rows of a table as parameters of a test: tuples, or single values where a row has one."""
    found = [tuple(None if cell == "-" else cell for cell in row) for row in _TABLES[key]]
    return [row[0] if len(row) == 1 else row for row in found]
