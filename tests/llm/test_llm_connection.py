"""`querent.connect_llm`: a database, a model, and what it is told of the database."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from scripted import Masked, Scripted, fenced, write_books
from tiny_domain import write

import querent
from querent.data.domains.schema_places import open_schema
from querent.data.errors import InputError, SchemaError
from querent.grammar import Access
from querent.llm.prompts.templates import example_cells

pytestmark = pytest.mark.usefixtures("cache")

SQL = "SELECT COUNT(*) FROM book"


@pytest.fixture
def books(tmp_path):
    return write_books(tmp_path)


def test_cells_are_short_texts_of_the_first_rows(books):
    with closing(sqlite3.connect(books)) as connection, connection:
        connection.execute("INSERT INTO book VALUES ('', 'Li', 1, 1), (?, 'Li', 2, 2)", ("long " * 20,))
    with querent.Database.open(books) as database:
        schema, _ = open_schema(books)
        cells = example_cells(schema, database, 2)
    assert cells[("author", "country")] == ("Chile", "China")
    assert ("book", "year") not in cells
    assert all(0 < len(cell) <= 30 for found in cells.values() for cell in found)
    assert max(len(found) for found in cells.values()) == 2


def test_each_question_has_prompts_of_its_language(books):
    backend = Scripted([fenced(SQL)] * 2)
    with querent.connect_llm(books, backend, options=querent.LlmOptions(cells=0)) as connection:
        connection.ask("how many books?")
        connection.ask("有多少本书？")
    assert ["Question:" in asked[-1].content for asked in backend.asked] == [True, False]
    assert "e.g." not in backend.asked[0][-1].content


def test_a_domain_on_the_database_tells_what_it_describes(tmp_path):
    folder = write(tmp_path / "tiny")
    schema = (folder / "schema.sql").read_text(encoding="utf-8")
    (folder / "schema.sql").write_text(schema.replace("people INTEGER", "people INTEGER -- souls\n"), encoding="utf-8")
    backend = Scripted([fenced("SELECT name FROM city WHERE state = 'idaho'")])
    with querent.connect_llm(folder / "tiny.sqlite", backend, examples=folder) as connection:
        assert connection.ask("which cities are in idaho").rows == (("idaho town",),)
    asked = backend.asked[0]
    assert "-- souls" in asked[-1].content
    assert asked[-3].content.startswith("Question: which cities are in ")


def test_values_that_a_question_names_are_told_with_their_columns(books):
    backend = Scripted([fenced(SQL)] * 2)
    with querent.connect_llm(books, backend) as connection:
        connection.ask("how many books did Mo write after Sand?")
        connection.ask("how many books?")
    named, unnamed = (asked[-1].content for asked in backend.asked)
    assert named.endswith("\nNamed: Mo in author.name, book.author; Sand in book.title")
    assert "Named" not in unnamed


def test_values_of_columns_that_may_not_be_read_are_not_told(books):
    backend = Masked([fenced(SQL)])
    access = Access(tables=("author",), columns={"book": ("author", "year", "pages")})
    with querent.connect_llm(books, backend, access=access) as connection:
        connection.ask("how many books did Mo write after Sand?")
    assert backend.asked[0][-1].content.endswith("\nNamed: Mo in author.name, book.author")


def test_what_is_wrong_shows_before_the_first_question(books, tmp_path):
    with pytest.raises(InputError, match="no such folder of prompts"):
        querent.connect_llm(books, Scripted([]), options=querent.LlmOptions(prompts=tmp_path / "gone"), language="en")
    with pytest.raises(InputError, match="cannot be read"):
        querent.connect_llm(books, Scripted([]), examples=tmp_path / "gone.jsonl", language="en")
    with pytest.raises(SchemaError, match="no such database file"):
        querent.connect_llm(tmp_path / "gone.sqlite", Scripted([]))


FUNCTIONS = """
[[function]]
name = "SHARE"
arguments = [{ name = "part", type = "INTEGER" }]
returns = "REAL"
description = "of a million"
sql = ":part / 1e6"
"""


def test_hidden_questions_are_never_shown(tmp_path):
    folder = write(tmp_path / "tiny")
    hidden = [f"  Which cities are   in {state}" for state in ("texas", "ohio", "utah", "maine", "iowa")]
    backend, options = Scripted([fenced("SELECT name FROM city")] * 2), querent.LlmOptions(shots=30)
    for unseen in ((), hidden):
        told = {"examples": folder, "options": options, "hidden": unseen}
        with querent.connect_llm(folder / "tiny.sqlite", backend, **told) as connection:
            connection.ask("which cities are in iowa")
    shown = [{m.content for m in asked[1:-1] if m.role == "user"} for asked in backend.asked]
    assert len(shown[0] - shown[1]) == 5
    assert [text for text in shown[1] if "which cities" in text.lower()] == []
