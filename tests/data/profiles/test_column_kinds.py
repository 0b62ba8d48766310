"""What columns are for where names and cells pull apart, as ``kinds.toml`` has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cases import cases


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("kinds.toml")))
def test_kinds_of_the_columns_behind_a_key(profiled, case: dict[str, Any]):
    table, columns = case["table"], case["columns"]
    listed = ", ".join(str((n, *cells)) for n, cells in enumerate(zip(*columns.values(), strict=True), 1))
    script = f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, {', '.join(columns)}); INSERT INTO {table} VALUES {listed}"
    assert [one.kind for (_, name), one in profiled(script).columns.items() if name != "id"] == case["kinds"]
