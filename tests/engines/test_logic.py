"""SQLite's own logic tests, where they are at hand: `querent validate` says of each query what SQLite does."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from querent import Validator, open_schema
from querent.validation.nearest import Search

FOLDER = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "logic"
RIGHT = 0.95
EACH = 80
"""Of so many queries one is judged."""


@pytest.mark.skipif(not FOLDER.is_dir(), reason="no logic tests at ../shared/data/logic")
def test_validate_agrees_with_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Search, "find", lambda _: None)  # verdicts alone
    right = count = 0
    for file in sorted(FOLDER.glob("*.queries.json")):
        name = file.name.removesuffix(".queries.json")
        with closing(sqlite3.connect(tmp_path / f"{name}.sqlite")) as database:
            database.executescript((FOLDER / f"{name}.sql").read_text(encoding="utf-8"))
        schema, dialect = open_schema(tmp_path / f"{name}.sqlite", None)
        judge = Validator(schema, dialect=dialect or "sqlite", timeout=60)
        for query in json.loads(file.read_text(encoding="utf-8"))[::EACH]:
            says = judge.validate(query["validate"]).runs
            assert query["runs"] or not says, query["validate"]
            right += says is query["runs"]
            count += 1
    assert right >= RIGHT * count
