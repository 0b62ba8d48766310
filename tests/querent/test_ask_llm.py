"""`querent ask --llm`, with a model whose answers are given."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from scripted import Scripted, fenced
from tiny_domain import write

import querent as face
from querent.data.errors import InputError

pytestmark = pytest.mark.usefixtures("cache")

QUESTION = "which albums came out before 1970?"
SQL = "SELECT title FROM album WHERE year < 1970"
WRONG = "SELECT titel FROM album WHERE year < 1970"


@pytest.fixture
def model(monkeypatch) -> Callable[..., Scripted]:
    """Return what makes ``--llm model`` a model with given answers."""

    def make(*answers: str) -> Scripted:
        made = Scripted(answers)
        monkeypatch.setattr(face, "load_backend", lambda spec: {"model": made}[spec], raising=False)
        return made

    return make


def test_the_attempts_are_shown_to_people_and_to_scripts(querent, music, model):
    model(fenced(WRONG), fenced(SQL), fenced(WRONG), fenced(SQL))
    shown = querent("ask", music, QUESTION, "--llm", "model", "--explain")
    assert WRONG in shown.out
    assert "no column is called 'titel'" in shown.out
    assert re.search(r"\d{2,} tokens read, 20 written", shown.out)
    told = querent("ask", music, QUESTION, "--llm", "model", "--json").json
    assert set(told) == set(face.LlmAnswer.__dataclass_fields__)
    assert (told["rows"], told["completion_tokens"]) == ([["Pastel Blues"]], 20)
    assert [attempt["sql"] for attempt in told["attempts"]] == [WRONG, SQL]


BANK = """
[[formula]]
name = "early record"
kind = "condition"
is = "year < 1970"
"""


def test_formulas_of_a_file_of_questions_reach_the_model(querent, music, model, tmp_path):
    (tmp_path / "knowledge.toml").write_text(BANK, encoding="utf-8")
    (tmp_path / "questions.txt").write_text("list the early records\n", encoding="utf-8")
    model(fenced(SQL))
    out = tmp_path / "answers.jsonl"
    told = ("--database", music, "--llm", "model", "--knowledge", tmp_path, "--out", out)
    assert querent("predict", tmp_path / "questions.txt", *told).code == 0
    assert [use["name"] for use in json.loads(out.read_text(encoding="utf-8"))["knowledge"]] == ["early record"]


def test_a_model_is_measured_with_formulas(querent, model, tmp_path):
    folder = write(tmp_path / "tiny")
    bank = "[[formula]]\nname = 'cities are'\nkind = 'condition'\nis = 'people > 5'\n"
    (tmp_path / "knowledge.toml").write_text(bank, encoding="utf-8")
    made = model(fenced("SELECT name FROM city"))
    asked = ("--llm", "model", "--limit", 1, "--correct", 0, "--knowledge", tmp_path)
    assert querent("evaluate", folder, *asked).code == 0
    assert made.asked[0][-1].content.endswith("\nFormulas: cities are: city.people > 5")


def test_a_conversation_goes_on(querent, music, model):
    model(fenced(SQL), "no idea")
    shown = querent("ask", music, "--llm", "model", "--correct", 0, stdin=f"{QUESTION}\nand stars?\n")
    assert (shown.code, shown.out.count("confidence")) == (0, 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--pot",), ["'--pot'", "use it with --llm"]),
        (("--shots", 3), ["'--shots'", "use it with --llm"]),
        (("--cells", 0), ["'--cells'", "use it with --llm"]),
        (("--llm", "model", "--beam", 3), ["'--beam'", "leave it out"]),
        (("--llm", "model", "--constrain"), ["the tokens of scripted cannot be masked"]),
        (("--llm", "model", "--prompts", "nowhere"), ["nowhere: no such folder of prompts"]),
        (("--llm", "model", "--examples", "gone.jsonl"), ["gone.jsonl: cannot be read"]),
        (("--llm", "model", "--examples", "plnt"), ["did you mean 'plant'"]),
    ],
)
def test_what_is_wrong_is_one_line(querent, music, model, arguments, said):
    model(fenced(SQL))
    line = querent("ask", music, QUESTION, *arguments).error()
    assert [part for part in said if part not in line] == []


def test_a_model_that_cannot_be_loaded_is_one_line(querent, music, monkeypatch):
    def refuse(spec: str) -> None:
        raise InputError(f"no back end {spec!r}", field="llm")

    monkeypatch.setattr(face, "load_backend", refuse, raising=False)
    assert "no back end 'smolm'" in querent("ask", music, QUESTION, "--llm", "smolm").error()


def test_recorded_answers_are_a_model(querent, music, tmp_path):
    lines = [{"texts": [fenced(WRONG)]}, {"texts": [fenced(SQL)]}]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    told = querent("ask", music, QUESTION, "--llm", "recorded:answers.jsonl", "--json").json
    assert (told["status"], told["rows"], len(told["attempts"])) == ("ok", [["Pastel Blues"]], 2)
    assert "gone.jsonl" in querent("ask", music, QUESTION, "--llm", "recorded:gone.jsonl").error()
