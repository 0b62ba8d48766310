"""The README's commands: they exist, and the one that passes the tests is the one that CI runs."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import tomllib
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from pages import Page, commands_in, problem_of

from querent.authoring.starting import starters
from querent.data.packages import VERSION
from querent.data.schema.schema import Column, Schema, Table
from querent.grammar import Grammar, Vocabulary

ROOT = Path(__file__).resolve().parents[2]
PAGES = [Page(name) for name in ("../README.md", "../CONTRIBUTING.md", *(f.name for f in (ROOT / "docs").glob("*.md")))]
SHELL = "(?:sh|bash|shell|console)?"
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
MUSIC = """
CREATE TABLE artist (artist_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE album (album_id INTEGER PRIMARY KEY, title TEXT, artist_id INTEGER REFERENCES artist (artist_id));
INSERT INTO artist VALUES (1, 'AC/DC'), (2, 'Accept'), (3, 'Aerosmith');
INSERT INTO album VALUES (1, 'For Those About To Rock', 1), (2, 'Let There Be Rock', 1), (3, 'Big Ones', 3);
"""
FILES = {
    "sales.csv": "store,amount\nBasel,120\nBern,72\n",
    "questions.txt": "how many albums are there?\n",
    "answers.sql": "SELECT COUNT(*) FROM album;\n",
    "solved.jsonl": "".join(
        f'{{"question": "which albums are by {name}?", "sql": "SELECT title FROM album JOIN artist'
        f" ON album.artist_id = artist.artist_id WHERE name = '{name}'\"}}\n"
        for name in ("Accept", "Aerosmith")
    ),
}
SHORT = ["optim.epochs=1", "augment.sampled=0", "augment.rehearsed=0", "eval.dev_examples=2", "eval.train_examples=2"]
"""A test needs no long training."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_exists(page):
    said = [command for block in page.blocks(SHELL) for command in commands_in(block)]
    assert {" ".join(c): problem for c in said if (problem := problem_of(c))} == {}


def test_the_readme_installs_and_runs_the_demo_in_one_command_and_the_tests_in_another():
    lines = [line for block in PAGES[0].blocks(SHELL) for line in block.replace("\\\n", " ").splitlines()]
    whole = [line for line in lines if "python3 -m venv" in line and "pip install" in line]
    assert [line for line in whole if "querent demo" in line]
    tests = [line for line in whole if "pytest" in line]
    assert tests
    run = [line.removesuffix(" &") for line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()]
    assert [line for line in run if line and line in tests[0]] == tests[0].rsplit(" && ", 1)


@pytest.mark.slow
def test_every_command_and_block_runs(querent, tiny_encoder, tmp_path, monkeypatch):
    """From «Ask a database» on; the loop and the processor have tests of their own, `demo` has, too."""
    with closing(sqlite3.connect(tmp_path / "my.sqlite")) as database:
        database.executescript(MUSIC)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(starters, "_SAMPLED", 25)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"^## Only the constraint.*?(?=^## )", "", text[text.index("## Ask a database") :], flags=re.M | re.S)
    ran, names = [], {}
    for language, block in BLOCK.findall(text):
        if language == "python":
            exec(block, names)
            continue
        for _, *words in (command for command in commands_in(block) if "@host" not in " ".join(command)):
            if words[0] == "train-retriever":  # an encoder of E5's size is large to write
                words += ["--model", tiny_encoder, "--frozen", "0", "--epochs", "1"]
            found = querent(*words, *(SHORT if words[0] == "train" else ()), stdin="how many sales are there?\n")
            away = "no server at http://localhost:11434" in found.err  # no language model runs here
            assert found.code == 0 or away, (words, found.err or found.out)
            ran.append(words[0])
            if words[0] == "fill":
                pairs = tmp_path / "my-domain" / "examples.en.jsonl"
                pairs.write_text("".join(pairs.read_text("utf-8").splitlines(keepends=True)[::16]), "utf-8")
    assert {"ask", "train-retriever", "new", "train", "predict", "evaluate", "validate", "grammar"} <= {*ran}
    assert names["answer"].rows == ((2,),)


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("no git, or no clone")
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


# the distribution of another project: its name behind `pip install`, or before an extra
SOMEBODY_ELSE = re.compile(r"querent\\{0,2}\[|pip3? install(?: -\S+)* '?querent(?![\w-])")
EXTRA = re.compile(r"""'\.\\{0,2}\[([a-z]+)\]'|install_hint\(["'](\w+)|needs\("[^"]+", "(\w+)\"""")


def test_nothing_installs_the_package_of_somebody_else(tracked):
    """Another project has the name on PyPI, so Querent and its extras are installed from the clone."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert version(project["name"]) == VERSION
    wrong, extras = [], set()
    for file in tracked:
        text = file.read_bytes().decode("utf-8", "ignore")
        wrong += [f"{file}: {found[0]}" for found in SOMEBODY_ELSE.finditer(text)]
        extras |= {"".join(found.groups("")) for found in EXTRA.finditer(text)}
    assert wrong == []
    assert {"llm", "serve", "train"} <= extras <= {*project["optional-dependencies"]}


@pytest.mark.parametrize("said", ["pip install '{}[serve]'", "pip install -q {}", "{}\\[llm]"])
def test_the_package_of_somebody_else_is_found(said):
    assert SOMEBODY_ELSE.search(said.format("querent"))


def test_only_weights_are_large(tracked):
    large = [file.name for file in tracked if file.stat().st_size > 2_500_000 and file.suffix != ".safetensors"]
    assert large == []


@pytest.mark.parametrize("seed", range(5))
def test_the_loop_around_the_constraint_ends_in_a_query(seed, capsys):
    (block,) = [b for b in PAGES[0].blocks("python") if ".allowed()" in b]
    schema = Schema((Table("lake", (Column("name"), Column("area", "int"))), Table("river", (Column("name"),))))
    draw = np.random.default_rng(seed)
    names = {"schema": schema, "queries": ["SELECT name FROM lake WHERE area > 5", "SELECT COUNT(*) FROM river"]}
    size = len(Vocabulary.build(Grammar.for_schema(schema, dialect="mysql"), names["queries"]))
    exec(block, {**names, "score": lambda words: draw.normal(size=size)})
    written = capsys.readouterr().out.strip()
    assert written.startswith(("SELECT", "("))
    Grammar.for_schema(schema, dialect="mysql").tokenize(written)


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("querent predict q.txt --parser runs/x --out a.jsonl", None),
        ("querent predict runs/x q.txt --out a.jsonl", "unexpected extra argument"),
        ("querent train plant", "out"),
        ("querent evaluate runs/x plant --part exam", "'exam' is not one of"),
        ("python train.py plant --out runs/x optim.lr=3e-4 && querent prdict x", "no command prdict"),
        (".venv/bin/querent demo --languag zh", "no option --languag of demo"),
        ("querent predict - [--parser runs/x] --out=a.jsonl | head", None),
    ],
)
def test_this_test_would_notice(command, problem):
    problems = [problem_of(c) for c in commands_in(command)]
    assert any(problem in (found or "") for found in problems) if problem else problems == [None]
