"""Whatever is wrong with what people give: one clear line, exit code 2, and nothing written is lost."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tiny_domain import write

from querent.data.hashed_folder import write_hashes

pytestmark = pytest.mark.usefixtures("cache")


def records(file):
    return [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def ask(querent, tiny, tmp_path):
    """Predict questions given as text, or as a file that is there."""

    def asked(questions, *options, run=tiny / "run"):
        if isinstance(questions, list):
            (tmp_path / "q.txt").write_text("\n".join(questions) + "\n", encoding="utf-8")
            questions = "q.txt"
        return querent("predict", questions, "--parser", run, "--out", "out.jsonl", "--beam", 1, *options)

    return asked


def test_a_bad_file_of_questions_is_one_line(ask, tmp_path):
    """What may be wrong with one is in tests/parser/test_questions.py."""
    (tmp_path / "q.jsonl").write_text('{"question": "a"}\n{"question": "b"\n', encoding="utf-8")
    line = ask("q.jsonl").error()
    assert "q.jsonl:2: not JSON" in line
    assert "one object a line" in line
    assert not (tmp_path / "out.jsonl").exists()


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


def test_a_usage_error_suggests_the_command(querent):
    ended = querent("evalute", "x")
    assert ended.code == 2
    assert "evaluate" in ended.err
    assert "Traceback" not in ended.err


def test_an_output_file_of_something_else_is_left_alone(ask, tmp_path):
    (tmp_path / "out.jsonl").write_text("buy milk", encoding="utf-8")
    line = ask(["which"]).error()
    assert "out.jsonl:1: not a prediction record" in line
    assert "--fresh" in line
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == "buy milk"


def test_the_questions_are_not_overwritten_by_their_answers(querent, tiny, tmp_path):
    (tmp_path / "q.jsonl").write_text('{"question": "a"}\n', encoding="utf-8")
    assert "'--out'" in querent("predict", "q.jsonl", "--parser", tiny / "run", "--out", "q.jsonl", "--fresh").error()
    assert (tmp_path / "q.jsonl").read_text(encoding="utf-8") == '{"question": "a"}\n'


def test_a_folder_where_the_output_file_should_be(ask, tmp_path):
    (tmp_path / "out.jsonl").mkdir()
    assert "out.jsonl, field '--out': cannot be written" in ask(["which"]).error()


@pytest.mark.parametrize("content", [None, b"", b"not a database, but long enough to look like one, " * 20])
def test_a_database_that_is_gone_or_none(ask, tmp_path, content):
    if content is not None:
        (tmp_path / "x.sqlite").write_bytes(content)
    line = ask(["how many cities are in texas"], "--database", "x.sqlite").error()
    assert ("no tables" if content == b"" else "x.sqlite") in line
    assert not (tmp_path / "out.jsonl").exists()


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


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda run: None, "no such folder"),
        (lambda run: run.mkdir(), "neither a run nor a saved parser"),
        (lambda run: (run.mkdir(), (run / "config.yaml").write_text("seed: 0\n")), "the run has no parser yet"),
        (lambda run: (run.mkdir(), (run / "config.json").write_text("{}")), "neither a run nor a saved parser"),
        (lambda run: (run.mkdir(), (run / "hashes.json").write_text("[]")), "hashes.json: not a list of hashes"),
        (lambda run: (run / "best").mkdir(parents=True), "hashes.json: the file is missing"),
    ],
)
def test_a_run_that_is_none(ask, tmp_path, made, says):
    made(tmp_path / "myrun")
    assert says in ask(["which"], run=tmp_path / "myrun").error()
