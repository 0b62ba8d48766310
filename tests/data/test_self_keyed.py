"""Copies of databases in which a table has a key into itself."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlite_rows import write_sqlite

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.sampler import STRUCTURE_KINDS, sample, with_self_key

SCHEMA = """
CREATE TABLE cook (cook_id INTEGER PRIMARY KEY, name TEXT, town TEXT, hired DATE, wage INTEGER);
CREATE TABLE shift (cook_id INTEGER REFERENCES cook (cook_id), day DATE);
"""
NAMES = ("Amber", "Basalt", "Cobalt", "Dolomite", "Emerald", "Flint", "Garnet", "Halite", "Iolite", "Jasper")


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cooks = [
        (n, f"{NAMES[n % 10]} {'HJK'[n // 10]}", ("Ulm", "Bonn", "Jena")[n * n % 5 % 3],
         f"20{10 + n % 9}-0{1 + n % 9}-11", 2000 + n * n % 37 * 50)
        for n in range(30)
    ]  # fmt: skip
    rows = {"cook": cooks, "shift": [(n % 30, f"2024-03-{1 + n % 28:02}") for n in range(60)]}
    return write_sqlite(tmp_path_factory.mktemp("kitchen") / "kitchen.sqlite", SCHEMA, rows)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_copy_has_a_key(kitchen: Path, tmp_path: Path, language: str) -> None:
    copy, schema = tmp_path / "copy.sqlite", from_sqlite(kitchen)
    keyed = with_self_key(kitchen, schema, language, out=copy, seed=3)
    assert keyed is not None
    key = keyed.table("cook").foreign_keys[-1]
    assert (key.table, key.references) == ("cook", ("cook_id",))
    with sqlite3.connect(copy) as connection:
        rows = connection.execute(f'SELECT cook_id, "{key.columns[0]}" FROM cook').fetchall()
        left = [row[0] for row in connection.execute('SELECT "cook_id" FROM shift')]
    referred = {head for _, head in rows if head is not None}
    assert referred < {cook for cook, _ in rows}
    assert len(referred) <= 10 < sum(head is not None for _, head in rows) < 30
    assert all(cook != head for cook, head in rows)
    assert len(left) == 60  # all else is as it was
    with Database.open(copy) as database:
        found = sample(keyed, database, language=language, count=40, seed=1, structures=STRUCTURE_KINDS["self-keys"])
        assert {one.structure for one in found} >= {"self-parent", "self-children", "self-reckoned", "self-sooner"}
    assert from_sqlite(kitchen) == schema  # and the database, too


def test_each_of_two_keys_has_its_own_use_of_the_table(tmp_path: Path) -> None:
    keys = "chef_id INTEGER REFERENCES cook, mentor_id INTEGER REFERENCES cook"
    cooks = [(n, NAMES[n], n // 2 or None, n // 3 or None) for n in range(10)]
    file = write_sqlite(
        tmp_path / "two.sqlite", f"CREATE TABLE cook (cook_id INTEGER PRIMARY KEY, name TEXT, {keys})", {"cook": cooks}
    )
    with Database.open(file) as database:
        drawn = sample(
            from_sqlite(file), database, language="en", count=40, seed=1, structures=STRUCTURE_KINDS["self-keys"]
        )
    joins = {one.sql.partition(" ON ")[2].partition(" = ")[::2] for one in drawn if " JOIN " in one.sql}
    found = {(own, other.split()[0]) for own, other in joins}
    assert found == {("cook.chef_id", "cook_2.cook_id"), ("cook.mentor_id", "cook_3.cook_id")}


def test_the_seed_tells_the_key(kitchen: Path, tmp_path: Path) -> None:
    schema = from_sqlite(kitchen)
    keys = [
        with_self_key(kitchen, schema, "en", out=tmp_path / f"{n}.sqlite", seed=seed)
        for n, seed in enumerate((1, 1, 2, 4))
    ]
    assert keys[0] == keys[1]
    assert len({str(key) for key in keys}) > 1
    assert (tmp_path / "0.sqlite").read_bytes() == (tmp_path / "1.sqlite").read_bytes()


def test_where_no_row_has_a_name(tmp_path: Path) -> None:
    file = write_sqlite(
        tmp_path / "plain.sqlite",
        "CREATE TABLE reading (reading_id INTEGER PRIMARY KEY, pulse INTEGER)",
        {"reading": [(n, 60 + n % 7) for n in range(20)]},
    )
    copy = tmp_path / "copy.sqlite"
    assert with_self_key(file, from_sqlite(file), "en", out=copy, seed=1) is None
    assert not copy.exists()
