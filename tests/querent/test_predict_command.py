"""`querent predict`: files of questions in, records out, by a parser or a language model; nothing written is lost."""

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
