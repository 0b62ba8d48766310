"""`querent predict` with a parser: which files it reads, which database it asks, what it says."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from querent.grammar import LEVELS

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


def test_predict_and_train_take_a_level_or_stop_at_an_unknown_one(querent, tiny, tmp_path):
    (tmp_path / "q.txt").write_text("how many cities are in texas\n", encoding="utf-8")
    arguments = ("predict", "q.txt", "--parser", tiny / "run", "--beam", 1)
    for level in LEVELS:
        assert querent(*arguments, "--out", f"{level}.jsonl", "--level", level).code == 0
        assert [r["sql"] for r in records(tmp_path / f"{level}.jsonl")] == QUERIES[:1]
    line = querent(*arguments, "--out", "none.jsonl", "--level", "scpoe").error()
    assert "no level 'scpoe' (did you mean 'scope'?)" in line
    assert not (tmp_path / "none.jsonl").exists()
    assert querent(*arguments, "--out", "off.jsonl", "--level", "off").code == 0
    assert records(tmp_path / "off.jsonl")[0]["sql"]
    line = querent("train", "plant", "--out", "run", "--level", "type").error()
    assert (
        "'constraint.level': Invalid value 'type', expected one of ['off', 'grammar', 'scope', 'types', 'runs']" in line
    )
    assert "did you mean 'types'?" in line


def test_predict_sees_yesterday_from_the_moment_that_is_given(querent, tiny, tmp_path):
    (tmp_path / "q.txt").write_text("how many cities are in texas\n", encoding="utf-8")
    for now, code in (("2024-03-31T08:00", 0), ("clock", 0), ("tomorrow", 2)):
        arguments = ("q.txt", "--parser", tiny / "run", "--out", f"{now}.jsonl", "--now", now, "--beam", 1)
        ended = querent("predict", *arguments)
        assert ended.code == code, ended.err
    assert "'tomorrow' is no moment" in ended.error()
    assert not (tmp_path / "tomorrow.jsonl").exists()


def test_turns_of_a_dialogue_lean_on_those_before(querent, tmp_path):
    told = (("how many orders are there?", "a"), ("only those of 2023", "a"), ("how many customers are there?", "b"))
    lines = [json.dumps({"question": question, "dialogue": dialogue}) for question, dialogue in told]
    (tmp_path / "turns.jsonl").write_text("\n".join(lines), encoding="utf-8")
    asking = ("predict", tmp_path / "turns.jsonl", "--database", "shop", "--out")
    assert querent(*asking, tmp_path / "out.jsonl").code == 0
    first, second, third = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert (first["carried"], third["carried"]) == (None, None)
    assert second["carried"]["kept"] == ["SELECT COUNT(*)", "FROM orders"]
    cut = querent(*asking, tmp_path / "half.jsonl", "--shard", "2/2")
    assert (cut.code, "cuts the dialogue a" in cut.err) == (2, True)
