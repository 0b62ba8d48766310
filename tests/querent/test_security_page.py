"""The figures of SECURITY.md are those of the code."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from querent import Database
from querent.data.databases import query_process, rows, sqlite_session
from querent.serving.settings import ServingSettings

PAGE = (Path(__file__).resolve().parents[2] / "SECURITY.md").read_text(encoding="utf-8")


def test_the_limits_are_those_that_the_page_tells() -> None:
    timeout = inspect.signature(Database.open).parameters["timeout"].default
    assert timeout == ServingSettings.query_seconds
    assert f"takes {timeout:g} seconds at most" in PAGE
    assert query_process._GRACE == 1
    assert "killed a second after its time" in PAGE
    assert f"takes {query_process.MEMORY // 1_000_000} MB at most" in PAGE
    assert f"{ServingSettings.rows:,} rows (`--rows`) and {rows.LARGEST_RESULT // 1_000_000} MB at most" in PAGE
    assert f"no value of over {sqlite_session._LONGEST_VALUE // 1_000_000} MB" in PAGE


def test_the_files_that_the_page_names_are_there() -> None:
    root = Path(__file__).resolve().parents[2]
    named = re.findall(r"(?:`|\()([\w/]+/[\w.]+\.(?:py|md))(?:`|\))", PAGE)
    assert len(named) > 4
    assert [name for name in named if not (root / name).exists()] == []
