"""What a database had and has no longer is told to whoever asks for it, on every engine, and never replaced."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cases import table

import querent as face
from querent.data.databases import schema_watch
from querent.data.schema.schema import Column, Schema, Table
from querent.ner.language.question import QuestionText
from querent.parser.answering.unlinked import Vanished

ORDERS = "how many orders are there?"


def lake_schema(*tables: str) -> Schema:
    """Return a schema of tables with a name and what stands behind the colon of each."""
    split = (table.partition(":") for table in tables)
    return Schema(tuple(Table(name, (Column("name"), *map(Column, more.split()))) for name, _, more in split))


@pytest.mark.parametrize(
    ("question", "gone"),
    [
        ("how many lakes are there?", "lake"),
        ("the Lake with the longest name", "lake"),
        ("list the surface areas", "lake.surface_area, river.surface_area"),
        ("the name of each river", None),
        ("how long are rivers?", None),
        ("有多少湖泊？", "湖泊"),
        ("", None),
    ],
)
def test_what_a_question_names_and_is_gone(question: str, gone: str | None) -> None:
    known = Vanished("sqlite")
    known.follow(lake_schema("lake:surface_area", "river:surface_area", "湖泊"))
    assert known.gone(QuestionText(question)) is None
    known.follow(lake_schema("river:length"))
    told = known.gone(QuestionText(question))
    assert (told is None) == (gone is None)
    assert {*(told or "").partition(": ")[2].split(", ")} <= {*(gone or "").split(", ")}


def test_what_a_query_reads_and_is_gone() -> None:
    known = Vanished("sqlite")
    known.follow(lake_schema("lake:depth", "river:depth"))
    known.follow(lake_schema("river"))
    for sql, gone in (
        ("SELECT COUNT(*) FROM lake", "lake"),
        ("SELECT name FROM river WHERE depth > 2", "river.depth"),
        ("SELECT T1.depth FROM river AS T1", "river.depth"),
        ("SELECT name FROM river", None),
        ("no query (", None),
    ):
        told = known.gone(QuestionText("how many?"), sql)
        assert (told and told.partition(": ")[2]) == gone


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    shutil.copy(face.database_place("shop"), tmp_path / "shop.sqlite")
    return tmp_path / "shop.sqlite"


def alter(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as writer:
        writer.execute(statement)


@pytest.mark.parametrize(
    ("change", "question", "gone"), table(__file__, "of_a_table_or_column_that_is_gone_no_other_is_answered")
)
def test_of_a_table_or_column_that_is_gone_no_other_is_answered(
    shop: Path, change: str, question: str, gone: str
) -> None:
    with face.connect(shop) as connection:
        assert connection.ask(question).status in ("ok", "unsure")
        alter(shop, change)
        answer = connection.ask(question)
        assert (answer.status, answer.sql, answer.rows) == ("no_answer", None, ())
        assert (answer.reason or "").endswith(f": {gone}")
        assert connection.ask("how many suppliers are there?").status == "ok"


def test_what_was_gone_before_the_question_is_told_as_well(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_watch, "AGAIN", 0)  # else the tables are those of before for a while
    with face.connect(shop) as connection:
        alter(shop, "DROP TABLE orders")
        assert connection.ask("how many suppliers are there?").status == "ok"
        assert connection.schema.by_name.get("orders") is None
        assert (connection.ask(ORDERS).reason or "").endswith(": orders")
        alter(shop, "CREATE TABLE orders (order_id INTEGER PRIMARY KEY)")
        assert connection.ask(ORDERS).rows == ((0,),)


def test_a_locked_file_is_told_with_the_query_that_waited(shop: Path) -> None:
    with face.connect(shop, timeout=0.3) as connection, closing(sqlite3.connect(shop, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        answer = connection.ask(ORDERS)
        assert (answer.status, answer.sql, answer.rows) == ("error", "SELECT COUNT(*) FROM orders", ())
        assert (answer.reason or "").startswith("database is locked")
        assert [one.sql for one in answer.alternatives]
        writer.execute("COMMIT")
        assert connection.ask(ORDERS).rows == ((35,),)
