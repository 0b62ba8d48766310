"""Pages of docs/ are what the scripts of bench/report write of results, pairs and databases."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["results", "plant", "library"])
def test_the_page_is_up_to_date(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench" / "report"))
    script = "tables" if name == "results" else "domain_pages"
    module = importlib.import_module(script)
    text = module.page() if name == "results" else module.page(name)
    assert (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") == text, f"run python bench/report/{script}.py"
    if name == "results":
        assert "## Gold queries" in text
        assert all(line.startswith("|") for line in text.splitlines() if len(line) > 120)
    else:
        assert text.count("```sql") == {"plant": 20, "library": 15}[name]
