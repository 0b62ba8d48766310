"""The README's commands: they exist, and the one that passes the tests is the one that CI runs."""

import re
import subprocess
import tomllib
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from pages import Page, commands_in, problem_of

from querent.data.packages import VERSION
from querent.data.schema.schema import Column, Schema, Table
from querent.grammar import Grammar, Vocabulary

ROOT = Path(__file__).resolve().parents[2]
PAGES = [Page(name) for name in ("../README.md", "../CONTRIBUTING.md", *(f.name for f in (ROOT / "docs").glob("*.md")))]
SHELL = "(?:sh|bash|shell|console)?"


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
