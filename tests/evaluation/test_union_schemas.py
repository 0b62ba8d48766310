"""`union_schemas.py` of `bench/accuracy`: questions keep their rows in larger schemas."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest

from querent.data.domains.collection import Collection, is_held_out, read_collection

SCRIPTS = Path(__file__).resolve().parents[2] / "bench" / "accuracy"
HELD, LEARNT = "club", "zoo"
MEMBERS = """
CREATE TABLE member (member_id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
CREATE TABLE fee (member_id INTEGER REFERENCES member (member_id), paid INTEGER);
INSERT INTO member VALUES (1, 'Ann', 40), (2, 'Bo', 30); INSERT INTO fee VALUES (1, 5), (1, 6), (2, 9);
"""
ANIMALS = """
CREATE TABLE member (animal_id INTEGER PRIMARY KEY, kind TEXT, weight REAL, cage TEXT);
INSERT INTO member VALUES (1, 'lion', 190, 'A'), (2, 'hare', 4, 'B');
"""
PAID = (
    "SELECT member.name, sum(paid) FROM member JOIN fee ON member.member_id = fee.member_id GROUP BY member.member_id"
)
QUESTIONS = (
    (HELD, "how old is Ann?", "SELECT age FROM member WHERE name = 'Ann'"),
    (HELD, "what has each paid?", PAID),
    (LEARNT, "which animals are there?", "SELECT kind FROM member"),
)


@pytest.fixture
def collection(tmp_path: Path) -> str:
    folder, listed = tmp_path / "small", []
    for name, script in ((HELD, MEMBERS), (LEARNT, ANIMALS)):
        (folder / "database" / name).mkdir(parents=True)
        with closing(sqlite3.connect(folder / "database" / name / f"{name}.sqlite")) as database:
            database.executescript(script)
            tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            columns = [(n, c[1]) for n, t in enumerate(tables) for c in database.execute(f"PRAGMA table_info({t})")]
        names = {"table_names": tables, "table_names_original": tables}
        told = [[-1, "*"], *columns]
        keys = {"primary_keys": [], "foreign_keys": [], "column_types": ["text"] * len(told)}
        listed.append({"db_id": name, "column_names": told, "column_names_original": told, **names, **keys})
    (folder / "tables.json").write_text(json.dumps(listed))
    asked = [{"db_id": name, "question": question, "query": sql} for name, question, sql in QUESTIONS]
    (folder / "train_spider.json").write_text(json.dumps(asked))
    return f"spider:{folder}"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what runs a script, which lies in no package, with arguments."""
    monkeypatch.syspath_prepend(str(SCRIPTS))

    def called(name: str, *arguments: object) -> None:
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        assert import_module("result_files").run(import_module(name).measure) == 0

    return called


def rows(collection: Collection, name: str, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(collection.databases[name])) as database:
        return database.execute(sql).fetchall()


def test_tables_of_one_name_are_told_apart_and_rows_stay(
    collection: str, run: Callable[..., None], tmp_path: Path
) -> None:
    assert is_held_out(HELD) and not is_held_out(LEARNT)
    run("union_schemas", collection, tmp_path, "--tables", 3)
    union = read_collection(f"spider:{tmp_path / 'small-3'}")
    schema = union.schemas["union"]
    assert [table.name for table in schema.tables] == ["club_member", "fee", "zoo_member"]
    assert schema.table("fee").foreign_keys[0].table == "club_member"
    assert [rows(union, "union", pair.sql) for pair in union.pairs] == [[(40,)], [("Ann", 11), ("Bo", 9)]]
    homes = [record["homes"] for record in json.loads((tmp_path / "small-3" / "train.json").read_text())]
    assert homes == [2, 2]  # there are members of two kinds
