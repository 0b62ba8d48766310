"""`querent retrieve`: solved questions are found by what they ask, as `querent ask --llm` finds them."""

from __future__ import annotations

import json

import pytest
from tiny_domain import write

import querent as face
from querent.llm.messages import Completions

pytestmark = pytest.mark.usefixtures("cache")

LONG, MADE = "how long is Pastel Blues", "who made Debut"
ASKED = "who made Pastel Blues"


@pytest.fixture
def solved(tmp_path):
    lines = [{"question": LONG, "sql": "SELECT 1"}, {"question": MADE, "sql": "SELECT name FROM artist"}]
    (tmp_path / "solved.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return tmp_path / "solved.jsonl"


def records(ended):
    return [json.loads(line) for line in ended.out.splitlines()]


def test_the_nearest_solved_questions_are_shown(querent, tmp_path):
    folder = write(tmp_path / "tiny")
    shown = querent("retrieve", folder, "which cities are in idaho", "-k", 2)
    searched, first, sql, *_ = shown.out.splitlines()
    assert (shown.code, len(shown.out.splitlines())) == (0, 5)
    assert searched == "searched as: which cities are in [state]"  # the domain has a database
    assert "which cities are in" in first
    assert sql.strip().startswith("SELECT name FROM city WHERE state = ")
    found = records(querent("retrieve", folder, "which cities are in idaho", "-k", 2, "--json"))
    assert [one["rank"] for one in found] == [1, 2]
    assert found[0]["sql"] == sql.strip()
    assert first.startswith(f"{found[0]['score']:.3f}  ")
    assert {one["searched_as"] for one in found} == {"which cities are in [state]"}


def test_of_a_file_the_values_are_masked_that_a_database_has(querent, music, solved):
    first, _ = records(querent("retrieve", solved, ASKED, "--database", music, "--json"))
    assert (first["question"], first["searched_as"]) == (MADE, "who made [title]")
    assert first["score"] == pytest.approx(1.0)


def test_without_a_database_questions_are_searched_as_they_stand(querent, music, solved):
    for arguments in ((), ("--database", music, "--no-mask")):
        shown = querent("retrieve", solved, ASKED, *arguments)
        assert shown.out.splitlines()[0] == f"searched as: {ASKED}"
        assert LONG in shown.out.splitlines()[1]  # the album leads astray


def test_a_model_is_shown_what_comes_first(querent, music, solved, monkeypatch):
    asked = []

    class Model:
        name, context = "model", None

        def complete(self, messages, **_):
            asked.append(messages)
            return Completions(("```sql\nSELECT name FROM artist\n```",))

    monkeypatch.setattr(face, "load_backend", lambda _: Model(), raising=False)
    querent("ask", music, ASKED, "--llm", "model", "--examples", solved, "--shots", 2)
    found = [one["question"] for one in records(querent("retrieve", solved, ASKED, "--database", music, "--json"))]
    told = [message.content for message in asked[0] if message.role == "user"]
    assert [text.splitlines()[0] for text in told[:2]] == [f"Question: {question}" for question in reversed(found)]


def test_each_question_is_searched_in_its_own_language(querent, tmp_path):
    folder = write(tmp_path / "tiny")
    assert "no questions in 'zh' (use 'en')" in querent("retrieve", folder, "idaho有哪些城市").error()
    assert querent("retrieve", folder, "idaho有哪些城市", "--language", "en").code == 0


def test_a_domain_without_a_database_is_searched_as_it_stands(querent, tmp_path):
    folder = write(tmp_path / "tiny", database=False)
    (told,) = records(querent("retrieve", folder, "which cities are in idaho", "-k", 1, "--json"))
    assert told["searched_as"] == "which cities are in idaho"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("plant", " "), "the question is empty"),
        (("gone.jsonl", "x"), "gone.jsonl: cannot be read"),
        (("gone.jsonl", "x", "--database", "gone.sqlite"), "gone.sqlite: no such database file"),
    ],
)
def test_a_wrong_search_is_one_line(querent, solved, arguments, said):
    assert said in querent("retrieve", *arguments).error()
