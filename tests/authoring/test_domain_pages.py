"""docs/plant.md and docs/library.md are what their script writes of the pairs and the databases that ship."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("domain_pages", ROOT / "bench" / "report" / "domain_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("name", "drawn"), [("plant", 20), ("library", 15)])
def test_the_page_is_up_to_date(script: ModuleType, name: str, drawn: int) -> None:
    text = script.page(name)
    assert text.count("```sql") == drawn
    assert (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") == text, "run python bench/report/domain_pages.py"
