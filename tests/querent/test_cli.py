"""The command line: what each command prints, in text and as JSON, and how it ends."""

import ast
import json
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from cases import table
from pages import commands_in, problem_of
from tiny_domain import options, write
from typer.testing import CliRunner

import querent as face
from querent.answers.feedback import Feedback, Judged
from querent.commands.cli import app

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


def page(monkeypatch, capsys, name, *arguments):
    """Run a page at the top as it stands, and return what it prints."""
    monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
    runpy.run_path(str(ROOT / name), run_name="__main__")
    return capsys.readouterr().out


def examples(name):
    return [command[2:] for command in commands_in(ast.get_docstring(ast.parse((ROOT / name).read_text("utf-8"))))]


def write_spider(folder, name):
    """Write the pairs of the tiny domain as Spider's are laid out."""
    domain = face.load_domain(write(folder / "tiny"))
    tables, columns = [t.name for t in domain.schema.tables], [[-1, "*"]]
    columns += [[place, column.name] for place, t in enumerate(domain.schema.tables) for column in t.columns]
    told = {"table_names": tables, "table_names_original": tables, "column_types": ["text"] * len(columns)}
    told |= {"column_names": columns, "column_names_original": columns, "primary_keys": [], "foreign_keys": []}
    (folder / "tables.json").write_text(json.dumps([{"db_id": name, **told}]))
    pairs = [{"db_id": name, "question": e.question, "query": e.sql} for e in domain.examples]
    (folder / "train_spider.json").write_text(json.dumps(pairs))


def test_every_example_of_the_page_that_trains(tiny, tmp_path, monkeypatch, capsys):
    """With each domain cut to twelve questions, and a network of seconds."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "my-domain")
    write_spider(tmp_path / "spider", "concert_singer")
    load, read = face.TrainConfig.load, face.load_domain
    small = [*options(tiny / "encoder"), "optim.epochs=1"]
    monkeypatch.setattr(face.TrainConfig, "load", lambda file, given: load(file, [*given, *small]))

    def cut(spec):
        domain = read(spec)
        return replace(domain, examples=tuple(e for part in ("train", "dev", "test") for e in domain.part(part)[:4]))

    monkeypatch.setattr(face, "load_domain", cut)
    for domain, run, *more in examples("train.py"):
        shown = page(monkeypatch, capsys, "train.py", domain, run, *more)
        assert re.search(r"test, \w+ values: exact match \d\.\d+, execution ", shown)
        assert Path(run, "best", "hashes.json").is_file()


def test_every_example_of_the_page_that_predicts(tiny, city, tmp_path, monkeypatch, capsys):
    (tmp_path / "my.sqlite").write_bytes(city.read_bytes())
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "mine").symlink_to(tiny / "run")
    (tmp_path / "questions.txt").write_text("how many customers are there?\n\n", encoding="utf-8")
    (tmp_path / "questions.csv").write_text("question\nhow many cities are in texas\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = {}
    for database, questions, out, *more in examples("predict.py"):
        shown = page(monkeypatch, capsys, "predict.py", database, questions, out, *more)
        found[database] = records(out)
        assert all(one["status"] in shown and (one["sql"] or one["reason"]) in shown for one in found[database])
    assert {name: [one["rows"] for one in answers] for name, answers in found.items()} == {
        "shop": [[[20]], []],
        "my.sqlite": [[[1]]],
    }


@pytest.mark.parametrize(("name", "arguments", "told"), table(__file__, "a_mistake_ends_a_page_at_the_top_in_one_line"))
def test_a_mistake_ends_a_page_at_the_top_in_one_line(tmp_path, monkeypatch, capsys, name, arguments, told):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "my-domain")
    (tmp_path / "q.txt").write_text("how many customers are there?\n", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        page(monkeypatch, capsys, name, *arguments)
    (line,) = capsys.readouterr().err.splitlines()
    assert (ended.value.code, line[: len(told) + 7]) == (2, f"error: {told}")


def test_train_goes_on_from_a_run_and_leaves_a_finished_one_alone(querent, tiny, tmp_path):
    arguments = ("train", tiny / "domain", "--out", "run", "--base", tiny / "run")
    small = options(tiny / "encoder", f"model.base={tiny / 'run'}", "optim.epochs=1", "eval.train_examples=1")
    assert "parser run/best, report run/report.md" in querent(*arguments, *small).out
    before = (tmp_path / "run" / "summary.json").stat().st_mtime_ns
    assert "finished: nothing to do" in querent(*arguments, *small).out
    assert (tmp_path / "run" / "summary.json").stat().st_mtime_ns == before
    line = querent(*arguments, *small, "seed=5").error()
    assert "run/config.yaml, field 'seed': this run was started with 0, not 5" in line


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
        assert f"python {door}.py my" in shown.stdout
    code = "import querent.grammar, querent.data.domains.domain as d; print(querent.grammar.__file__, d.__file__)"
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert found.stdout.split() == [str(tmp_path / "grammar/__init__.py"), str(tmp_path / "data/domains/domain.py")]


FAST = ("optim.epochs=2", "augment.sampled=0", "augment.rehearsed=0", "augment.strange=0", "eval.beam=1")


@pytest.fixture
def said(tmp_path):
    """Return a file of verdicts on thirteen questions, of which ten are solved."""
    feedback = Feedback(tmp_path / "feedback.jsonl")
    for place, state in enumerate(("texas", "ohio", "utah", "maine", "iowa") * 2):
        how, what = (("how many cities are in", "COUNT(*)"), ("which cities are in", "name"))[place // 5]
        feedback.add(Judged(f"{how} {state}", f"SELECT {what} FROM city WHERE state = '{state}'", "corrected"))
    for state in ("idaho", "ohio", "utah"):
        feedback.add(Judged(f"what is the area of {state}", "SELECT area FROM state", "wrong"))
    return feedback.path


def test_solved_questions_train_a_parser_that_can_be_asked(querent, tiny, city, said, tmp_path):
    told = querent(
        "train", said, *FAST, "--database", city, "--base", tiny / "run", "--out", tmp_path / "run", "--json"
    )
    assert told.code == 0, told.err
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["data"]["questions"] == {"train": 8, "dev": 2, "test": 0}
    asked = querent("ask", city, "how many cities are in ohio", "--parser", tmp_path / "run", "--json")
    assert asked.json["sql"] == "SELECT COUNT(*) FROM city WHERE city.state = 'ohio'"
