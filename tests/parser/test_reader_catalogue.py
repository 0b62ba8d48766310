"""Contexts of some tables of a database, which know no others."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from reader_cases import DDL, ROWS

from querent.data.databases.schema_readers import from_ddl, from_sqlite
from querent.grammar import Access
from querent.meaning.profiling import open_profile
from querent.ner.index import FoundValue, ValueIndex
from querent.parser.reader.catalogue import TableCatalogue


@pytest.fixture
def catalogue(tmp_path: Path) -> TableCatalogue:
    file = tmp_path / "music.sqlite"
    with closing(sqlite3.connect(file)) as database:
        database.executescript(DDL["music"] + ROWS["music"])
    schema = from_sqlite(file)
    profile = open_profile(file, schema, cache=tmp_path)
    return TableCatalogue(schema, ValueIndex.open(file, schema, cache=tmp_path), "sqlite", "en", profile=profile)


def test_a_context_has_its_tables_alone(catalogue: TableCatalogue) -> None:
    context = catalogue.over(["album", "review"])
    assert [table.name for table in context.items.schema.tables] == ["album", "review"]
    assert {word.table for word in context.vocabulary.words} == {None, "album", "review"}
    assert [key.table for table in context.grammar.schema.tables for key in table.foreign_keys] == ["album"]
    assert {table for table, _ in context.profile.columns} == {"album", "review"}
    assert set(context.profile.rows) == {"album", "review"}
    assert all({key.table, key.other} <= {"album", "review"} for key in context.profile.keys)


def test_values_are_those_of_its_tables(catalogue: TableCatalogue) -> None:
    question = "Who made Debut, Björk?"
    found = {one.value for one in catalogue.over(["album"]).values(question)}
    assert "Debut" in found and "Björk" not in found
    found = {one.value for one in catalogue.over(["artist"]).values(question)}
    assert "Björk" in found and "Debut" not in found
    assert {"Björk", "Debut"} <= {one.value for one in catalogue.whole.values(question)}


def test_constants_go_with_the_tables_that_hold_them(catalogue: TableCatalogue) -> None:
    def constant(value: str, *columns: tuple[str, str]) -> FoundValue:
        return FoundValue(0, 0, "", value, "cell" if columns else "number", "constant", columns, 0.0)

    told = (constant("USA", ("artist", "country")), constant("7"))
    some = TableCatalogue(catalogue.schema, catalogue.index, "sqlite", "en", constants=told)
    assert [one.value for one in some.over(["album"]).constants] == ["7"]
    assert [one.value for one in some.over(["artist"]).constants] == ["USA", "7"]


def test_a_role_reads_no_more_of_some_tables_than_of_all(catalogue: TableCatalogue) -> None:
    role = Access(tables=("review",), columns={"artist": ("name",)})
    some = TableCatalogue(catalogue.schema, catalogue.index, "sqlite", "en", access=role)
    assert [table.name for table in some.readable.tables] == ["artist", "review"]
    context = some.over(["artist"])
    assert {word.column for word in context.vocabulary.words if word.table == "artist"} <= {None, "name"}
    assert context.grammar.access == Access((), {"artist": ("name",)})
    assert not any(("artist", "country") in one.columns for one in context.values("Who is from Iceland?"))


def test_a_table_that_differs_in_case_alone_gives_no_access() -> None:

    schema = from_ddl(
        'CREATE TABLE "T" (open INTEGER, secret INTEGER); CREATE TABLE t (a INTEGER);', dialect="postgres"
    )
    role = Access(tables=("t",), columns={"T": ("open",)})
    assert role.only(["T"], schema) == Access((), {"T": ("open",)})
    assert role.only(["t"], schema) == Access(("t",))
    narrowed = role.only(["T"], schema).narrowed(schema.only(["T"]))
    assert [column.name for _, column in narrowed.columns()] == ["open"]


def test_a_database_is_large_by_its_columns(catalogue: TableCatalogue) -> None:
    assert not catalogue.is_large
