"""docs/results.md is what its script writes of the results that are kept."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench" / "report"))
    text = importlib.import_module("tables").page()
    assert "## Gold queries" in text
    assert all(line.startswith("|") for line in text.splitlines() if len(line) > 120)
    assert (ROOT / "docs" / "results.md").read_text(encoding="utf-8") == text, "run python bench/report/tables.py"
