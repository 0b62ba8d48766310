"""docs/plant.md is what its script writes of the pairs and the database that ship."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_up_to_date():
    spec = importlib.util.spec_from_file_location("plant_page", ROOT / "bench" / "report" / "plant_page.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    text = script.page()
    assert text.count("```sql") == 20
    assert (ROOT / "docs" / "plant.md").read_text(encoding="utf-8") == text, "run python bench/report/plant_page.py"
