"""Copies of databases: a table gets a key into itself, or a column gives way to two that a question may mean."""

import sqlite3
from pathlib import Path

import pytest
from sampled import Source, filled, source

from querent.data.databases.schema_readers import from_sqlite
from querent.sampler import STRUCTURE_KINDS, sample, with_self_key, with_twin_columns

NO_NAMES = (
    "CREATE TABLE reading (reading_id INTEGER PRIMARY KEY); INSERT INTO reading SELECT n FROM number WHERE n < 20;"
)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_copy_has_a_key_into_itself(tmp_path: Path, language: str) -> None:
    home, copy = source("kitchen"), tmp_path / "copy.sqlite"
    keyed = with_self_key(home.file, home.schema, language, out=copy, seed=3)
    assert keyed is not None
    [table] = {*keyed.tables} - {*home.schema.tables}
    key, [own] = table.foreign_keys[-1], table.primary_key
    assert (key.table, key.references) == (table.name, (own,))
    home_rows, made = home.rows(f"SELECT {own} FROM {table.name}"), Source(copy)
    rows = made.rows(f'SELECT {own}, "{key.columns[0]}" FROM {table.name}')
    assert [row[:1] for row in rows] == home_rows
    referred = [head for _, head in rows if head is not None]
    assert {*referred} < {one for one, _ in rows}
    assert len({*referred}) < len(referred) < len(rows)
    assert all(one != head for one, head in rows)
    found = sample(keyed, made.database, language=language, count=40, seed=1, structures=STRUCTURE_KINDS["self-keys"])
    assert {one.structure for one in found} >= {"self-parent", "self-children"}
    assert from_sqlite(home.file) == home.schema  # it stays as it was


def test_each_of_two_keys_has_its_own_use_of_the_table(tmp_path: Path) -> None:
    script = """
    CREATE TABLE cook (
        cook_id INTEGER PRIMARY KEY, name TEXT, chef_id INTEGER REFERENCES cook, mentor_id INTEGER REFERENCES cook
    );
    INSERT INTO cook SELECT n, word, nullif(n / 2, 0), nullif(n / 3, 0) FROM number WHERE n < 10;
    """
    drawn = Source(filled(tmp_path / "two.sqlite", script)).samples("en", *STRUCTURE_KINDS["self-keys"], count=40)
    joins = {one.sql.partition(" ON ")[2].partition(" = ")[::2] for one in drawn if " JOIN " in one.sql}
    found = {(own, other.split()[0]) for own, other in joins}
    assert found == {("cook.chef_id", "cook_2.cook_id"), ("cook.mentor_id", "cook_3.cook_id")}


def test_the_seed_draws_the_key(tmp_path: Path) -> None:
    home = source("kitchen")
    files = [tmp_path / f"{n}.sqlite" for n in range(4)]
    keys = [
        with_self_key(home.file, home.schema, "en", out=file, seed=seed)
        for file, seed in zip(files, (1, 1, 2, 4), strict=True)
    ]
    assert keys[0] == keys[1]
    assert len({str(key) for key in keys}) > 1
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_column_gives_way_to_two_and_a_query_has_two_readings(tmp_path: Path) -> None:
    home, copy = source("kitchen"), tmp_path / "copy.sqlite"
    twins = with_twin_columns(home.file, home.schema, "en", out=copy, count=9, seed=1)
    assert twins is not None
    assert twins == with_twin_columns(home.file, home.schema, "en", out=tmp_path / "again.sqlite", count=9, seed=1)
    one, other = twins.names["price"]
    assert one.endswith("price") and other.endswith("price") and one != other
    assert {one, other} < {column.name for column in from_sqlite(copy).table("dish").columns}
    assert {column.name for column in twins.schema.table("dish").columns} >= {"dish_id", one, other, "cook_id"}
    rows = sqlite3.connect(copy).execute(f"SELECT {one}, {other} FROM dish").fetchall()
    assert sorted(row[0] for row in rows) == sorted(row[1] for row in rows)  # the same cells
    assert [row[0] for row in rows] != [row[1] for row in rows]  # of other rows
    sql = "SELECT d.dish_id FROM dish AS d JOIN cook AS c ON d.cook_id = c.cook_id WHERE d.price > 3"
    assert twins.readings(sql) == [sql.replace("d.price", f"d.{name}") for name in (one, other)]
    assert all(Source(copy).rows(reading) for reading in twins.readings(sql))
    assert twins.readings("SELECT dish_id FROM dish") == []
    assert from_sqlite(home.file) == home.schema


def test_what_has_no_names_is_not_copied(tmp_path: Path) -> None:
    file, copy = filled(tmp_path / "plain.sqlite", NO_NAMES), tmp_path / "copy.sqlite"
    assert with_self_key(file, from_sqlite(file), "en", out=copy, seed=1) is None
    assert with_twin_columns(file, from_sqlite(file), "en", out=copy, count=2, seed=1) is None
    assert not copy.exists()
