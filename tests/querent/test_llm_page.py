"""What docs/llm.md promises beside its commands: what the server sees, where the key is, how failures are told."""

import json
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback, chat, status
from pages import Page

PAGE = Page("llm.md")
CELLS = ("Jane Austen", "Frank Herbert", "England", "USA", "Emma", "Persuasion", "Dune")
FOUND = "SELECT author FROM book WHERE title = 'Emma'"

pytestmark = [
    pytest.mark.usefixtures("folder"),
    pytest.mark.skipif(find_spec("openai") is None, reason="pip install '.[llm]'"),
]


@pytest.fixture
def folder(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the page's database and role in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("QUERENT_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (database,) = PAGE.blocks("python", PAGE.section("Five minutes"))
    exec(database, {})
    (tmp_path / "role.toml").write_text(PAGE.blocks("toml", PAGE.section("A role"))[0], encoding="utf-8")


def asked(words: list[str], server: Loopback) -> list[str]:
    """Return a command of the page with the test's server in the place of its own."""
    return [re.sub(r"https?://[^\s#]+(?=#)", server.url, word) for word in words]


def test_no_value_leaves_the_house_but_those_that_are_typed(querent):
    (command,) = PAGE.said("What the server sees")
    usual = [word for word in command if word not in ("--cells", "--correct", "0")]
    with Loopback(answer=lambda _: chat("```sql\nSELECT COUNT(*) FROM books\n```")) as server:
        querent(*asked(usual, server))
        sent = json.dumps(server.asked[0][0])
        del server.asked[:]
        ended = querent(*asked(command, server))
        ((body, _),) = server.asked  # its query fails, and it is not told
    assert "no table is called 'books'" in ended.out
    assert [cell for cell in CELLS if cell in sent]
    assert [cell for cell in CELLS if cell in json.dumps(body)] == []
    assert "my.sqlite" not in sent


def test_the_key_is_in_the_header_and_nowhere_else(querent, monkeypatch):
    (command,) = PAGE.said("Keys")
    assert "no key for llm.example.org" in querent(*command).error()
    monkeypatch.setenv("QUERENT_API_KEY", "sk-of-a-user")
    with Loopback(chat(f"```sql\n{FOUND}\n```")) as server:
        ended = querent(*asked([*command, "--explain"], server))
        ((body, headers),) = server.asked
    assert headers["authorization"] == "Bearer sk-of-a-user"
    assert "sk-of-a-user" not in ended.out + ended.err + json.dumps(body)


ASKED = ("ask", "my.sqlite", "who wrote Emma?", "--llm")
FAILURES: dict[str, dict[str, Any]] = {
    "no server at": {"url": "http://127.0.0.1:9/v1#x"},
    "has nothing to chat with": {"replies": [status(404, "no")]},
    "no key for": {"url": "https://llm.example.org/v1#x"},
    "refuses the key": {"replies": [status(401, {"error": {"message": "who are you?"}})]},
    "has no model 'x'; it has": {"replies": [status(404, "no")], "models": [{"id": "a"}, {"id": "b"}]},
    "question and schema take": {"models": [{"id": "x", "max_model_len": 512}]},
    "wrote no text within 256 tokens": {"replies": [chat("", reason="length")]},  # and is not asked again
    "does not answer, asked 6 times:": {"replies": [status(503, "busy")] * 6},
    "openai is not installed": {"missing": "openai"},
    "there is no SQL in the answer": {"replies": [chat("I do not know.")] * 2},
    "it runs, but finds no row": {"replies": [chat(f"```sql\n{FOUND[:-1]}s'\n```")] * 2},
    "nothing but SELECT ever runs": {"replies": [chat("```sql\nDROP TABLE book\n```")] * 2},
    "only a mask on every token holds a model to what may be read": {"more": ("--access", "role.toml")},
}


def test_each_failure_of_the_page_is_met_here():
    named = re.findall(r"^\| `([^`]+)` \|", PAGE.section("When things fail"), re.MULTILINE)
    assert len(named) == len(FAILURES)
    assert [name for name, part in zip(named, FAILURES, strict=True) if not name.startswith(part)] == []


@pytest.mark.parametrize("message", FAILURES)
def test_a_failure_is_told_as_the_page_has_it(querent, monkeypatch, message):
    case = FAILURES[message]
    monkeypatch.setattr("time.sleep", lambda _: None)
    if "missing" in case:
        monkeypatch.setitem(sys.modules, case["missing"], None)
    with Loopback(*case.get("replies", ()), models=case.get("models")) as server:
        ended = querent(*ASKED, case.get("url", f"{server.url}#x"), *case.get("more", ()))
    assert message in ended.out + ended.err
    assert "Traceback" not in ended.out + ended.err
    assert ended.code == (0 if "finds no row" in message else 2 if "error: " in ended.err else 1)
