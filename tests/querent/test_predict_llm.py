"""`querent predict` with a language model, in shards, and with both wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import querent as face
from querent.data.errors import LlmError
from querent.llm.messages import Completions, Message

pytestmark = pytest.mark.usefixtures("cache")

YEARS = range(1960, 2000, 4)
LLM = ("--llm", "model")


class Model:
    """Answers «after 1970» with a query of its own, but for the years that it is silent about."""

    name, context = "model", None

    def __init__(self) -> None:
        self.silent: set[str] = set()
        self.asked: list[Sequence[Message]] = []

    def complete(self, messages: Sequence[Message], *, n: int = 1, **_: object) -> Completions:
        self.asked.append(messages)
        year = messages[-1].content.split()[-1].rstrip("?")
        if year in self.silent:
            raise LlmError(f"nothing about {year}")
        return Completions((f"```sql\nSELECT title FROM album WHERE year > {year}\n```",) * n, 100, 7)

    def count(self, messages: Sequence[Message]) -> int:
        return 100


@pytest.fixture
def model(monkeypatch) -> Model:
    made = Model()
    monkeypatch.setattr(face, "load_backend", lambda spec: {"model": made}[spec], raising=False)
    return made


@pytest.fixture
def asked(tmp_path) -> Path:
    file = tmp_path / "questions.txt"
    file.write_text("".join(f"which albums came out after {year}?\n" for year in YEARS), encoding="utf-8")
    return file


def records(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_options_reach_the_model(querent, music, model, asked, tmp_path):
    solved = tmp_path / "solved.jsonl"
    solved.write_text('{"question": "who made Debut", "sql": "SELECT name FROM artist"}\n', encoding="utf-8")
    more = ("--examples", solved, "--shots", 1, "--samples", 2, "--correct", 0, "--jobs", 2)
    querent("predict", asked, "--out", "out.jsonl", "--database", music, *LLM, *more)
    assert {len(messages) for messages in model.asked} == {4}
    assert [len(record["attempts"]) for record in records(Path("out.jsonl"))] == [2] * 10


def test_what_got_no_answer_is_asked_again(querent, music, model, asked):
    command = ("predict", asked, "--out", "out.jsonl", "--database", music, *LLM)
    model.silent = {"1964", "1972"}
    assert "2 in error (2 that --again asks anew)" in querent(*command).out
    model.silent.clear()
    told = querent(*command, "--again", "--json").json
    assert (told["already"], told["error"], told["unheard"]) == (8, 0, 0)
    assert [record["status"] for record in records(Path("out.jsonl"))[:8]] == ["ok"] * 8


@pytest.mark.parametrize("kind", ["model", "parser"])
def test_shards_joined_are_the_whole(querent, music, model, asked, saved_network, kind):
    command = ("predict", asked, "--database", music, *(LLM if kind == "model" else ("--parser", saved_network())))
    for n in (1, 2, 3):
        shown = querent(*command, "--shard", f"{n}/3", "--out", f"{n}.jsonl")
        assert shown.code == 0, shown.err
    querent(*command, "--out", "whole.jsonl")
    parts = [records(Path(f"{n}.jsonl")) for n in (1, 2, 3)]
    assert [len(part) for part in parts] == [3, 3, 4]
    fields = ("id", "question", "sql", "rows", "status")
    whole = [[record[name] for name in fields] for record in records(Path("whole.jsonl"))]
    assert [[record[name] for name in fields] for part in parts for record in part] == whole


def test_a_shard_is_no_part_of_another_ones_file(querent, music, model, asked):
    command = ("predict", asked, "--out", "out.jsonl", "--database", music, *LLM)
    assert querent(*command, "--shard", "1/2", "--json").json["questions"] == 5
    assert "holds '1' where the questions have '6'" in querent(*command, "--shard", "2/2").error()
    assert querent(*command, "--json").json["already"] == 5  # the whole goes on behind its first part


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*LLM, "--database", "music.sqlite", "--shard", "0/8"), ["'shard'", "no part 0 of 8", "write 3/8"]),
        ((*LLM, "--database", "music.sqlite", "--shard", "9/8"), ["no part 9 of 8"]),
        ((*LLM, "--database", "music.sqlite", "--shard", "x"), ["'x' is no part of a file"]),
        (LLM, ["'--database'", "a language model needs a database"]),
        ((*LLM, "--database", "music.sqlite", "--beam", 3), ["'--beam'", "leave it out"]),
        ((*LLM, "--database", "music.sqlite", "--explain"), ["'--explain'", "leave it out"]),
        ((*LLM, "--database", "music.sqlite", "--now", "clock"), ["'--now'", "leave it out"]),
        ((*LLM, "--database", "music.sqlite", "--again", "--fresh"), ["'fresh'", "leave out fresh, or again"]),
        (("--database", "music.sqlite", "--jobs", 2), ["'--jobs'", "use it with --llm"]),
        (("--database", "music.sqlite", "--again"), ["'--again'", "use it with --llm"]),
        (("--database", "music.sqlite", "--shots", 2), ["'--shots'", "use it with --llm"]),
    ],
)
def test_what_is_wrong_is_one_line(querent, music, model, asked, arguments, said):
    line = querent("predict", asked, "--out", "out.jsonl", *arguments).error()
    assert [part for part in said if part not in line] == []
    assert not Path("out.jsonl").exists()


def test_standard_input_has_no_parts(querent, music, model):
    command = ("predict", "-", "--out", "out.jsonl", "--database", music, *LLM)
    assert "standard input has no parts" in querent(*command, "--shard", "1/2", stdin="x\n").error()
    assert querent(*command, stdin="albums after 1970?\n").code == 0
    assert [record["id"] for record in records(Path("out.jsonl"))] == ["1"]
