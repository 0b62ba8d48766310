"""`union_schemas.py` of `bench/accuracy`: questions keep their rows in larger schemas."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import databases

from bench.accuracy.union_schemas import described, members, write_union
from querent.data.databases.schema_readers import from_sqlite
from querent.data.domains.collection import Collection, is_held_out, read_collection

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


def small(folder: Path) -> Collection:
    """Write two databases and questions on them, laid out as Spider's, and read them."""
    listed = []
    for name, script in ((HELD, MEMBERS), (LEARNT, ANIMALS)):
        file = folder / "database" / name / f"{name}.sqlite"
        file.parent.mkdir(parents=True)
        databases.create(file, script)
        listed.append(described(from_sqlite(file), name))
    (folder / "tables.json").write_text(json.dumps(listed))
    asked = [{"db_id": name, "question": question, "query": sql} for name, question, sql in QUESTIONS]
    (folder / "train_spider.json").write_text(json.dumps(asked))
    return read_collection(f"spider:{folder}")


def rows(collection: Collection, name: str, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(collection.databases[name])) as database:
        return database.execute(sql).fetchall()


def test_tables_of_one_name_are_told_apart_and_rows_stay(tmp_path: Path) -> None:
    assert is_held_out(HELD) and not is_held_out(LEARNT)
    collection = small(tmp_path / "small")
    asked = [pair for pair in collection.pairs if is_held_out(pair.database)]
    counts = write_union(tmp_path / "union", members([collection], 3), asked)
    assert (counts["tables"], counts["questions"], counts["left out"]) == (3, 2, 0)
    union = read_collection(f"spider:{tmp_path / 'union'}")
    schema = union.schemas["union"]
    assert [table.name for table in schema.tables] == ["club_member", "fee", "zoo_member"]
    assert schema.table("fee").foreign_keys[0].table == "club_member"
    assert [rows(union, "union", pair.sql) for pair in union.pairs] == [[(40,)], [("Ann", 11), ("Bo", 9)]]
    homes = [record["homes"] for record in json.loads((tmp_path / "union" / "train.json").read_text())]
    assert homes == [2, 2]  # there are members of two kinds
