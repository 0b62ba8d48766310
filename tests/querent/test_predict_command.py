"""`querent predict`: files of questions in, records out, by a parser or a language model; nothing written is lost."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from tiny_domain import write

import querent as face
from querent.data.errors import LlmError
from querent.data.hashed_folder import write_hashes
from querent.grammar import LEVELS
from querent.llm.messages import Completions, Message

pytestmark = pytest.mark.usefixtures("cache")


def records(file):
    return [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]


QUESTIONS = {
    "q.txt": "how many cities are in texas\n\nwhat is the area of iowa\n",
    "q.csv": 'id,question\na,how many cities are in texas\nb," "\nc,what is the area of iowa\n',
    "q.jsonl": '{"question": "how many cities are in texas"}\n{"question": ""}\n'
    '{"question": "what is the area of iowa"}\n',
}
QUERIES = [
    "SELECT COUNT(*) FROM city WHERE city.state = 'texas'",
    None,
    "SELECT state.area FROM state WHERE state.name = 'iowa'",
]


@pytest.mark.parametrize("name", [*QUESTIONS, "-"])
def test_predict_reads_each_kind_of_file(querent, tiny, tmp_path, name):
    if name != "-":
        (tmp_path / name).write_text(QUESTIONS[name], encoding="utf-8")
    stdin = QUESTIONS["q.txt"] if name == "-" else None
    arguments = ("predict", name, "--parser", tiny / "run", "--out", "new/out.jsonl", "--beam", 1, "--json")
    found = querent(*arguments, stdin=stdin).json
    assert (found["out"], found["questions"], found["error"], found["already"]) == ("new/out.jsonl", 3, 1, 0)
    assert found["ok"] + found["unsure"] == 2
    answers = records(tmp_path / "new" / "out.jsonl")
    assert [r["id"] for r in answers] == (["a", "b", "c"] if name == "q.csv" else ["1", "2", "3"])
    assert [r["sql"] for r in answers] == QUERIES


def test_predict_says_what_it_did_and_goes_on(querent, tiny, tmp_path):
    (tmp_path / "q.txt").write_text(QUESTIONS["q.txt"], encoding="utf-8")
    arguments = ("predict", "q.txt", "--parser", tiny / "run", "--out", "out.jsonl", "--beam", 1)
    first = querent(*arguments)
    assert first.out.startswith("out.jsonl: 3 questions: ")
    assert first.out.endswith(" 0 without an answer, 1 in error\n")
    before = (tmp_path / "out.jsonl").read_bytes()
    assert "3 questions (3 were there already)" in querent(*arguments).out
    assert (tmp_path / "out.jsonl").read_bytes() == before
    assert querent(*arguments, "--fresh", "--json").json["already"] == 0


def test_predict_asks_the_database_of_the_run_or_the_one_that_is_given(querent, tiny, city, tmp_path):
    (tmp_path / "q.txt").write_text("what is the area of iowa\n", encoding="utf-8")
    with closing(sqlite3.connect(city)) as database, database:
        database.execute("UPDATE state SET area = 7 WHERE name = 'iowa'")
    cases = [(tiny / "run", (), 400.0), (tiny / "run" / "best", (), 400.0), (tiny / "run", ("--database", city), 7.0)]
    for n, (run, given, area) in enumerate(cases):
        explain = ("--explain",) if given else ()
        assert querent("predict", "q.txt", "--parser", run, "--out", f"{n}.jsonl", *given, *explain).code == 0
        (found,) = records(tmp_path / f"{n}.jsonl")
        assert (found["columns"], found["rows"]) == (["area"], [[area]])
        assert ("explain" in found) == bool(explain)
    assert found["explain"]["steps"][0]["word"] == "SELECT"
    assert found["explain"]["sql"] == found["sql"]


def test_predict_takes_a_level(querent, tiny, tmp_path):
    (tmp_path / "q.txt").write_text("how many cities are in texas\n", encoding="utf-8")
    arguments = ("predict", "q.txt", "--parser", tiny / "run", "--beam", 1)
    for level in LEVELS:
        assert querent(*arguments, "--out", f"{level}.jsonl", "--level", level).code == 0
        assert [r["sql"] for r in records(tmp_path / f"{level}.jsonl")] == QUERIES[:1]
    assert querent(*arguments, "--out", "off.jsonl", "--level", "off").code == 0
    assert records(tmp_path / "off.jsonl")[0]["sql"]


def test_predict_sees_yesterday_from_the_moment_that_is_given(querent, tiny, tmp_path):
    (tmp_path / "q.txt").write_text("how many cities are in texas\n", encoding="utf-8")
    for now in ("2024-03-31T08:00", "clock"):
        assert querent("predict", "q.txt", "--parser", tiny / "run", "--out", f"{now}.jsonl", "--now", now).code == 0


def test_turns_of_a_dialogue_lean_on_those_before(querent, tmp_path):
    told = (("how many orders are there?", "a"), ("only those of 2023", "a"), ("how many customers are there?", "b"))
    lines = [json.dumps({"question": question, "dialogue": dialogue}) for question, dialogue in told]
    (tmp_path / "turns.jsonl").write_text("\n".join(lines), encoding="utf-8")
    asking = ("predict", tmp_path / "turns.jsonl", "--database", "shop", "--out")
    assert querent(*asking, tmp_path / "out.jsonl").code == 0
    first, second, third = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert (first["carried"], third["carried"]) == (None, None)
    assert second["carried"]["kept"] == ["SELECT COUNT(*)", "FROM orders"]


@pytest.fixture
def ask(querent, tiny, tmp_path):
    """Predict questions given as text, or as a file that is there."""

    def asked(questions, *options, run=tiny / "run"):
        if isinstance(questions, list):
            (tmp_path / "q.txt").write_text("\n".join(questions) + "\n", encoding="utf-8")
            questions = "q.txt"
        return querent("predict", questions, "--parser", run, "--out", "out.jsonl", "--beam", 1, *options)

    return asked


def test_a_bad_line_found_on_going_on_loses_nothing(ask, tmp_path):
    (tmp_path / "q.jsonl").write_text('{"question": "how many cities are in texas"}\n', encoding="utf-8")
    assert ask("q.jsonl").code == 0
    before = (tmp_path / "out.jsonl").read_bytes()
    with (tmp_path / "q.jsonl").open("a", encoding="utf-8") as file:
        file.write("{oops\n")
    assert "q.jsonl:2" in ask("q.jsonl").error()
    assert (tmp_path / "out.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "question", ["сколько городов в техасе", "كم عدد الأنهار", "\u200b", "'; DROP TABLE city --", "{"]
)
def test_a_strange_question_is_no_error(ask, tmp_path, question):
    assert ask([question], "--beam", 4).code == 0
    (found,) = records(tmp_path / "out.jsonl")
    assert found["status"] in ("ok", "unsure", "no_answer")


def test_a_value_with_a_quote_in_it(ask, city, tmp_path):
    with closing(sqlite3.connect(city)) as database, database:
        database.execute("INSERT INTO state VALUES ('o''fallon', 90)")
    assert ask(["what is the area of o'fallon"], "--database", city).code == 0
    (found,) = records(tmp_path / "out.jsonl")
    assert "= 'o''fallon'" in found["sql"]
    assert found["status"] != "error"


def test_a_parser_alone_knows_its_tables_but_no_rows(ask, copied, tmp_path):
    (copied / "config.yaml").unlink(missing_ok=True)
    assert ask(["what is the area of texas"], run=copied).code == 0
    (found,) = records(tmp_path / "out.jsonl")
    assert ("rows" in found, found["sql"]) == (False, "SELECT state.area FROM state WHERE state.name = 'texas'")
    for name in ("domain.json", "values.sqlite"):
        (copied / "best" / name).unlink()
    write_hashes(copied / "best")
    line = ask(["which"], run=copied).error()
    assert "field 'database': nothing tells which tables there are (give a database" in line


def test_a_database_of_other_tables_is_warned_of_and_asked(ask, tmp_path):
    with closing(sqlite3.connect(tmp_path / "moon.sqlite")) as database:
        database.executescript("CREATE TABLE moon (name TEXT); INSERT INTO moon VALUES ('io')")
    with pytest.warns(UserWarning, match="trained for tiny"):
        assert ask(["which moons are there"], "--database", "moon.sqlite").code == 0
    assert len(records(tmp_path / "out.jsonl")) == 1


@pytest.fixture
def copied(tiny, tmp_path):
    return Path(shutil.copytree(tiny / "run" / "best", tmp_path / "run" / "best")).parent


def test_weights_of_another_version_are_named(ask, querent, copied):
    file = copied / "best" / "numbering.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | {"kinds": ["planet"]}), encoding="utf-8")
    write_hashes(copied / "best")
    said = "numbering.json: the weights are of another version of Querent: this version has no kinds 'planet'"
    assert said in ask(["which"], run=copied).error()
    write(copied.parent / "domain")
    assert said in querent("evaluate", copied, "domain").error()
    assert said in querent("train", "domain", "--out", "new", "--base", copied).error()


YEARS = range(1960, 2000, 4)
LLM = ("--llm", "model")


class Years:
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
def model(monkeypatch) -> Years:
    made = Years()
    monkeypatch.setattr(face, "load_backend", lambda spec: {"model": made}[spec], raising=False)
    return made


@pytest.fixture
def asked(tmp_path) -> Path:
    file = tmp_path / "questions.txt"
    file.write_text("".join(f"which albums came out after {year}?\n" for year in YEARS), encoding="utf-8")
    return file


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


def test_standard_input_is_read(querent, music, model):
    command = ("predict", "-", "--out", "out.jsonl", "--database", music, *LLM)
    assert querent(*command, stdin="albums after 1970?\n").code == 0
    assert [record["id"] for record in records(Path("out.jsonl"))] == ["1"]
