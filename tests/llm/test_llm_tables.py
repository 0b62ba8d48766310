"""Which tables a language model is told: those that a question may need, as many as fit; columns that make room."""

import json
import random
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scripted import SCHEMA, Masked, Scripted, fenced, write_books
from warehouse import OTHERS, make_warehouse

import querent
from querent.data.databases import schema_watch
from querent.data.databases.schema_readers import from_ddl
from querent.data.errors import InputError
from querent.dialogue.conversation import Conversation
from querent.grammar import Access
from querent.llm.messages import Message
from querent.llm.options import LlmOptions
from querent.llm.pruned_schema import needed_columns, prune_schema
from querent.retrieval.schema_retriever.table_scorer import MAX_TABLES

ICELAND = "How many singers are from Iceland?"
SQL = "SELECT COUNT(*) FROM singer WHERE country = 'Iceland'"
_CREATED = re.compile(r"CREATE TABLE (\w+)")


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_warehouse(tmp_path_factory.mktemp("warehouse") / "warehouse.sqlite")


def told(messages: Sequence[Message]) -> list[str]:
    """Return the tables that a prompt tells, in its order; those of the question, not of a correction."""
    return _CREATED.findall("\n".join(message.content for message in messages))


def ask(place: Path, backend: Scripted, question: str = ICELAND, **how: Any) -> querent.LlmAnswer:
    asked = {name: how.pop(name) for name in ("before", "tables") if name in how}
    given = {name: how.pop(name) for name in ("access", "examples") if name in how}
    with querent.connect_llm(place, backend, language="en", options=LlmOptions(**how), **given) as connection:
        return connection.ask(question, **asked)


def solved(folder: Path, shots: dict[str, str]) -> Path:
    """Write solved questions into a file."""
    file = folder / "solved.jsonl"
    file.write_text("\n".join(json.dumps({"question": q, "sql": sql}) for q, sql in shots.items()), encoding="utf-8")
    return file


def test_the_likeliest_tables_are_told_the_best_first(warehouse: Path) -> None:
    backend = Scripted([fenced(SQL)])
    answer = ask(warehouse, backend)
    names = told(backend.asked[0])
    assert answer.rows == ((1,),)
    assert names[0] == "singer" and len(names) <= MAX_TABLES
    assert set(answer.tables) == set(names)
    assert answer.notes == (f"read {len(names)} of {len(OTHERS) + 3} tables: {', '.join(answer.tables)}",)
    assert "Named: Iceland in singer.country" in backend.asked[0][-1].content
    assert "e.g. 'Nina Simone'" in backend.asked[0][-1].content


def test_a_query_on_other_tables_is_refused_with_those_that_are_told(warehouse: Path) -> None:
    backend = Scripted([fenced("SELECT COUNT(*) FROM leaflet"), fenced(SQL)])
    answer = ask(warehouse, backend, corrections=1)
    assert answer.rows == ((1,),)
    assert "leaflet" not in answer.tables
    problem = answer.attempts[0].problem or ""
    assert "leaflet" in problem and "singer" in problem


def test_named_tables_are_told_alone(warehouse: Path) -> None:
    backend = Scripted([fenced("SELECT COUNT(*) FROM concert")])
    answer = ask(warehouse, backend, tables=["shelf", "Concert"])
    assert sorted(told(backend.asked[0])) == ["concert", "shelf"]
    assert answer.tables == ("concert", "shelf")
    with pytest.raises(InputError, match=r"no table 'singr'.*singer"):
        ask(warehouse, Scripted([]), tables=["singr"])


def test_the_tables_of_the_query_before_are_told(warehouse: Path) -> None:
    backend = Scripted([fenced("SELECT turbine_no FROM turbine"), fenced("SELECT turbine_no FROM turbine")])
    with querent.connect_llm(warehouse, backend, language="en", options=LlmOptions(most_tables=1)) as connection:
        talk = Conversation(connection)
        talk.ask("Which turbines are there?")
        answer = talk.ask("And how many singers?")
    assert {"turbine", "singer"} <= set(answer.tables)
    assert told(backend.asked[1])[0] == "turbine"
    assert answer.carried is not None and "FROM turbine" in answer.carried.kept


def test_the_tables_of_a_solved_question_that_is_shown_are_told(warehouse: Path, tmp_path: Path) -> None:
    backend = Scripted([fenced(SQL)])
    examples = solved(tmp_path, {"How many of them are there?": "SELECT COUNT(*) FROM aircraft JOIN boiler"})
    assert {"aircraft", "boiler", "singer"} <= set(ask(warehouse, backend, examples=examples, most_tables=1).tables)


def test_a_role_is_told_what_it_may_read(warehouse: Path) -> None:
    role = Access(tables=(*OTHERS, "concert"), columns={"singer": ("name", "birth_year")})
    backend = Masked([fenced("SELECT name FROM singer")])
    answer = ask(warehouse, backend, "What are the names and countries of singers in concerts?", access=role)
    assert {"singer", "concert"} <= set(answer.tables) and "appearance" not in answer.tables
    prompt, (task,) = backend.asked[0][-1].content, backend.tasks
    assert "birth_year" in prompt and "country" not in prompt
    assert task.access is not None
    readable = task.access.narrowed(task.schema)
    assert [column.name for column in readable.table("singer").columns] == ["name", "birth_year"]
    with pytest.raises(InputError, match="no table 'appearance'"):
        ask(warehouse, Masked([]), access=role, tables=["appearance"])


# --- budgets


def connected(place: Path, backend: Scripted, **options: Any) -> querent.Connection:
    return querent.connect_llm(place, backend, language="en", options=LlmOptions(cells=0, **options))


def test_a_context_is_filled_and_never_overfull(warehouse: Path, tmp_path: Path) -> None:
    shown = list[int]()
    examples = solved(tmp_path, {f"How many of number {n}?": f"SELECT {n} " + "+ 1 " * 20 for n in range(3)})
    for context in (130, 200, 300):
        backend = Scripted([fenced(SQL)], context=context)
        assert ask(warehouse, backend, examples=examples, shots=3, cells=0, max_tokens=10).rows == ((1,),)
        assert backend.count(backend.asked[0]) + 10 <= context
        assert told(backend.asked[0])[0] == "singer"
        shown.append(sum("of number" in message.content for message in backend.asked[0]))
    assert shown == sorted(shown) and shown[0] == 0 < shown[-1]


def test_a_small_database_that_is_too_much_for_a_context_has_its_tables_chosen(tmp_path: Path, cache: Path) -> None:
    books, question = write_books(tmp_path), "Which country is the author Mo from?"
    whole, part = Scripted([fenced("SELECT country FROM author")]), Scripted([fenced("SELECT country FROM author")])
    with connected(books, whole, max_tokens=10) as connection:
        connection.ask(question)
    part.context = whole.count(whole.asked[0]) + 9
    with connected(books, part, max_tokens=10) as connection:
        assert connection.ask(question).tables == ("author",)
    assert [told(backend.asked[0]) for backend in (whole, part)] == [["author", "book"], ["author"]]


def test_a_model_is_told_the_tables_that_are_there_by_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_watch, "AGAIN", 0)  # else it is told those of before for a while
    file = make_warehouse(tmp_path / "warehouse.sqlite")
    backend = Scripted([fenced(SQL), fenced(SQL.replace("singer", "vocalist"))])
    with querent.connect_llm(file, backend, language="en") as connection:
        assert connection.ask(ICELAND).rows == ((1,),)
        with closing(sqlite3.connect(file)) as database:
            database.execute("ALTER TABLE singer RENAME TO vocalist")
        assert connection.ask("How many vocalists are from Iceland?", tables=["vocalist"]).rows == ((1,),)
    assert told(backend.asked[1]) == ["vocalist"]
    assert "Named: Iceland in vocalist.country" in backend.asked[1][-1].content


JOINED = "SELECT T1.country FROM author AS T1 JOIN book AS T2 ON T1.name = T2.author WHERE pages > 300"
WIDE = from_ddl("CREATE TABLE wide (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT, d TEXT, e TEXT, f TEXT);", "sqlite")


def width(table) -> int:
    return len(table.columns)


def test_what_a_query_needs():
    assert needed_columns(JOINED, SCHEMA) == {"author": {"country", "name"}, "book": {"author", "pages"}}
    assert needed_columns("SELECT count(*) FROM Book", SCHEMA) == {"book": set()}
    assert needed_columns("SELECT * FROM author", SCHEMA) == {"author": {"name", "country", "birth"}}
    assert needed_columns("no query", SCHEMA) == {}


def test_tables_are_told_in_order_while_they_fit():
    told = prune_schema(["book", "author"], SCHEMA, width, 7)
    assert [table.name for table in told.tables] == ["book", "author"]
    assert [table.name for table in prune_schema(["book", "author"], SCHEMA, width, 6).tables] == ["book"]
    assert [table.name for table in prune_schema(["book"], SCHEMA, width, 1).tables] == ["book"]  # one there must be
    assert prune_schema(["book"], SCHEMA, width, 6).tables[0].foreign_keys == ()  # into a table that is not told


def test_what_is_needed_is_told_though_it_takes_more():
    needs = {"author": {"name"}, "book": {"title"}}
    told = prune_schema(["author", "book"], SCHEMA, width, 4, needs=needs)
    assert [table.name for table in told.tables] == ["author", "book"]


def test_columns_that_nobody_needs_make_room():
    narrow = {
        tuple(
            c.name for c in prune_schema(["wide"], WIDE, width, 3, needs={"wide": {"e"}}, drawn=drawn).tables[0].columns
        )
        for drawn in map(random.Random, range(9))
    }
    assert all({"id", "e"} <= {*columns} and len(columns) <= 3 for columns in narrow)
    assert len(narrow) > 1
