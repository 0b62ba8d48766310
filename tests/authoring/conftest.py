"""Folders that several files of these tests start from."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from lakes import MANIFEST, PROTOTYPES, SCHEMA


@pytest.fixture
def lakes(tmp_path):
    folder = tmp_path / "lakes"
    (folder / "prototypes").mkdir(parents=True)
    (folder / "domain.toml").write_text(MANIFEST, encoding="utf-8")
    (folder / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    (folder / "prototypes" / "lakes.toml").write_text(PROTOTYPES, encoding="utf-8")
    says = {"ohio": {"en": ["ohio", "the buckeye state"], "zh": ["俄亥俄"]}, "utah": {"en": ["utah"], "zh": ["犹他"]}}
    lines = [json.dumps({"sql": sql, "type": "state", "says": says[sql]}) + "\n" for sql in says]
    (folder / "entities.jsonl").write_text("".join(lines), encoding="utf-8")
    with closing(sqlite3.connect(folder / "lakes.sqlite")) as database, database:
        database.executescript(SCHEMA)
        rows = [(f"lake {n}", "ohio", 10 + n, f"2024-03-{n:02d} 09:00:00") for n in range(1, 31)]
        database.executemany("INSERT INTO lake VALUES (?, ?, ?, ?)", [*rows, ("salt", "utah", 7, None)])
    return folder
