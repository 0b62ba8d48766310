"""Copies of databases: a table gets a key into itself, or a column gives way to two that a question may mean."""

import random
import re
import sqlite3
from pathlib import Path

import pytest
from sampled import Source, filled, source

from querent.data.databases.schema_readers import from_sqlite
from querent.sampler import WHOLES, Asked, composed, with_self_key, with_twin_columns

BOSSES = [name for name in WHOLES if "boss" in name]
NO_NAMES = (
    "CREATE TABLE reading (reading_id INTEGER PRIMARY KEY); INSERT INTO reading SELECT n FROM number WHERE n < 20;"
)


def along(home: Source, language: str = "en") -> list[Asked]:
    """Return questions along the keys of tables into themselves."""
    drawn = random.Random(1)
    templates = [composed(language, drawn, wholes=BOSSES) for _ in range(60)]
    return [asked for (asked,) in home.asked(templates, 40, language=language)]


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
    made.schema = keyed
    assert {one.name for one in along(made, language)} >= {"boss-of-named", "those-of-boss", "each-boss"}
    assert from_sqlite(home.file) == home.schema  # it stays as it was


def test_a_question_says_which_of_two_keys_it_means(tmp_path: Path) -> None:
    script = """
    CREATE TABLE cook (
        cook_id INTEGER PRIMARY KEY, name TEXT, chef_id INTEGER REFERENCES cook, mentor_id INTEGER REFERENCES cook
    );
    INSERT INTO cook SELECT n, word, nullif(n / 2, 0), nullif(n / 3, 0) FROM number WHERE n < 10;
    """
    drawn = along(Source(filled(tmp_path / "two.sqlite", script)))
    keys = {key for one in drawn for key in re.findall(r"ON cook\.(\w+) = t9\.cook_id", one.sql.replace('"', ""))}
    assert keys == {"chef_id", "mentor_id"}
    said = {key: [one.question.lower() for one in drawn if key in one.sql] for key in keys}
    assert all(key.removesuffix("_id") in question for key in keys for question in said[key])


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
    assert twins.readings(sql) == [sql.replace("d.price", f'd."{name}"') for name in (one, other)]
    assert all(Source(copy).rows(reading) for reading in twins.readings(sql))
    assert twins.readings("SELECT dish_id FROM dish") == []
    assert from_sqlite(home.file) == home.schema


def test_what_has_no_names_is_not_copied(tmp_path: Path) -> None:
    file, copy = filled(tmp_path / "plain.sqlite", NO_NAMES), tmp_path / "copy.sqlite"
    assert with_self_key(file, from_sqlite(file), "en", out=copy, seed=1) is None
    assert with_twin_columns(file, from_sqlite(file), "en", out=copy, count=2, seed=1) is None
    assert not copy.exists()
