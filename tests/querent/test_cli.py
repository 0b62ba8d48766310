"""The command line: what each command prints, in text and as JSON, and how it ends."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from said_commands import commands_in, problem_of
from tiny_domain import options, write
from typer.testing import CliRunner

import querent as face
from querent.cli import app
from querent.data.domains.shipped import DATABASES

pytestmark = pytest.mark.usefixtures("cache")

ROOT = Path(__file__).resolve().parents[2]


def records(file):
    return [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]


def all_commands(group: Any, *path: str) -> Iterator[tuple[str, str]]:
    """Yield the names of all commands, those of groups too, each with what its help teaches."""
    for name, command in group.commands.items():
        yield " ".join((*path, name)), command.epilog
        if hasattr(command, "commands"):
            yield from all_commands(command, *path, name)


HELP = dict(all_commands(typer.main.get_command(app)))


@pytest.mark.parametrize("name", HELP)
def test_help_teaches_by_examples_that_exist(querent, name):
    shown = querent(*name.split(), "--help")
    assert shown.code == 0
    assert "Examples" in shown.out
    said = commands_in(HELP[name])
    assert said[0][1] == name.split()[0]
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
        assert getattr(face, name).__name__ == name
    assert set(face.__all__) <= set(dir(face))
    with pytest.raises(AttributeError, match="querent attribute Parsr"):
        face.Parsr  # noqa: B018


@pytest.fixture(scope="module")
def trained(tmp_path_factory, tiny):
    """Return a run folder, its domain's folder, and how the training ended."""
    folder = tmp_path_factory.mktemp("trained")
    write(folder / "domain")
    given = ("domain", "--out", "run", "--seed", "3", "--base", "none", "--split", "question", "--json")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "200")
        patch.setenv("QUERENT_CACHE", str(folder / "cache"))
        done = CliRunner().invoke(app, ["train", *given, *options(tiny / "encoder", "optim.epochs=2")])
    assert done.exit_code == 0, done.stderr
    return folder, done


def test_train_prints_one_object_and_tells_people_on_stderr(trained, tiny):
    folder, done = trained
    (line,) = done.stdout.splitlines()
    found = json.loads(line)
    assert found["run"] == "run"
    assert (found["config"]["seed"], found["config"]["model"]["base"]) == (3, "none")
    assert (found["config"]["constraint"]["level"], found["config"]["constraint"]["global"]) == ("runs", "soft")
    assert {"em", "em_by_query", "jaccard", "validity", "execution"} <= set(found["scores"]["test, gold values"])
    assert f"base none, encoder {tiny / 'encoder'}, domain tiny (en), question split" in done.stderr
    assert "questions: 20 train, 5 dev, 5 test" in done.stderr
    assert (folder / "run" / "report.md").is_file()


def test_the_two_pages_at_the_top_train_and_predict(tiny, tmp_path, monkeypatch, capsys):
    def run(page, *arguments):
        monkeypatch.setattr(sys, "argv", [str(page), *map(str, arguments)])
        runpy.run_path(str(page), run_name="__main__")
        return capsys.readouterr().out

    monkeypatch.chdir(tmp_path)
    Path("questions.txt").write_text("how many cities are in texas\nwhich rivers are there\n", encoding="utf-8")
    page = (ROOT / "train.py").read_text(encoding="utf-8")
    quick = page.replace(
        "    options = [", '    options = ["augment.sampled=9", "augment.rehearsed=3", '
    )  # as pages are changed
    assert quick != page
    Path("train.py").write_text(quick, encoding="utf-8")
    shown = run("train.py", tiny / "domain", "page", "--base", tiny / "run", "--epochs", 1)
    assert "test, own values: exact match" in shown
    database = tiny / "domain" / "tiny.sqlite"
    shown = run(ROOT / "predict.py", database, "questions.txt", "answers.jsonl", "--parser", "page")
    answers = records("answers.jsonl")
    assert [one["id"] for one in answers] == ["1", "2"]
    assert all(one["status"] in shown and (one["sql"] or one["reason"]) in shown for one in answers)


def test_train_goes_on_from_a_run_and_leaves_a_finished_one_alone(querent, tiny, tmp_path):
    arguments = ("train", tiny / "domain", "--out", "run", "--base", tiny / "run")
    small = options(tiny / "encoder", f"model.base={tiny / 'run'}", "optim.epochs=1", "eval.train_examples=1")
    assert "parser run/best, report run/report.md" in querent(*arguments, *small).out
    before = (tmp_path / "run" / "summary.json").stat().st_mtime_ns
    assert "finished: nothing to do" in querent(*arguments, *small).out
    assert (tmp_path / "run" / "summary.json").stat().st_mtime_ns == before
    assert "holds a run already" in querent(*arguments, "--no-resume", *small).error()
    line = querent(*arguments, *small, "seed=5").error()
    assert "run/config.yaml, field 'seed': this run was started with 0, not 5" in line


def test_evaluate_takes_the_run_and_its_split(querent, tiny):
    arguments = ("evaluate", tiny / "run", tiny / "domain", "--part", "dev", "--beam", 1)
    found = querent(*arguments, "--values", "gold", "--limit", 3, "--json").json
    assert (found["part"], found["split"], found["values"], found["n"]) == ("dev", "question", "gold", 3)
    assert (found["validity"], found["domain"]) == (1, "tiny")
    assert {"em", "em_by_query", "jaccard", "execution", "table_f1", "share_left"} <= set(found)
    assert querent(*arguments, "--limit", 1, "--level", "off", "--global", "off", "--json").json["n"] == 1
    shown = querent("evaluate", tiny / "run" / "best", tiny / "domain", "--limit", 1, "--global", "hard")
    assert "exact match by query" in shown.out
    assert "table classifier, F1" in shown.out
    assert "SQL feature" in shown.out


def test_check_reports(querent, tiny, monkeypatch):
    monkeypatch.chdir(tiny)
    found = querent("check", "domain", "--json").json
    assert (found["pairs"], found["coverage"], found["failing"]) == (30, 1.0, [])
    shown = querent("check", "domain")
    assert "inside the grammar" in shown.out
    assert "5 of 5 queries (100.0%)" in shown.out
    told = querent("check", "domain", "--summary").json
    assert (told["pairs"], told["admitted"], told["failing"]) == (30, 5, 0)
    assert {"command", "machine", "versions"} <= set(told)


def test_an_interrupted_run_tells_how_to_go_on(querent, tiny, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    (tmp_path / "q.txt").write_text("which\n", encoding="utf-8")
    monkeypatch.setattr(face, "predict", interrupted)
    ended = querent("predict", "q.txt", "--parser", tiny / "run", "--out", "out.jsonl")
    assert (ended.code, ended.err) == (130, "interrupted; the same command goes on where it stopped\n")


def test_a_bug_keeps_its_traceback(querent, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(face, "load_domain", broken)
    with pytest.raises(ZeroDivisionError):
        querent("check", "plant")


def test_a_bare_clone_works_through_its_doors(tmp_path):
    rooms = ("querent", "grammar", "ner", "parser", "data")
    for room in rooms:
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "train.py", "predict.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    for door in ("train", "predict"):
        shown = subprocess.run(
            [sys.executable, f"{door}.py", "--help"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert f"python {door}.py shop" in shown.stdout
    code = "import querent.grammar, querent.data.domains.domain as d; print(querent.grammar.__file__, d.__file__)"
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert found.stdout.split() == [str(tmp_path / "grammar/__init__.py"), str(tmp_path / "data/domains/domain.py")]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("describe", "plnt.sqlite"), "plnt.sqlite: no such database file; did you mean 'plant.sqlite'?"),
        (("describe", "Orders.cvs"), "Orders.cvs: no such database file; did you mean 'orders.csv'?"),
        (("describe", "nowhere/plnt.sqlite"), "nowhere/plnt.sqlite: no such database file"),
        (("describe", "shp"), "shp: no such database file; did you mean 'shop'?"),
        (("describe", "nowhere/shp"), "nowhere/shp: no such database file"),
        (("describe", "orders.csv/shp"), "orders.csv/shp: no such database file"),
        (
            ("validate", "plant.sqlite", "querys.sql"),
            "querys.sql: No such file or directory; did you mean 'query.sql'?",
        ),
        (("validate", "plant.sqlite", "SELECT 1"), "SELECT 1: No such file or directory"),
        (("validate", "plant.sqlite", "x" * 300), f"{'x' * 300}: File name too long"),
        (("validate", "plant.sqlite", "."), ".: Is a directory"),
    ],
)
def test_a_path_that_leads_nowhere_is_told_with_the_nearest_one(querent, tmp_path, monkeypatch, music, command, told):
    shutil.copy(music, tmp_path / "plant.sqlite")
    for name in ("orders.csv", "query.sql"):
        (tmp_path / name).write_text("SELECT 1")
    monkeypatch.chdir(tmp_path)
    assert querent(*command).error().replace(" (give the path of a SQLite file)", "") == f"error: {told}"


@pytest.mark.parametrize("name", ["ask", "serve", "mcp"])
def test_help_names_all_databases_that_ship(querent, name):
    shown = " ".join(querent(name, "--help").out.replace("│", " ").split())
    (said,) = re.findall(r"[Ss]hipped ones? \(([^)]*)\)", shown)
    assert set(said.split(", ")) == set(DATABASES)
