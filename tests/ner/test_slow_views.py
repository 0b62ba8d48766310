"""A view whose query takes long is no reason to wait for it: what it shows is left out of the index, and said."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from querent.data.databases.schema_readers import from_sqlite
from querent.ner.cells import cells
from querent.ner.index import ValueIndex

ENDLESS = "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i) SELECT n, 'x' || n AS name FROM i"


def test_a_view_without_end_is_left_out_of_the_index(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "_VIEW_SECONDS", 1.0)
    file = tmp_path / "endless.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(f"""
            CREATE VIEW a_count AS {ENDLESS};
            CREATE TABLE crate (name TEXT);
            INSERT INTO crate VALUES ('red');
        """)
    with ValueIndex.open(str(file), from_sqlite(file)) as index:
        assert {*index.unread} == {("a_count", "n"), ("a_count", "name")}
        assert all("longer than 1 s" in why for why in index.unread.values())
        assert index.find("the red crate")
