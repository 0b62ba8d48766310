"""The command line: what each command prints, in text and as JSON, and how it ends."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from said_commands import commands_in, problem_of
from tiny_domain import OPTIONS, write

import querent as face
from querent.cli import app
from querent.commands import ask, check, demo, evaluate, fill, new, predict, suite, train

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = {c.__name__.rpartition(".")[2]: c for c in (ask, check, demo, evaluate, fill, new, predict, suite, train)}


def records(file):
    return [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_teaches_by_examples_that_exist(querent, name):
    shown = querent(name, "--help")
    assert shown.code == 0
    assert "Examples" in shown.out
    said = commands_in(COMMANDS[name].EPILOG)
    assert said
    assert all(command[1] == name for command in said)
    assert [problem_of(command) for command in said] == [None] * len(said)


def test_without_arguments_it_shows_where_to_start(querent):
    shown = querent()
    assert "Start here" in shown.out + shown.err
    said = commands_in(app.info.epilog)
    assert [command[1] for command in said] == ["demo", "ask", "new", "check", "train", "predict"]
    assert [problem_of(command) for command in said] == [None] * 6


def test_version(querent):
    assert querent("--version").out == f"querent {face.__version__}\n"


def test_every_public_name_is_there():
    for name in face.__all__:
        assert getattr(face, name).__name__ == name or name == "render_check"
    assert set(face.__all__) <= set(dir(face))
    with pytest.raises(AttributeError, match="no attribute 'Parsr'"):
        face.Parsr  # noqa: B018


@pytest.mark.parametrize("name", ["querent", "querent.cli", "querent.grammar", "querent.parser"])
def test_importing_the_face_or_the_grammar_loads_no_torch(name):
    code = f"import sys, {name}; assert not {{'torch', 'transformers'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


QUESTIONS = {
    "q.txt": "how many rivers are there\n\nrivers longer than 500\n",
    "q.csv": 'id,question\na,how many rivers are there\nb," "\nc,rivers longer than 500\n',
    "q.jsonl": '{"question": "how many rivers are there"}\n{"question": ""}\n{"question": "rivers longer than 500"}\n',
}


@pytest.mark.parametrize("name", [*QUESTIONS, "-"])
def test_predict_reads_each_kind_of_file(querent, saved, tmp_path, name):
    if name != "-":
        (tmp_path / name).write_text(QUESTIONS[name], encoding="utf-8")
    stdin = QUESTIONS["q.txt"] if name == "-" else None
    ended = querent("predict", saved, name, "--out", "new/out.jsonl", "--json", stdin=stdin)
    assert ended.json == {"out": "new/out.jsonl", "questions": 3, "ok": 2, "no_query": 0, "error": 1, "already": 0}
    found = records(tmp_path / "new" / "out.jsonl")
    assert [r["id"] for r in found] == (["a", "b", "c"] if name == "q.csv" else ["1", "2", "3"])
    assert [r["sql"] for r in found] == [
        "SELECT COUNT(*) FROM RIVER",
        None,
        "SELECT NAME FROM RIVER WHERE LENGTH > 500",
    ]


def test_predict_says_what_it_did_and_goes_on(querent, saved, tmp_path):
    (tmp_path / "q.txt").write_text(QUESTIONS["q.txt"], encoding="utf-8")
    first = querent("predict", saved, "q.txt", "--out", "out.jsonl")
    assert first.out == "out.jsonl: 3 questions: 2 ok, 0 without a query, 1 in error\n"
    before = (tmp_path / "out.jsonl").read_bytes()
    again = querent("predict", saved, "q.txt", "--out", "out.jsonl")
    assert "3 questions (3 were there already)" in again.out
    assert (tmp_path / "out.jsonl").read_bytes() == before
    assert querent("predict", saved, "q.txt", "--out", "out.jsonl", "--fresh", "--json").json["already"] == 0


def test_predict_executes_and_explains(querent, saved, city, tmp_path):
    (tmp_path / "q.txt").write_text("which cities are in texas\n", encoding="utf-8")
    options = ("--database", city, "--explain", "--beam", "3")
    assert querent("predict", saved, "q.txt", "--out", "out.jsonl", *options).code == 0
    (found,) = records(tmp_path / "out.jsonl")
    assert found["sql"] == "SELECT NAME FROM CITY WHERE STATE = 'texas'"
    assert (found["columns"], found["rows"]) == (["NAME"], [["austin"], ["dallas"]])
    assert [s["word"] for s in found["explain"]["steps"]][:2] == ["SELECT", "NAME"]
    assert found["explain"]["global"]["values"]["state0"]["text"] == "texas"


def test_predict_takes_a_level_or_stops_at_an_unknown_one(querent, saved, tmp_path):
    (tmp_path / "q.txt").write_text("how many rivers are there\n", encoding="utf-8")
    for level in ("grammar", "scope", "types", "runs"):
        ended = querent("predict", saved, "q.txt", "--out", f"{level}.jsonl", "--level", level, "--json")
        assert ended.json["ok"] == 1
    line = querent("predict", saved, "q.txt", "--out", "none.jsonl", "--level", "scpoe").error()
    assert "no level 'scpoe' (did you mean 'scope'?)" in line
    assert not (tmp_path / "none.jsonl").exists()
    line = querent("train", "plant", "--out", "run", "--level", "type").error()
    assert "field 'constraint.level': 'type' is not one of grammar, scope, types, runs (did you mean 'types'?)" in line


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Return a run folder, its domain's folder, and how the training ended."""
    folder = tmp_path_factory.mktemp("trained")
    write(folder / "domain")
    command = ["train", "domain", "--out", "run", "--seed", "3", "--encoder", "scratch", "--json", *OPTIONS]
    done = subprocess.run(
        [sys.executable, str(ROOT / "train.py"), *command[1:]], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder, done


def test_train_prints_one_object_and_tells_people_on_stderr(trained):
    folder, done = trained
    (line,) = done.stdout.splitlines()
    found = json.loads(line)
    assert found["run"] == "run"
    assert found["config"]["seed"] == 3
    assert (found["config"]["constraint"]["level"], found["config"]["constraint"]["grouping"]) == ("runs", "strict")
    assert {"em", "em_by_query", "jaccard", "validity", "execution"} <= set(found["scores"]["test, gold values"])
    assert done.stderr.splitlines()[0].startswith("encoder scratch, domain tiny (en), question split")
    assert (folder / "run" / "report.md").is_file()


def test_evaluate_takes_the_run_and_its_split(querent, trained, monkeypatch):
    monkeypatch.chdir(trained[0])
    found = querent("evaluate", "run", "domain", "--part", "dev", "--values", "own", "--json").json
    assert (found["part"], found["split"], found["values"], found["n"]) == ("dev", "question", "own", 5)
    assert found["validity"] == 1
    assert {"em", "em_by_query", "jaccard", "execution", "entity_f1"} <= set(found)
    shown = querent("evaluate", "run/best", "domain")
    assert "exact match by query" in shown.out
    assert "SQL feature" in shown.out


def test_predict_finds_the_database_of_the_run(querent, trained, monkeypatch):
    folder = trained[0]
    monkeypatch.chdir(folder)
    (folder / "q.txt").write_text("what is the area of ohio\n", encoding="utf-8")
    for n, run in enumerate(("run", "run/best")):
        assert querent("predict", run, "q.txt", "--out", f"{n}.jsonl", "--execute", "--json").json["questions"] == 1
        (found,) = records(folder / f"{n}.jsonl")
        # after so few steps the query may not run, but it was the domain's database that said so
        assert found["columns"] or found["reason"].startswith("no such column")


def test_check_reports(querent, trained, monkeypatch):
    monkeypatch.chdir(trained[0])
    found = querent("check", "domain", "--json").json
    assert (found["pairs"], found["coverage"], found["failing"]) == (30, 1.0, [])
    shown = querent("check", "domain")
    assert "inside the grammar" in shown.out
    assert "5 of 5 queries (100.0%)" in shown.out


def test_an_interrupted_run_tells_how_to_go_on(querent, saved, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    (tmp_path / "q.txt").write_text("which\n", encoding="utf-8")
    monkeypatch.setattr(face, "predict", interrupted)
    ended = querent("predict", saved, "q.txt", "--out", "out.jsonl")
    assert (ended.code, ended.err) == (130, "interrupted; the same command goes on where it stopped\n")


def test_a_bug_keeps_its_traceback(querent, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(face, "load_domain", broken)
    with pytest.raises(ZeroDivisionError):
        querent("check", "plant")


def test_a_bare_clone_works_through_its_doors(tmp_path):
    rooms = ("querent", "grammar", "classifiers", "ner", "parser", "data")
    for room in rooms:
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "train.py", "predict.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    for door in ("train", "predict"):
        shown = subprocess.run(
            [sys.executable, f"{door}.py", "--help"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert f"querent {door}" in shown.stdout
    code = "import querent.grammar, querent.data.domain as d; print(querent.grammar.__file__, d.__file__)"
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert found.stdout.split() == [str(tmp_path / "grammar/__init__.py"), str(tmp_path / "data/domain.py")]


def test_predict_sees_yesterday_from_the_moment_that_is_given(querent, saved, tmp_path):
    (tmp_path / "q.txt").write_text("how many rivers are there\n", encoding="utf-8")
    for now, code in (("2024-03-31T08:00", 0), ("clock", 0), ("tomorrow", 2)):
        ended = querent("predict", saved, "q.txt", "--out", f"{now}.jsonl", "--now", now)
        assert ended.code == code, ended.err
    assert "'tomorrow' is no moment" in ended.error()
    assert not (tmp_path / "tomorrow.jsonl").exists()
