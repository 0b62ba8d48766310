"""Keys that cells alone tell."""

from types import SimpleNamespace
from typing import Any

import pytest

from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.errors import DatabaseError, TimeLimitError
from querent.data.schema.schema import Column, Table
from querent.meaning.cell_sample import CellSample
from querent.meaning.keys import Containment
from querent.meaning.profile import DatabaseProfile
from querent.meaning.samples import TableSample

GARDEN = """
CREATE TABLE herb (herb_name TEXT PRIMARY KEY, light INTEGER);
CREATE TABLE pairing (herb_name TEXT, note TEXT);
CREATE TABLE bed (bed_id INTEGER PRIMARY KEY, planted TEXT, shape TEXT);
INSERT INTO herb WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 3000)
    SELECT 'herb ' || n, 1 FROM i;
INSERT INTO pairing SELECT herb_name, 'new' FROM herb WHERE rowid < 7;
INSERT INTO bed WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 60)
    SELECT n, 'herb ' || (7 * n), 'round' FROM i;
"""
NAMED, ALONE = "pairing.herb_name -> herb.herb_name", "bed.planted -> herb.herb_name"


def found(profile: DatabaseProfile) -> set[str]:
    return {f"{key.table}.{key.columns[0]} -> {key.other}.{key.references[0]}" for key in profile.keys}


@pytest.mark.parametrize("error", [None, DatabaseError("of another type"), TimeLimitError("it took too long")])
def test_cells_of_a_large_table_are_looked_up(
    profiled, error: Exception | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be looked up is no key, and what takes too long is not looked up again."""
    fetch, asked = Database.fetch, list[str]()

    def fetched(database: Database, sql: str) -> Rows:
        if "GROUP BY" in sql:
            asked.append(sql)
            if error is not None:
                raise error
        return fetch(database, sql)

    monkeypatch.setattr(Database, "fetch", fetched)
    assert found(profiled(GARDEN)) == ({NAMED, ALONE} if error is None else {NAMED})  # names hold until cells deny them
    asked.clear()
    again = "UPDATE bed SET shape = planted; CREATE TABLE pot AS SELECT planted AS holds FROM bed;"
    profiled(f"{GARDEN} {again} INSERT INTO pot SELECT * FROM pot")  # so that it has no key
    assert len(asked) == 1 or not isinstance(error, TimeLimitError)


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
