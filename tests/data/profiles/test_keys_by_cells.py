"""Keys that cells alone tell."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.databases.schema_readers import read_schema
from querent.data.errors import DatabaseError, TimeLimitError
from querent.data.schema.schema import Column, Table
from querent.meaning.cell_sample import CellSample
from querent.meaning.keys import Containment
from querent.meaning.profile import DatabaseProfile
from querent.meaning.profiling import profile_of
from querent.meaning.samples import TableSample

SCRIPT = """
CREATE TABLE herb (herb_name TEXT PRIMARY KEY, light INTEGER);
CREATE TABLE pairing (herb_name TEXT, goes_with TEXT, note TEXT);
CREATE TABLE bed (bed_id INTEGER PRIMARY KEY, planted TEXT, shape TEXT);
INSERT INTO herb VALUES ('dill', 3), ('mint', 1), ('sage', 2), ('basil', 3), ('thyme', 2), ('chervil', 1);
INSERT INTO pairing VALUES ('dill', 'mint', 'new'), ('mint', 'sage', 'old'), ('sage', 'basil', 'old'),
    ('basil', 'thyme', 'new'), ('thyme', 'chervil', 'old'), ('chervil', 'dill', 'new');
INSERT INTO bed VALUES (1, 'dill', 'round'), (2, 'mint', 'square'), (3, 'sage', 'round'), (4, 'basil', 'long'),
    (5, 'thyme', 'oval'), (6, {last}, 'star');
"""


def _profile(folder: Path, last: str, also: str) -> DatabaseProfile:
    file = folder / "garden.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript(SCRIPT.format(last=last) + also)
    connection.close()
    with Database.open(str(file)) as database:
        return profile_of(database, read_schema(str(file)))


def _keys(folder: Path, last: str, also: str = "") -> set[str]:
    keys = _profile(folder, last, also).keys
    return {f"{key.table}.{key.columns[0]} -> {key.other}.{key.references[0]}" for key in keys if not key.declared}


NAMED = "pairing.herb_name -> herb.herb_name"
ALONE = {"pairing.goes_with -> herb.herb_name", "bed.planted -> herb.herb_name"}


def test_a_column_whose_words_all_name_rows_refers_to_them(tmp_path: Path) -> None:
    assert _keys(tmp_path, "NULL") == {NAMED, *ALONE}


@pytest.mark.parametrize(
    ("last", "also", "lost"),
    [
        ("'rhubarb'", "", {"bed.planted -> herb.herb_name"}),  # one word that is no herb
        ("NULL", "DELETE FROM bed WHERE bed_id > 4", {"bed.planted -> herb.herb_name"}),  # four may be chance
        ("NULL", "CREATE TABLE tea (blend TEXT PRIMARY KEY); INSERT INTO tea SELECT herb_name FROM herb", ALONE),
    ],
)
def test_what_may_be_chance_is_no_key(tmp_path: Path, last: str, also: str, lost: set[str]) -> None:
    found = _keys(tmp_path, last, also)
    assert NAMED in found
    assert found.isdisjoint(lost)
    assert found >= ALONE - lost


KEYLESS = """
CREATE TABLE grower (taxno INTEGER, name TEXT);
CREATE TABLE licence (taxno INTEGER, until INTEGER);
CREATE TABLE seed_orders (lot_code TEXT, buyer INTEGER);
CREATE TABLE seed_items (lot_code TEXT, amount INTEGER, plant TEXT);
CREATE TABLE sown (plant TEXT, light INTEGER);
INSERT INTO grower VALUES (70112, 'Ada'), (70560, 'Bo'), (81200, 'Cy'), (90001, 'Di'), (93377, 'Ed'), (95555, 'Fa');
INSERT INTO licence VALUES (70112, 2026), (81200, 2027), (93377, 2026);
INSERT INTO seed_orders VALUES ('1', 70112), ('2', 70560), ('3', 81200), ('4', 90001), ('5', 93377), ('6', 70112);
INSERT INTO seed_items VALUES (1, 1, 'leek'), (1, 2, 'kale'), (2, 3, 'beet'), (3, 4, 'rocket'), (6, 5, 'chard');
INSERT INTO sown VALUES ('leek', 1), ('kale', 2), ('beet', 3), ('rocket', 4), ('chard', 5);
"""


def test_where_no_key_is_declared_cells_tell_which_columns_are_keys(tmp_path: Path) -> None:
    """What is called alike refers to where it identifies rows, and long numbers and words to where they all are."""
    found = _keys(tmp_path, "NULL", KEYLESS) - {NAMED, *ALONE}
    assert found == {
        "licence.taxno -> grower.taxno",  # one row each: the part refers to the whole
        "seed_orders.buyer -> grower.taxno",
        "seed_items.lot_code -> seed_orders.lot_code",  # text and number are compared by SQLite
        "seed_items.plant -> sown.plant",
    }


ORDERED = """
CREATE TABLE seed_orders (order_no INTEGER, buyer TEXT);
CREATE TABLE packed (order_no INTEGER, seed TEXT);
CREATE TABLE paid (order_no INTEGER, amount INTEGER);
INSERT INTO seed_orders WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 3000)
    SELECT n, '' FROM i;
INSERT INTO packed SELECT order_no, herb_name FROM seed_orders, herb LIMIT 9000;
INSERT INTO paid SELECT order_no, 5 FROM seed_orders WHERE order_no % 2;
"""


def test_a_cell_that_only_the_whole_table_has_twice_identifies_no_row(tmp_path: Path) -> None:
    """Of 9,000 rows that are packed some are looked at, hardly two of one order."""
    assert _profile(tmp_path, "NULL", ORDERED).primary_keys == {"seed_orders": "order_no", "paid": "order_no"}


MANY = """
INSERT INTO herb WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 3000)
    SELECT 'herb ' || n, 1 FROM i;
DELETE FROM bed;
INSERT INTO bed WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 60)
    SELECT n, 'herb ' || (7 * n), 'round' FROM i;
"""


def test_a_key_that_takes_too_long_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch, late = Database.fetch, list[str]()

    def fetched(database: Database, sql: str) -> Rows:
        if "GROUP BY" in sql:
            late.append(sql)
            raise TimeLimitError("it took too long")
        return fetch(database, sql)

    monkeypatch.setattr(Database, "fetch", fetched)
    also = f"{MANY} UPDATE bed SET shape = planted; CREATE TABLE pot AS SELECT planted AS holds FROM bed;"
    also += "INSERT INTO pot SELECT * FROM pot"  # so that it has no key
    assert _keys(tmp_path, "NULL", also) == {NAMED}
    assert len(late) == 1


@pytest.mark.parametrize("asked", [True, False])
def test_cells_of_a_large_table_are_looked_up_and_what_cannot_be_asked_is_no_key(
    tmp_path: Path, asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch = Database.fetch

    def fetched(database: Database, sql: str) -> Rows:
        if not asked and "GROUP BY" in sql:
            raise DatabaseError("the key is of another type")
        return fetch(database, sql)

    monkeypatch.setattr(Database, "fetch", fetched)
    found = _keys(tmp_path, "NULL", MANY)
    assert NAMED in found  # what names tell holds until cells deny it
    assert ("bed.planted -> herb.herb_name" in found) == asked


@pytest.mark.parametrize(
    ("dialect", "listed"),
    [("mysql", r"('c:\\', 'it''s')"), ("postgres", r"('c:\', 'it''s')"), ("sqlite", r"('c:\', 'it''s')")],
)
def test_no_cell_ends_the_literal_that_it_stands_in(dialect: str, listed: str) -> None:
    tables = [Table(name, (Column("at", "text"),)) for name in ("place", "all_places")]
    cells = ((("c:\\",), ("it's",)), (("home",),))
    samples = {
        table.name: TableSample(
            table, {"at": CellSample.of(table, table.columns[0], dialect, [row[0] for row in rows])}, 2, False, None
        )
        for table, rows in zip(tables, cells, strict=True)
    }
    asked: list[str] = []

    def fetch(sql: str) -> Rows:
        asked.append(sql)
        return Rows(("at", "count"), [("it's", 1)])

    database: Any = SimpleNamespace(dialect=dialect, quote=str, source=lambda table: table.name, fetch=fetch)
    assert Containment(database, samples).share(tables[0], "at", tables[1], "at") == 0.5
    assert [sql.partition(" IN ")[2].partition(" GROUP")[0] for sql in asked] == [listed]
