"""What a language model is told of a database, asked, and corrected, and what comes of it."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from cases import cases, table
from scripted import Masked, Scripted, fenced, write_books
from tiny_domain import write

import querent
from querent.answers.answer import Carried
from querent.data.databases import schema_watch
from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.domains.dialogues import Turn
from querent.data.domains.schema_places import open_schema
from querent.data.errors import ConstraintError, InputError, LlmError, SchemaError, TimeLimitError, UnavailableError
from querent.dialogue.connection import Connection
from querent.dialogue.conversation import Conversation
from querent.dialogue.llm_connection import connect_llm
from querent.grammar import Access
from querent.llm.correction_log import AT_ONCE
from querent.llm.executor import ReadAnswer, read_answer
from querent.llm.options import LlmOptions
from querent.llm.prompts.templates import example_cells

QUESTION = "who wrote Dune?"
RIGHT = "SELECT author FROM book WHERE title = 'Dune'"
SHOTS = {
    "which countries are there?": "SELECT country FROM author",
    "how many authors are there?": "SELECT COUNT(*) FROM author",
    "who wrote Rain?": "SELECT author FROM book WHERE title = 'Rain'",
}


@pytest.fixture
def answerer(tmp_path, cache) -> Iterator[Callable[..., Connection]]:
    """Return what opens the books for a model, with its options."""
    file = write_books(tmp_path)
    with ExitStack() as stack:

        def make(backend, *, access=None, examples=None, **options) -> Connection:
            how = {"options": LlmOptions(**options), "language": "en", "access": access, "examples": examples}
            return stack.enter_context(connect_llm(file, backend, **how))

        yield make


def test_a_right_answer_is_run_at_once(answerer):
    backend = Scripted([fenced(RIGHT)])
    answer = answerer(backend).ask(f" {QUESTION} ")
    assert (answer.status, answer.sql, answer.columns, answer.rows) == ("ok", RIGHT, ("author",), (("Mo",),))
    assert (answer.question, answer.confidence, answer.reason) == (QUESTION, AT_ONCE, None)
    (attempt,) = answer.attempts
    assert (attempt.sql, attempt.problem, attempt.text) == (RIGHT, None, fenced(RIGHT))
    assert (answer.prompt_tokens, answer.completion_tokens) == (backend.count(backend.asked[0]), 10)


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("answers.toml")))
def test_what_becomes_of_what_a_model_writes(answerer, case):
    writes = [
        LlmError(one["error"]) if isinstance(one, dict) else fenced(one) if one.startswith(("SELECT", "WITH")) else one
        for one in case["writes"]
    ]
    backend, expected = Scripted(writes), dict(case["expected"])
    connection = answerer(backend, **case.get("options", {}))
    answer = connection.ask(QUESTION)
    assert expected.pop("reason", "") in (answer.reason or "")
    assert expected.pop("attempts", len(backend.asked)) in (len(answer.attempts), len(backend.asked))
    assert expected.pop("told", "") in backend.asked[-1][-1].content
    for problem, attempt in zip(expected.pop("problems", ()), answer.attempts, strict=False):
        assert problem in (attempt.problem or "")
    found = answer.to_json()
    assert {name: found[name] for name in expected} == expected
    assert connection.query("SELECT COUNT(*) FROM book").rows == [(3,)]


COUNT = "SELECT COUNT(*) FROM author"


@pytest.mark.parametrize("error", [TimeLimitError("it took longer than 5 s"), UnavailableError("no right to")])
def test_a_query_that_the_database_is_to_blame_for_is_shown_and_no_other_asked_for(answerer, monkeypatch, error):
    query = Database.query

    def fail(self: Database, sql: str) -> Rows:
        if sql == RIGHT:
            raise error
        return query(self, sql)

    monkeypatch.setattr(Database, "query", fail)
    backend = Scripted([fenced(RIGHT), fenced(COUNT)])
    answer = answerer(backend).ask(QUESTION)
    assert (answer.status, answer.sql, answer.rows, len(backend.asked)) == ("error", RIGHT, (), 1)
    assert answer.reason == error.unplaced
    answer = answerer(Scripted([fenced(RIGHT), fenced(COUNT), fenced(RIGHT)]), samples=3).ask(QUESTION)
    assert (answer.status, answer.sql) == ("error", RIGHT)
    answer = answerer(Scripted([fenced(COUNT), fenced(RIGHT), fenced(COUNT)]), samples=3).ask(QUESTION)
    assert (answer.status, answer.sql, answer.confidence) == ("ok", COUNT, pytest.approx(2 / 3, abs=1e-3))


@pytest.mark.parametrize(
    ("again", "question", "asked"),
    [(0, "how many books are there?", 0), (10**9, "how many volumes are there?", 1)],  # noticed before and after
)
def test_of_a_table_that_is_gone_no_other_is_answered(tmp_path, again, question, asked, monkeypatch):
    monkeypatch.setattr(schema_watch, "AGAIN", again)
    backend = Scripted([fenced("SELECT COUNT(*) FROM book"), fenced(COUNT)])
    with connect_llm(write_books(tmp_path), backend, language="en") as connection:
        with closing(sqlite3.connect(tmp_path / "books.sqlite")) as database:
            database.execute("DROP TABLE book")
        answer = connection.ask(question)
    assert (answer.status, answer.sql, answer.rows, len(backend.asked)) == ("no_answer", None, (), asked)
    assert (answer.reason or "").endswith(": book")


def test_rows_that_most_samples_agree_on_are_taken(answerer):
    other = "SELECT author FROM book WHERE title = 'Rain'"
    same = "SELECT name FROM author WHERE country = 'Chile'"
    backend = Scripted([fenced(other), fenced(RIGHT), fenced(same), fenced("SELECT nonsense FROM book")])
    answer = answerer(backend, samples=4).ask(QUESTION)
    assert (answer.sql, answer.rows, answer.confidence, answer.status) == (RIGHT, (("Mo",),), 0.5, "ok")
    assert [(a.sql, a.confidence) for a in answer.alternatives] == [(other, 0.25)]
    assert backend.settings == [{"n": 4, "temperature": 0.7, "max_tokens": 256}]
    assert len(answer.attempts) == 4
    assert (answer.prompt_tokens, answer.completion_tokens) == (backend.count(backend.asked[0]), 40)


def test_similar_questions_are_shown_the_nearest_last_and_without_a_schema(answerer, tmp_path):
    solved = tmp_path / "solved.jsonl"
    solved.write_text("\n".join(json.dumps({"question": q, "sql": sql}) for q, sql in SHOTS.items()), "utf-8")
    backend = Scripted([fenced(RIGHT), fenced(RIGHT)])
    answerer(backend, examples=solved, shots=2).ask("who wrote Rains?")
    system, far, far_answer, near, near_answer, question = backend.asked[0]
    assert [system.role, far.role, far_answer.role, question.role] == ["system", "user", "assistant", "user"]
    assert "Rain" in near.content
    assert near_answer.content == "```sql\nSELECT author FROM book WHERE title = 'Rain'\n```"
    assert "CREATE TABLE" not in near.content + far.content
    assert "CREATE TABLE book" in question.content
    answerer(backend, examples=solved, shots=0).ask("who wrote Rains?")
    assert len(backend.asked[1]) == 2


def test_a_question_that_does_not_fit_is_an_error(answerer):
    backend = Scripted([fenced(RIGHT)], context=300)
    answer = answerer(backend, max_tokens=10_000).ask(QUESTION)
    assert (answer.status, backend.asked) == ("error", [])
    assert "scripted reads 300" in (answer.reason or "")


# --- masks


def test_tokens_are_masked_where_the_back_end_can(answerer):
    backend = Masked([fenced(RIGHT)] * 2)
    assert answerer(backend).ask(QUESTION).status == "ok"
    (task,) = backend.tasks
    assert (task.dialect, task.program, task.access) == ("sqlite", False, None)
    assert [table.name for table in task.schema.tables] == ["author", "book"]
    answerer(backend, constrain=False).ask(QUESTION)
    assert len(backend.tasks) == 1


def test_a_mask_that_is_not_there_is_refused(answerer):
    with pytest.raises(InputError, match="scripted cannot be masked"):
        answerer(Scripted([]), constrain=True)


def test_a_mask_that_finds_no_way_is_an_error(answerer):
    answer = answerer(Masked([ConstraintError("no query has so few tokens")])).ask(QUESTION)
    assert (answer.status, answer.reason) == ("error", "no query has so few tokens")


def test_what_may_not_be_read_is_told_to_no_model(answerer):
    access = Access(columns={"book": ("title", "author")})
    backend = Masked([fenced(RIGHT)])
    assert answerer(backend, access=access).ask(QUESTION).status == "ok"
    text = " ".join(message.content for message in backend.asked[0])
    assert ("title" in text, "pages" in text, "country" in text) == (True, False, False)
    assert backend.tasks[0].access == access
    for maker, options in ((Scripted, {}), (Masked, {"constrain": False})):
        with pytest.raises(InputError, match="only a mask"):
            answerer(maker([]), access=access, **options)


# --- bad input


def test_turns_before_a_question_are_shown_as_what_was_said(answerer):
    pages = "SELECT pages FROM book WHERE title = 'Dune'"
    backend = Scripted([fenced(pages)])
    answer = answerer(backend).ask("and its pages?", before=[Turn(QUESTION, RIGHT)])
    told = backend.asked[0]
    assert QUESTION in told[-3].content
    assert told[-2].content.strip() == fenced(RIGHT).strip()
    assert "and its pages?" in told[-1].content
    assert answer.carried == Carried(
        kept=("WHERE title = 'Dune'", "FROM book"), new=("SELECT pages",), dropped=("SELECT author",)
    )


def test_a_conversation_with_a_model_goes_on(tmp_path):
    pages = "SELECT pages FROM book WHERE title = 'Dune'"
    backend = Scripted([fenced(RIGHT), fenced(pages)])
    with connect_llm(write_books(tmp_path), backend) as connection:
        conversation = Conversation(connection)
        conversation.ask(QUESTION)
        assert conversation.ask("and its pages?").rows == ((500,),)
        assert [turn.sql for turn in conversation.turns] == [RIGHT, pages]
        assert conversation.correct("SELECT year FROM book WHERE title = 'Dune'").rows == ((1980,),)


SQL = "SELECT a FROM t"
NONE = "there is no SQL in the answer"


@pytest.mark.parametrize(("text", "program"), table(__file__, "a_query_is_found_wherever_it_stands"))
def test_a_query_is_found_wherever_it_stands(text, program):
    assert read_answer(text, "sqlite") == ReadAnswer(program, SQL)


def test_a_query_goes_on_over_lines_and_semicolons_in_quotes():
    sql = "SELECT a\nFROM t\nWHERE b = 'x; y'"
    assert read_answer(f"It is\n{sql};", "sqlite").sql == sql
    assert read_answer(f"```\n{sql};\n```", "sqlite").sql == sql
    within = "WITH x AS (SELECT 1 AS a) SELECT a FROM x"
    assert read_answer(within, "sqlite") == ReadAnswer("", within)


@pytest.mark.parametrize("text", table(__file__, "an_answer_without_sql"))
def test_an_answer_without_sql(text):
    read = read_answer(text, "sqlite")
    assert (read.sql, read.problem) == ("", NONE)


def test_two_different_queries():
    read = read_answer("```sql\nSELECT a FROM t\n```\nor\n```sql\nSELECT b FROM t\n```", "sqlite")
    assert read.problem == "there are 2 different queries in the answer; write one"
    assert "2 different" in (read_answer("```\nSELECT a FROM t; SELECT b FROM t\n```", "sqlite").problem or "")
    assert "2 different" in (read_answer("SELECT 'a' FROM t\n\nSELECT 'A' FROM t", "sqlite").problem or "")


@pytest.mark.parametrize(("text", "what"), table(__file__, "nothing_but_select"))
def test_nothing_but_select(text, what):
    assert read_answer(text, "sqlite").problem == f"{what}: nothing but SELECT ever runs"


@pytest.mark.parametrize("sql", ["SELECT a FROM", "SELECT a b c FROM t", "SELECT a, FROM t"])
def test_a_query_that_is_none_is_left_to_the_validator(sql):
    assert read_answer(f"```sql\n{sql}\n```", "sqlite") == ReadAnswer("", sql)


pytestmark = pytest.mark.usefixtures("cache")

ALL = "SELECT COUNT(*) FROM book"


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
    backend = Scripted([fenced(ALL)] * 2)
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
    backend = Scripted([fenced(ALL)] * 2)
    with querent.connect_llm(books, backend) as connection:
        connection.ask("how many books did Mo write after Sand?")
        connection.ask("how many books?")
    named, unnamed = (asked[-1].content for asked in backend.asked)
    assert named.endswith("\nNamed: Mo in author.name, book.author; Sand in book.title")
    assert "Named" not in unnamed


def test_values_of_columns_that_may_not_be_read_are_not_told(books):
    backend = Masked([fenced(ALL)])
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
