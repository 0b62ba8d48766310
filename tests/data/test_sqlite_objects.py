"""SQLite files that hold more than tables: views, virtual tables, and what cannot be read."""

import sqlite3
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from databases import create

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.data.errors import DatabaseError, SchemaError
from querent.data.schema.schema import Column, ForeignKey, Schema

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

SCRIPT = CASES["script"]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("objects") / "depot.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(SCRIPT)
        database.execute("PRAGMA writable_schema = ON")  # no other way to a table whose module nobody has
        made = "CREATE VIRTUAL TABLE vectors USING vec0(a float[3])"
        database.execute("INSERT INTO sqlite_master VALUES ('table', 'vectors', 'vectors', 0, ?)", [made])
        database.commit()
    return path


@pytest.fixture(scope="module")
def schema(file: Path) -> Schema:
    return from_sqlite(file)


@pytest.fixture
def database(file: Path) -> Iterator[Database]:
    with Database.open(file) as opened:
        yield opened


def test_tables_views_and_virtual_tables_are_read_and_their_shadows_are_not(schema: Schema) -> None:
    plain = {"crate", "strict_one", "vectors_and_more"}
    assert {t.name for t in schema.tables} == {*plain, "memo", "old_memo", "spot", "heavy", "figures"}
    assert [c.name for c in schema.table("memo").columns] == ["title", "body"]
    assert [c.type for c in schema.table("spot").columns] == ["int", "real", "real"]


def test_what_cannot_be_read_is_told(schema: Schema) -> None:
    told = dict(line.split(": ", 1) for line in schema.left_out)
    assert told["vectors"] == "no such module: vec0"
    assert told["stale"] == told["hollow"] == "no such table: main.gone"
    assert len(told) == 3
    assert Schema.from_json(schema.to_json()) == schema


def test_a_view_has_the_keys_of_what_it_shows(schema: Schema) -> None:
    heavy, figures = schema.table("heavy"), schema.table("figures")
    assert heavy.primary_key == ("heavy_code",)
    assert heavy.foreign_keys == (ForeignKey(("heavy_code",), "crate", ("code",)),)
    assert heavy.columns == (Column("heavy_code", "text"), Column("kilo", "real"))
    assert figures.primary_key == ()  # each code stands once, but that is the group's doing
    assert figures.foreign_keys == (ForeignKey(("code",), "crate", ("code",)),)


def test_a_views_columns_have_the_types_that_are_seen(schema: Schema) -> None:
    read = {c.name: (c.type, c.computed) for c in schema.table("figures").columns}
    assert read == {
        "code": ("text", False),
        "pieces": ("numeric", False),
        "part": ("numeric", True),
        "grams": ("numeric", True),
        "loud": ("text", True),
    }


def test_virtual_tables_answer_queries_and_nothing_writes(database: Database) -> None:
    assert database.query("SELECT title FROM memo WHERE memo MATCH 'wet'").rows == [("Dock",)]
    assert database.query("SELECT COUNT(*) FROM memo").rows == [(2,)]
    assert database.query("SELECT high FROM spot").rows == [(1.5,)]
    assert database.query("SELECT COUNT(*) FROM crate").rows == [(2,)]
    for sql in ("INSERT INTO memo (memo) VALUES ('optimize')", "DELETE FROM spot", "PRAGMA query_only = OFF"):
        with pytest.raises(DatabaseError, match="open for reading"):
            database.query(sql)


def test_virtual_tables_open_anew_where_another_program_changes_the_schema(file: Path, database: Database) -> None:
    assert database.query("SELECT COUNT(*) FROM memo").rows == [(2,)]
    create(file, "CREATE TABLE later (a); DROP TABLE later;")
    assert database.query("SELECT COUNT(*) FROM memo").rows == [(2,)]


def test_a_file_of_nothing_that_can_be_read_says_why(tmp_path: Path) -> None:
    script = "CREATE TABLE gone (x); CREATE VIEW stale AS SELECT x FROM gone; DROP TABLE gone;"
    file = create(tmp_path / "stale.sqlite", script)
    with pytest.raises(SchemaError, match=r"no tables.*stale: no such table: main\.gone"):
        from_sqlite(file)


def test_what_one_table_or_view_raises_costs_that_alone(tmp_path: Path) -> None:
    path = tmp_path / "odd.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE crate (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO crate VALUES (1, 'a'), (2, 'b');"
            "CREATE TABLE half (id INTEGER NOT NULL ON CONFLICT REPLACE -- this many\n, x TEXT);"
            "CREATE VIEW ratio AS SELECT id, ABS(id * -4611686018427387904) AS far FROM crate;"
            "CREATE TABLE old (a TEXT); CREATE TABLE older (b TEXT);"
        )
        database.execute("PRAGMA writable_schema = ON")  # as programs with another encoding wrote them
        changed = (
            "UPDATE sqlite_master SET name = CAST(?1 AS TEXT), tbl_name = CAST(?1 AS TEXT), sql = CAST(?2 AS TEXT)"
        )
        database.execute(f"{changed} WHERE name = 'old'", [b"old", b"CREATE TABLE old (\xe4 TEXT)"])
        database.execute(f"{changed} WHERE name = 'older'", [b"\xf6lder", b"CREATE TABLE \xf6lder (b TEXT)"])
        database.commit()
    schema = from_sqlite(path)
    assert {table.name for table in schema.tables} == {"crate", "half", "ratio"}
    assert [told.split(": ")[0] for told in schema.left_out] == ["comments of half", "old", "\ufffdlder"]
    with Database.open(path) as database:
        database.confine(schema)
        with pytest.raises(DatabaseError, match="integer overflow"):
            database.query("SELECT AVG(far) FROM ratio")
        assert database.query("SELECT COUNT(*) FROM crate").rows == [(2,)]
