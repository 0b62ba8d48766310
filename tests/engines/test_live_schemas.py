"""Schemas of a MariaDB and a PostgreSQL, read through a URL."""

import tomllib
from pathlib import Path

import pytest
from servers import execute, fresh_database
from sqlalchemy import Engine, event
from sqlalchemy.engine import make_url

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import read_schema
from querent.data.errors import DatabaseError, SchemaError
from querent.data.schema.schema import Column, ForeignKey
from querent.grammar.types.dialect import load_types, with_enumerations

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

MYSQL = CASES["mysql"]
POSTGRES = CASES["postgres"]
TYPES = {
    "mysql": ("varchar(16)", "int(11)", "decimal(8,2)", "enum('gear','screw')", "datetime"),
    "postgres": ("varchar(16)", "integer", "numeric(8,2)", "drive enum('gear','screw')", "timestamp"),
}


def test_tables_columns_types_comments_and_keys(scratch: str, dialect: str) -> None:
    execute(scratch, *(MYSQL if dialect == "mysql" else POSTGRES))
    schema = read_schema(scratch)
    assert schema.name == make_url(scratch).database
    assert sorted(t.name for t in schema.tables) == ["order", "pump"]
    pump, order = schema.table("pump"), schema.table("order")
    assert pump is not None
    assert order is not None
    text, whole, decimal, kind, moment = TYPES[dialect]
    assert pump.description == "泵 pumps"
    assert pump.columns == (
        Column("unit", text),
        Column("no", whole, "编号 its number"),
        Column("flow %", decimal),
        Column("kind", kind),
        Column("seen", moment),
    )
    assert pump.primary_key == ("no", "unit")
    assert pump.foreign_keys == ()
    assert [c.name for c in order.columns] == ["id", "unit", "no"]
    assert order.primary_key == ("id",)
    assert order.foreign_keys == (ForeignKey(("no", "unit"), "pump", ("no", "unit")),)
    assert order.description == ""


def test_columns_that_are_unique_by_themselves(scratch: str, dialect: str) -> None:
    execute(scratch, "CREATE TABLE valve (a INTEGER UNIQUE, b INTEGER, c INTEGER, d VARCHAR(9), UNIQUE (b, c))")
    execute(scratch, "CREATE UNIQUE INDEX u ON valve (d)", "CREATE INDEX v ON valve (c)")
    if dialect == "postgres":
        execute(scratch, "CREATE UNIQUE INDEX w ON valve (b) WHERE c > 1", "CREATE UNIQUE INDEX x ON valve ((b + 1))")
    assert sorted(read_schema(scratch).table("valve").unique) == ["a", "d"]


def test_types_that_the_driver_does_not_know_are_asked_of_the_server(scratch: str, dialect: str) -> None:
    kinds = {"mysql": ("point", "inet4", "uuid"), "postgres": ("point", "xml", "tsvector")}[dialect]
    execute(scratch, f"CREATE TABLE site (a {kinds[0]}, b {kinds[1]}, c {kinds[2]})")
    site = read_schema(scratch).table("site")
    assert site is not None
    assert tuple(c.type for c in site.columns) == kinds


def test_types_that_people_have_made_are_taken_for_none_of_the_servers_own(scratch: str, dialect: str) -> None:
    """A domain of an enumeration compares with no literal; a type called ``text`` is no text."""
    if dialect != "postgres":
        pytest.skip("only PostgreSQL has such types")
    execute(scratch, "CREATE SCHEMA other; CREATE TYPE other.\"Phase\" AS ENUM ('on', 'it''s')")
    execute(scratch, 'CREATE DOMAIN shift AS other."Phase"; CREATE DOMAIN grade AS integer CHECK (VALUE > 0)')
    execute(scratch, 'CREATE TYPE "text" AS (a integer)')
    columns = 'a other."Phase", b other."Phase"[], c shift, d grade, e public.text, f "char", g integer[]'
    execute(scratch, f"CREATE TABLE line ({columns})")
    line = read_schema(scratch).table("line")
    types = with_enumerations(load_types("postgres"), (c.type for c in line.columns))
    read = {c.name: (c.type, types.column(c.type).type) for c in line.columns}
    phase = "other.\"Phase\" enum('on','it''s')"
    assert read.pop("a") == (phase, phase)
    assert read.pop("d") == ("integer", "int")
    assert {kind for _, kind in read.values()} == {"other"}, read


def test_a_table_more_takes_a_look_at_it_and_no_further_query(scratch: str, dialect: str) -> None:
    """Eight a table were half a minute for a warehouse of 800, and minutes over a network."""
    if dialect != "postgres":
        pytest.skip("MariaDB and MySQL tell tables one by one")
    sent: list[str] = []

    def note(*told: object) -> None:
        sent.append(str(told[2]))

    with fresh_database(scratch) as url:
        execute(url, *(f"CREATE TABLE few_{n} (id INTEGER PRIMARY KEY, name TEXT UNIQUE)" for n in range(2)))
        event.listen(Engine, "before_cursor_execute", note)
        try:
            read_schema(url)
            few = len(sent)
            execute(url, *(f"CREATE TABLE more_{n} (id INTEGER PRIMARY KEY, name TEXT UNIQUE)" for n in range(20)))
            sent.clear()
            assert len(read_schema(url).tables) == 22
        finally:
            event.remove(Engine, "before_cursor_execute", note)
    assert len(sent) - few <= 20


def test_what_is_made_renamed_or_dropped_is_seen_of_a_database_that_is_open(scratch: str) -> None:
    changes = [
        "CREATE TABLE crane (id INTEGER)",
        "ALTER TABLE crane ADD COLUMN height INTEGER",
        "ALTER TABLE crane RENAME COLUMN height TO reach",
        "ALTER TABLE crane RENAME TO hoist",
        "DROP TABLE hoist",
    ]
    with fresh_database(scratch) as url:
        execute(url, "CREATE TABLE lift (id INTEGER)")
        with Database.open(url) as database:
            states = [database.schema_state()]
            for change in changes:
                execute(url, change)
                states.append(database.schema_state())
            execute(url, "INSERT INTO lift VALUES (1)")
            assert database.schema_state() == states[-1] == states[0]
    assert len(set(map(str, states))) == len(changes)


def test_an_empty_database_has_no_schema(scratch: str) -> None:
    with fresh_database(scratch) as url, pytest.raises(SchemaError, match="the database has no tables"):
        read_schema(url)


def test_a_server_that_is_not_there(scratch: str) -> None:
    wrong = make_url(scratch).set(port=1)
    with pytest.raises(DatabaseError, match="refused") as caught:
        read_schema(wrong.render_as_string(hide_password=False))
    assert str(wrong.password) not in str(caught.value)
    assert "\n" not in str(caught.value)
