"""Each way on which somebody else's query comes to a database: none of them takes longer than a query may."""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scripted import Scripted, fenced

import querent as face
from querent.data.databases import query_process
from querent.data.errors import DatabaseError

pytestmark = pytest.mark.usefixtures("cache")

SLOW = "SELECT INSTR(page.body, page.ending) FROM page"
"""Half a minute in one call of a function."""

QUESTION = "where does the ending of the page begin?"
LIMIT = 0.5
SOON = 20.0
"""Seconds for a question and its few queries, on a busy machine."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database of one long page."""
    path = tmp_path_factory.mktemp("pages") / "pages.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE page (page_id INTEGER PRIMARY KEY, title TEXT, body TEXT, ending TEXT)")
        connection.execute("INSERT INTO page VALUES (1, 'one', ?, ?)", ("a" * 9_000_000, "a" * 4_000_000 + "b"))
    return path


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], Any]:
    """Return what does something, and asserts that its slow query was sent and that it all took little time."""
    monkeypatch.setattr(query_process, "_GRACE", 0.2)
    sent: list[str] = []
    query = face.Database.query

    def seen(self: Any, sql: str, **how: Any) -> Any:
        sent.append("INSTR" * ("INSTR" in sql and not how.get("constrained")))
        return query(self, sql, **how)

    monkeypatch.setattr(face.Database, "query", seen)

    def do(work: Callable[[], Any]) -> Any:
        begun = time.monotonic()
        done = work()
        assert time.monotonic() - begun < SOON
        assert "INSTR" in sent
        return done

    return do


def test_a_query_at_the_prompt(pages: Path, soon: Callable[..., Any]) -> None:
    with face.connect(pages, timeout=LIMIT) as connection:
        conversation = connection.conversation()
        conversation.ask("how many pages are there?")
        with pytest.raises(DatabaseError, match=r"took longer than 0.5 s"):
            soon(lambda: conversation.correct(SLOW))
        assert conversation.correct("SELECT COUNT(*) FROM page").rows == ((1,),)


def test_a_solved_question(pages: Path, soon: Callable[..., Any], tmp_path: Path) -> None:
    solved = tmp_path / "solved.jsonl"
    solved.write_text(json.dumps({"question": QUESTION, "sql": SLOW}) + "\n", encoding="utf-8")
    with face.connect(pages, timeout=LIMIT, examples=solved) as connection:
        answer = soon(lambda: connection.ask(QUESTION))
        assert (answer.status, answer.rows) == ("error", ())
        assert "took longer" in (answer.reason or "")
        assert connection.ask("how many pages are there?").rows == ((1,),)


def test_a_query_that_somebody_called_right(pages: Path, soon: Callable[..., Any], tmp_path: Path) -> None:
    feedback = tmp_path / "feedback.jsonl"
    with face.connect(pages, timeout=LIMIT, feedback=feedback) as connection:
        made = connection.conversation()
        made.ask("how many pages are there?")
        told = made.to_json()
        told["turns"][-1] |= {"question": QUESTION, "sql": SLOW}
        face.Conversation.from_json(told, connection).judge("right")
        soon(lambda: connection.ask(QUESTION))
        assert connection.ask("how many pages are there?").rows == ((1,),)


def test_a_query_of_a_language_model(pages: Path, soon: Callable[..., Any]) -> None:
    model = Scripted([fenced(SLOW), fenced("SELECT COUNT(*) FROM page")])
    options = face.LlmOptions(shots=0, corrections=0)
    with face.connect_llm(pages, model, timeout=LIMIT, options=options, language="en") as connection:
        answer = soon(lambda: connection.ask(QUESTION))
        assert (answer.status, "took longer than 0.5 s" in answer.reason) == ("error", True)
        assert connection.ask("how many pages are there?").rows == ((1,),)


def test_a_conversation_that_a_tool_is_given(pages: Path) -> None:
    """Its queries are read, and never run: that its last question is asked again gives the parser's own."""
    pytest.importorskip("mcp")
    from querent.serving.messages import Turned

    with face.ToolServer([str(pages)], timeout=LIMIT) as tools:
        turns = asyncio.run(tools.ask("how many pages are there?"))["turns"]
        turns[-1]["sql"] = SLOW
        begun = time.monotonic()
        asyncio.run(tools.ask("and how many of them have a title?", turns=[Turned(**one) for one in turns]))
        assert asyncio.run(tools.validate(SLOW))["runs"]
        assert time.monotonic() - begun < SOON
