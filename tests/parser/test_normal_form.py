"""Queries and their normal forms: SQL in, SQL out."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from sql_pairs import pairs

from querent.data.domains.collection import from_spider
from querent.data.errors import QueryError
from querent.data.schema.schema import Column, ForeignKey, Schema, Table
from querent.grammar import Grammar
from querent.parser.normal_form import NormalForm

# `Track_2` is a table, so that the second use of Track is called otherwise
SCHEMA = Schema(
    (
        Table("Artist", (Column("ArtistId", "int"), Column("Name", "text")), ("ArtistId",)),
        Table(
            "Album",
            (Column("AlbumId", "int"), Column("Title", "text"), Column("ArtistId", "int")),
            ("AlbumId",),
            (ForeignKey(("ArtistId",), "Artist", ("ArtistId",)),),
        ),
        Table(
            "Track",
            (Column("TrackId", "int"), Column("Name", "text"), Column("AlbumId", "int"), Column("Order", "int")),
            ("TrackId",),
            (ForeignKey(("AlbumId",), "Album", ()),),
        ),
        Table("Track_2", (Column("Mix", "text"),)),
    ),
    "music",
)

CASES, REFUSED = pairs("normal_form"), pairs("normal_form", "!")


@pytest.fixture(scope="module")
def normal() -> NormalForm:
    return NormalForm(Grammar.for_schema(SCHEMA, dialect="sqlite"))


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    for table in SCHEMA.tables:
        columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
        connection.execute(f"CREATE TABLE {table.name} ({columns})")
        for row in range(1, 7):
            values = [row % 4 if column.name.endswith("Id") else "xyab"[row % 4] for column in table.columns]
            connection.execute(f"INSERT INTO {table.name} VALUES ({', '.join('?' * len(values))})", values)
    return connection


@pytest.mark.parametrize("sql", CASES)
def test_normal_form(normal: NormalForm, database: sqlite3.Connection, sql: str):
    assert normal.of(sql) == normal.of(CASES[sql]) == CASES[sql]
    if "{" not in sql:
        assert sorted(map(repr, database.execute(normal.of(sql)))) == sorted(map(repr, database.execute(sql)))


@pytest.mark.parametrize("sql", REFUSED)
def test_refused(normal: NormalForm, sql: str):
    with pytest.raises(QueryError, match=REFUSED[sql]):
        normal.of(sql)


def test_names_that_the_engine_would_fold_stand_in_quotes():
    normal = NormalForm(Grammar.for_schema(SCHEMA, dialect="postgres"))
    sql = 'SELECT X."Title" FROM (SELECT a."Title" FROM "Album" a) x WHERE NOT x."Title" IS NULL LIMIT 3'
    assert normal.of(sql) == (
        'SELECT t1.c1 FROM (SELECT "Album"."Title" AS c1 FROM "Album") AS t1 WHERE t1.c1 IS NOT NULL LIMIT 3'
    )
    for wrong in ('SELECT Title FROM "Album"', 'SELECT "title" FROM "Album"', 'SELECT "Title" FROM Album'):
        with pytest.raises(QueryError, match=r"no table|no column"):
            normal.of(wrong)


def test_gold_queries_keep_their_rows(shared_data: Path):
    folder = shared_data / "multi" / "spider-train"
    if not folder.is_dir():
        pytest.skip("Spider's training part is not at ../shared/data/multi")
    pairs = [(row["db_id"], row["query"]) for row in json.loads((folder / "train_spider.json").read_text("utf-8"))]
    forms: dict[str, NormalForm] = {}
    for place, gold in pairs[::70]:
        if place not in forms:
            schema = from_spider(folder / "tables.json", place)
            forms[place] = NormalForm(Grammar.for_schema(schema, dialect="sqlite"))
        with sqlite3.connect(f"file:{folder / 'database' / place / place}.sqlite?mode=ro", uri=True) as database:
            database.text_factory = bytes
            due = database.execute(gold).fetchall()
            assert sorted(map(repr, database.execute(forms[place].of(gold)))) == sorted(map(repr, due)), gold
