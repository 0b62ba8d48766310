"""Copies of databases in which a column gives way to two that a question may mean."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlite_rows import write_sqlite

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.sampler import with_twin_columns

SCHEMA = """
CREATE TABLE cook (cook_id INTEGER PRIMARY KEY, cook_name TEXT, "home town" TEXT);
CREATE TABLE dish (dish_id INTEGER PRIMARY KEY, price INTEGER, cook_id INTEGER REFERENCES cook);
"""


@pytest.fixture
def kitchen(tmp_path: Path) -> Path:
    rows = {"cook": [(1, "Ann", "Ulm"), (2, "Bob", "Bonn")], "dish": [(n, n * n, 1 + n % 2) for n in range(9)]}
    return write_sqlite(tmp_path / "kitchen.sqlite", SCHEMA, rows)


def test_a_column_gives_way_to_two(kitchen: Path, tmp_path: Path) -> None:
    schema, copy = from_sqlite(kitchen), tmp_path / "copy.sqlite"
    twins = with_twin_columns(kitchen, schema, "en", out=copy, count=2, seed=1)
    assert twins is not None
    assert twins == with_twin_columns(kitchen, schema, "en", out=tmp_path / "again.sqlite", count=2, seed=1)
    one, other = twins.names["price"]
    assert one.endswith("price") and other.endswith("price") and one != other
    assert [column.name for column in twins.schema.table("dish").columns] == ["dish_id", one, other, "cook_id"]
    assert {column.name for column in from_sqlite(copy).table("dish").columns} == {"dish_id", one, other, "cook_id"}
    with sqlite3.connect(copy) as connection:
        rows = connection.execute(f"SELECT {one}, {other} FROM dish").fetchall()
    assert sorted(row[0] for row in rows) == sorted(row[1] for row in rows)  # the same cells
    assert all(row[0] != row[1] for row in rows)  # of other rows
    assert from_sqlite(kitchen) == schema


def test_a_query_has_two_readings(kitchen: Path, tmp_path: Path) -> None:
    twins = with_twin_columns(kitchen, from_sqlite(kitchen), "en", out=tmp_path / "copy.sqlite", count=2, seed=1)
    assert twins is not None
    sql = "SELECT d.price FROM dish AS d JOIN cook AS c ON d.cook_id = c.cook_id WHERE d.price > 3"
    readings = twins.readings(sql)
    assert readings == [
        f"SELECT d.{name} FROM dish AS d JOIN cook AS c ON d.cook_id = c.cook_id WHERE d.{name} > 3"
        for name in twins.names["price"]
    ]
    with Database.open(tmp_path / "copy.sqlite") as database:
        assert all(database.query(one).rows for one in readings)
    assert twins.readings("SELECT dish_id FROM dish") == []


def test_keys_stay(tmp_path: Path) -> None:
    file = write_sqlite(tmp_path / "keys.sqlite", "CREATE TABLE a (id INTEGER PRIMARY KEY)", {"a": [(1,)]})
    copy = tmp_path / "copy.sqlite"
    assert with_twin_columns(file, from_sqlite(file), "en", out=copy, count=2, seed=1) is None
    assert not copy.exists()
