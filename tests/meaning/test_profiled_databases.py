"""Profiles of whole databases: kinds, keys, and tables that are large, odd, locked or many."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cases import cases

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.data.schema.schema import Column, Schema, Table
from querent.meaning.profiling import key_words, profile_of

FILE = Path(__file__).with_name("databases.toml")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", cases(FILE))
def test_what_a_profile_tells(profiled, case: dict[str, Any]):
    profile = profiled(case["script"])
    columns = {f"{table}.{column}": one for (table, column), one in profile.columns.items()}
    if "kinds" in case:
        assert {name: one.kind for name, one in columns.items()} == case["kinds"]
    if "keys" in case:
        assert [f"{key.table}.{key.columns[0]} -> {key_words(key)}" for key in profile.keys] == case["keys"]
    assert profile.rows == case.get("rows", profile.rows)
    assert profile.primary_keys == case.get("primary_keys", profile.primary_keys)
    for name, doubt in case.get("doubts", {}).items():
        assert doubt in columns[name].doubt
    for name, fields in case.get("columns", {}).items():
        held = {field: tuple(value) if isinstance(value, list) else value for field, value in fields.items()}
        assert columns[name] == replace(columns[name], **held)
    for name, fields in case.get("times", {}).items():
        assert columns[name].time == replace(columns[name].time, **fields)


def test_a_locked_database_is_told_once(tmp_path):
    file = tmp_path / "locked.sqlite"
    with closing(sqlite3.connect(file)) as writer:
        writer.executescript(
            "CREATE TABLE a (x); CREATE TABLE b (x); INSERT INTO a VALUES (1); INSERT INTO b VALUES (1);"
        )
        schema = from_sqlite(file)
        with Database.open(file, timeout=0.1) as database:
            writer.execute("BEGIN EXCLUSIVE")
            with pytest.warns(UserWarning, match="locked: no profile of a, b: database is locked") as told:
                assert profile_of(database, schema).columns == {}
            assert len(told) == 1


def test_nothing_is_written(write_script):
    file = write_script(FILE.read_text("utf-8").split('"""')[1])
    before = file.read_bytes(), [*file.parent.iterdir()]
    with Database.open(file) as database:
        profile_of(database, from_sqlite(file))
    assert (file.read_bytes(), [*file.parent.iterdir()]) == before


def test_a_view_that_takes_too_long_is_told_and_the_others_are_read(write_script):
    file = write_script(
        """CREATE TABLE quick (size INTEGER); INSERT INTO quick VALUES (7);
        CREATE VIEW slow AS WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i)
        SELECT n FROM i WHERE n < 0;"""
    )
    schema = Schema((Table("slow", (Column("n"),), behind=1), Table("quick", (Column("size"),))), "late")
    told = "late: no profile of slow: the query took longer than 0.2 s"
    with Database.open(file, timeout=0.2) as database, pytest.warns(UserWarning, match=told):
        profile = profile_of(database, schema)
    assert [column for _, column in profile.columns] == ["size"]
