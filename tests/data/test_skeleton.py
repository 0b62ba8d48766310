"""The skeleton of a domain, and the DDL it is written with."""

from __future__ import annotations

import json
import sqlite3
import tomllib
from contextlib import closing

import pytest

from querent.data.database import Database
from querent.data.ddl_writer import to_ddl
from querent.data.errors import DatabaseError, DomainError, SchemaError
from querent.data.schema import Column, ForeignKey, Schema, Table
from querent.data.schema_readers import from_ddl, from_sqlite
from querent.data.skeleton import entities_of, write_skeleton
from querent.grammar import Grammar

SHOP = """
CREATE TABLE town (name TEXT PRIMARY KEY, people INTEGER);
CREATE TABLE "order" (
    "order id" INTEGER PRIMARY KEY,
    town TEXT REFERENCES town (name),
    amount DECIMAL(10, 2), -- in euros
    note TEXT
);
INSERT INTO town VALUES ('Ulm', 128000), ('Bern', 134000), ('Genf', 203000);
INSERT INTO "order" VALUES (1, 'Ulm', 10.5, 'it''s urgent'), (2, 'Bern', 20, '17'), (3, 'Basel', 7, NULL);
"""


@pytest.fixture
def shop(tmp_path):
    file = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(file)) as database, database:
        database.executescript(SHOP)
    return file


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
def test_ddl_is_read_back_as_it_was(dialect):
    schema = Schema(
        (
            Table(
                "item", (Column("code", "varchar(9)", "编号"), Column("group", "int")), ("code",), (), "what we sell"
            ),
            Table(
                "item in stock",
                (Column("code", "varchar(9)"), Column("Shelf-No", "decimal(10, 2)", "place;  with\nbreaks")),
                ("code", "Shelf-No"),
                (ForeignKey(("code",), "item", ("code",)),),
            ),
        )
    )
    read = from_ddl(to_ddl(schema, Grammar.for_schema(schema, dialect=dialect).quoting.write), dialect)
    assert [t.name for t in read.tables] == ["item", "item in stock"]
    for table, wanted in zip(read.tables, schema.tables, strict=True):
        assert [c.name for c in table.columns] == [c.name for c in wanted.columns]
        assert (table.primary_key, table.foreign_keys) == (wanted.primary_key, wanted.foreign_keys)
    assert read.tables[0].description == "what we sell"
    assert [c.description for c in read.tables[0].columns] == ["编号", ""]
    assert read.tables[1].columns[1].description == "place; with breaks"


def test_entities_are_values_by_the_kind_they_are_of(shop):
    with Database.open(shop) as database:
        found = entities_of(from_sqlite(shop), database)
    by_place = {place: [(e.sql, e.type) for e in entities] for place, entities in found.items()}
    # the order's towns are towns, most of them; notes hold a number, so they are no names
    assert by_place == {("town", "name"): [("Basel", "name"), ("Bern", "name"), ("Genf", "name"), ("Ulm", "name")]}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_skeleton_is_whole(shop, tmp_path, language):
    folder = tmp_path / "shop"
    made = write_skeleton(folder, str(shop), language=language)
    assert sorted(made.files) == sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    assert (made.tables, made.columns, made.types) == (2, 6, {"name": 4})
    manifest = tomllib.loads((folder / "domain.toml").read_text(encoding="utf-8"))
    assert (manifest["name"], manifest["language"], manifest["dialect"]) == ("shop", language, "sqlite")
    assert manifest["database"] == str(shop)
    lines = (folder / "entities.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0]) == {"sql": "Basel", "type": "name", "says": []}
    prototypes = tomllib.loads((folder / "prototypes" / "start.toml").read_text(encoding="utf-8"))["prototype"]
    assert len(prototypes) == made.prototypes >= 4
    with closing(sqlite3.connect(shop)) as database:
        for prototype in prototypes:
            filled = prototype["sql"].replace("{name0}", "Ulm").replace("{number0}", "1")
            assert database.execute(filled).fetchall(), prototype["id"]


def test_what_cannot_be_made_is_told(shop, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(DomainError, match="something here already"):
        write_skeleton(tmp_path / "full", str(shop))
    with pytest.raises(DomainError, match="no grammar for 'oracle'"):
        write_skeleton(tmp_path / "new", "oracle://host/db")
    with pytest.raises((SchemaError, DatabaseError), match="no such database file"):
        write_skeleton(tmp_path / "new", str(tmp_path / "none.sqlite"))
    assert not (tmp_path / "new").exists()
