"""Profiles of whole databases: kinds, keys, and tables that are large, odd, locked or many."""

from __future__ import annotations

import sqlite3
import warnings
from contextlib import closing

import pytest

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.data.schema.schema import Column, Schema, Table
from querent.meaning.profile import KeyProfile
from querent.meaning.profiling import profile_of

GALLERY = """
CREATE TABLE painter (painter_id INTEGER PRIMARY KEY, full_name TEXT, born TEXT, country TEXT, alive INTEGER);
CREATE TABLE work (
    id INTEGER PRIMARY KEY, title TEXT, painter_id INTEGER REFERENCES painter, price TEXT, bought INTEGER,
    num_copies INTEGER, room_no INTEGER, status TEXT, remark TEXT
);
CREATE TABLE loan (loan_id INTEGER PRIMARY KEY, work_id INTEGER, hall_id INTEGER, since TEXT);
CREATE TABLE hall (id INTEGER PRIMARY KEY, city TEXT);
INSERT INTO painter VALUES (1, 'Ana Low', '03/11/1961', 'Peru', 1), (2, 'Bo Ek', '25/01/1950', 'Sweden', 0),
    (3, 'Cy Day', NULL, 'Peru', 1);
INSERT INTO work VALUES (1, 'Dawn', 1, '$1,200', 20190304, 0, 12, 'on show',
    'a long remark, of which nobody would ask for the words of it'),
    (2, 'Dusk', 1, '$900', 20200511, 1, 12, 'stored', NULL), (3, 'Noon', NULL, '$40', 20210102, 1, 14, 'stored', NULL),
    (4, 'Night', 2, '$75', 20210630, 0, 14, 'on show', NULL);
INSERT INTO loan VALUES (1, 1, 7, '04/05/2021'), (2, 1, 9, '02/02/2021');
INSERT INTO hall VALUES (1, 'Lund'), (2, 'Lima');
"""


def test_a_database_of_several_kinds(profiled):
    profile = profiled(GALLERY)
    kinds = {f"{table}.{column}": one.kind for (table, column), one in profile.columns.items()}
    assert kinds == {
        "painter.painter_id": "key",
        "painter.full_name": "name",
        "painter.born": "time",
        "painter.country": "category",
        "painter.alive": "flag",
        "work.id": "key",
        "work.title": "name",
        "work.painter_id": "key",
        "work.price": "amount",
        "work.bought": "time",
        "work.num_copies": "amount",
        "work.room_no": "code",
        "work.status": "category",
        "work.remark": "text",
        "loan.loan_id": "key",
        "loan.work_id": "key",
        "loan.hall_id": "key",
        "loan.since": "time",
        "hall.id": "key",
        "hall.city": "name",
    }
    assert profile.rows == {"painter": 3, "work": 4, "loan": 2, "hall": 2}
    born = profile.column("painter", "born")
    assert (born.nulls, born.unique, born.examples) == (1, True, ("03/11/1961", "25/01/1950"))


def test_an_open_order_is_that_of_another_column(profiled):
    since = profiled(GALLERY).column("loan", "since")
    assert since.time.form == "day first"
    assert "painter.born" in since.doubt


def test_keys_and_those_that_cells_do_not_bear_out(profiled):
    assert profiled(GALLERY).keys == (
        KeyProfile("work", ("painter_id",), "painter", ("painter_id",), True, True, True, True),
        KeyProfile("loan", ("work_id",), "work", ("id",), False, True, False, True),
    )


def test_one_row_of_each_and_all_are_referred_to(profiled):
    rows = ", ".join(f"({n}, {n})" for n in range(1, 31))
    script = f"""CREATE TABLE flat (id INTEGER PRIMARY KEY, floor INTEGER); INSERT INTO flat VALUES {rows};
        CREATE TABLE meter (id INTEGER PRIMARY KEY, flat_id INTEGER REFERENCES flat (id));
        INSERT INTO meter VALUES {rows};"""
    [key] = profiled(script).keys
    assert (key.many, key.optional, key.left_over) == (False, False, False)


def test_of_empty_tables_nothing_is_said_of_rows_that_meet(profiled):
    script = "CREATE TABLE flat (id INTEGER PRIMARY KEY); CREATE TABLE meter (flat_id INTEGER REFERENCES flat (id));"
    assert profiled(script).keys == (KeyProfile("meter", ("flat_id",), "flat", ("id",)),)


def test_a_key_into_its_own_table(profiled):
    script = """CREATE TABLE worker (id INTEGER PRIMARY KEY, full_name TEXT, manager_id INTEGER);
        INSERT INTO worker VALUES (1, 'Ada', NULL), (2, 'Bo', 1), (3, 'Cy', 1);"""
    [key] = profiled(script).keys
    assert (key.table, key.other, key.declared, key.optional) == ("worker", "worker", False, True)
    assert profiled(script.replace("'Cy', 1", "'Cy', 77")).keys == ()


def test_a_large_table_is_seen_from_end_to_end(profiled):
    script = """
        CREATE TABLE reading (id INTEGER PRIMARY KEY, taken TEXT, ok INTEGER, sensor_id INTEGER REFERENCES sensor);
        CREATE TABLE sensor (id INTEGER PRIMARY KEY);
        WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 19999)
        INSERT INTO reading SELECT n, date('2000-01-01', n || ' days'), n % 2, n FROM i;
        INSERT INTO sensor SELECT id FROM reading WHERE id < 5000;"""
    profile = profiled(script)
    taken = profile.column("reading", "taken").time
    assert (taken.first, taken.last) == ("2000-01-01", "2054-10-03")
    assert set(profile.column("reading", "ok").examples) == {"0", "1"}
    assert profile.rows["reading"] == 20000


def test_keys_into_a_large_table_are_looked_up(profiled):
    script = """CREATE TABLE town (town_id INTEGER PRIMARY KEY, size INTEGER);
        WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 9999)
        INSERT INTO town SELECT n, n FROM i;
        CREATE TABLE fair (id INTEGER PRIMARY KEY, town_id INTEGER); INSERT INTO fair SELECT n, n * 7 FROM
        (WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 400) SELECT n FROM i);
        CREATE TABLE show (id INTEGER PRIMARY KEY, town_id INTEGER);
        INSERT INTO show SELECT id, town_id + 20000 FROM fair;"""
    assert [(key.table, key.other) for key in profiled(script).keys] == [("fair", "town")]


def test_tables_without_rowids_views_and_odd_columns(profiled):
    script = """
        CREATE TABLE pair (a TEXT, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID; INSERT INTO pair VALUES ('x', 'y');
        CREATE TABLE odd (rowid TEXT, raw BLOB, "a ""b" TEXT, none TEXT);
        INSERT INTO odd VALUES ('r', x'00ff', 'z', NULL);
        CREATE TABLE bare (x INTEGER, y DATE);
        CREATE VIEW seen AS SELECT a FROM pair;"""
    profile = profiled(script)
    assert profile.column("seen", "a").examples == ("x",)
    raw = profile.column("odd", "raw")
    assert (raw.kind, raw.examples, raw.doubt) == ("empty", (), "bytes")
    assert profile.column("odd", 'a "b').examples == ("z",)
    assert {profile.column("bare", c).kind for c in "xy"} | {profile.column("odd", "none").kind} == {"empty"}


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


def test_a_view_that_fails_leaves_the_others_alone(profiled):
    script = """CREATE TABLE a (w INTEGER); INSERT INTO a VALUES (-9223372036854775808);
        CREATE VIEW broken AS SELECT abs(w) AS y, w FROM a;"""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        profile = profiled(script)
    assert profile.column("broken", "y") is None
    assert profile.column("broken", "w").kind == "amount"


def test_nothing_is_written(tmp_path):
    file = tmp_path / "gallery.sqlite"
    with closing(sqlite3.connect(file)) as writer:
        writer.executescript(GALLERY)
    before = file.read_bytes(), {path.name for path in tmp_path.iterdir()}
    with Database.open(file) as database:
        profile_of(database, from_sqlite(file))
    assert (file.read_bytes(), {path.name for path in tmp_path.iterdir()}) == before


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


def test_signs_around_times_are_told(profiled):
    found = profiled(
        "CREATE TABLE call (id INTEGER PRIMARY KEY, begun TEXT, ended TEXT);"
        "INSERT INTO call VALUES (1, '13/2/2024, 10:05', '13.02.2024'), (2, '4/12/2023, 9:30', ''), (3, NULL, '');"
    )
    begun, ended = (found.columns["call", name].time for name in ("begun", "ended"))
    assert begun is not None and (begun.clock, begun.gaps) == (", ", False)
    assert ended is not None and (ended.clock, ended.gaps) == (" ", True)
