"""A database of many tables, asked with the shipped network: the tables are found that a question needs."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from warehouse import OTHERS, make_warehouse

import querent as face
from querent.data.databases import schema_watch
from querent.parser.reader.inputs import MAX_COLUMNS
from querent.retrieval.schema_retriever.table_scorer import MAX_TABLES

ICELAND = "How many singers are from Iceland?"


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_warehouse(tmp_path_factory.mktemp("warehouse") / "warehouse.sqlite")


@pytest.fixture(scope="module")
def connection(warehouse: Path) -> Iterator[face.Connection]:
    with face.connect(warehouse, language="en") as opened:
        assert sum(len(table.columns) for table in opened.schema.tables) > MAX_COLUMNS
        yield opened


def test_the_tables_of_a_question_are_read_and_told(connection: face.Connection) -> None:
    answer = connection.ask(ICELAND)
    assert answer.rows == ((1,),)
    assert "singer" in answer.tables
    assert len(answer.tables) <= MAX_TABLES
    assert any(note.startswith(f"read {len(answer.tables)} of {len(OTHERS) + 3} tables: ") for note in answer.notes)
    assert answer.to_json()["tables"] == answer.tables


def test_what_lies_between_two_tables_is_read(connection: face.Connection) -> None:
    answer = connection.ask("What are the names of the singers in the concert Summer day?")
    assert {"singer", "concert", "appearance"} <= set(answer.tables)
    assert sorted(answer.rows) == [("Björk",), ("Sade",)]


def test_named_tables_are_read_alone(connection: face.Connection) -> None:
    answer = connection.ask(ICELAND, tables=["Concert", "shelf"])
    assert answer.tables == ("concert", "shelf")
    with pytest.raises(face.InputError, match=r"no table 'singr'.*singer"):
        connection.ask(ICELAND, tables=["singr"])


def test_a_follow_up_keeps_the_tables_before(connection: face.Connection) -> None:
    talk = connection.conversation()
    assert "singer" in talk.ask("Show the names of all singers.").tables
    answer = talk.ask("And only those from England?")
    assert "singer" in answer.tables
    assert answer.rows == (("Sade",),)


MARKUP = """
[[formula]]
name = "markup"
kind = "calculation"
is = '"list price" - "purchase cost"'
"""


def test_the_tables_are_read_that_a_formula_is_reckoned_from(tmp_path: Path) -> None:
    file, bank = make_warehouse(tmp_path / "warehouse.sqlite"), tmp_path / "bank.toml"
    bank.write_text(MARKUP)
    with closing(sqlite3.connect(file)) as database:
        database.executescript(
            "CREATE TABLE article (article_id INTEGER PRIMARY KEY, list_price REAL, purchase_cost REAL);"
            "INSERT INTO article VALUES (1, 10, 4), (2, 8, 6);"
        )
    with face.connect(file, language="en", knowledge=bank) as connection:
        answer = connection.ask("What is the highest markup?")
        assert "article" in answer.tables
        assert answer.rows == ((6.0,),)


def test_a_role_has_the_tables_chosen_among_what_it_may_read(warehouse: Path) -> None:
    role = face.Access(tables=(*OTHERS, "concert"), columns={"singer": ("name", "birth_year")})
    with face.connect(warehouse, language="en", access=role) as connection:
        assert "appearance" not in connection.ask(ICELAND).tables
        answer = connection.ask("What are the names and countries of singers?")
        assert "country" not in (answer.sql or "")
        with pytest.raises(face.InputError, match="no table 'appearance'"):
            connection.ask(ICELAND, tables=["appearance"])


def test_tables_that_come_and_go_are_seen_while_connected(tmp_path: Path) -> None:
    file = make_warehouse(tmp_path / "warehouse.sqlite")
    with face.connect(file, language="en") as connection:
        talk = connection.conversation()
        assert "singer" in talk.ask(ICELAND).tables
        _change(file, "ALTER TABLE singer RENAME TO vocalist")
        answer = talk.ask(ICELAND)  # what it asks for is gone, so that is noticed at once
        assert answer.status != "error"
        assert "singer" not in {table.name for table in connection.schema.tables}
        assert connection.ask("How many vocalists are from Iceland?").rows == ((1,),)
        _change(file, "CREATE TABLE spaceship (name TEXT); INSERT INTO spaceship VALUES ('Ark')")
        named = connection.ask("What are the names of all spaceships?", tables=["spaceship"])
        assert named.rows == (("Ark",),)


def test_a_file_that_is_put_in_the_place_of_another_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_watch, "AGAIN", 0)  # else it is asked as it was for a while
    file, new = make_warehouse(tmp_path / "warehouse.sqlite"), make_warehouse(tmp_path / "new.sqlite")
    with face.connect(file, language="en") as connection:
        assert connection.ask(ICELAND).rows == ((1,),)
        _change(new, "UPDATE singer SET country = 'Iceland'")
        new.replace(file)
        assert connection.ask(ICELAND).rows != ((1,),)
        file.rename(new)
        assert connection.ask(ICELAND).rows != ((1,),)


def _change(file: Path, script: str) -> None:
    with closing(sqlite3.connect(file)) as database:
        database.executescript(script)


def test_the_command_takes_tables(warehouse: Path, querent) -> None:
    done = querent("ask", warehouse, ICELAND, "--tables", "concert, singer", "--json", "--explain")
    told = json.loads(done.out)
    assert told["tables"] == told["explain"]["read"] == ["singer", "concert"]
    shown = querent("ask", warehouse, ICELAND, "--explain").out
    assert f"of {len(OTHERS) + 3} tables: " in shown
