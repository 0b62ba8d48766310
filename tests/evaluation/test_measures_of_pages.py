"""Measures whose commands the pages give: each has the options that are said of it, and the shortest ones run."""

import importlib
import json
import re
import shlex
from argparse import ArgumentParser

import pytest

from bench import report
from bench.accuracy.result_files import DATA, parsed, run

CALLED = re.compile(r"python (?:-m bench\.(\w+)|bench/accuracy/(\w+)\.py) ([^#\n]*)")
STANDS_FOR = {"ENGINE": "sqlite", "QUERIES": "3", "SEED": "1"}
MEASURES = {"train": "walked", "speed": "masks"}
"""The functions of packages that are not called ``measure``."""


def measures() -> list[tuple[str, list[str]]]:
    """Return module and arguments of every measure that the pages run."""
    found = []
    for page in report.PAGES:
        blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL))
        for package, script, said in CALLED.findall(blocks.replace("\\\n", " ")):
            name = f"bench.{package}.__main__" if package else f"bench.accuracy.{script}"
            words = [STANDS_FOR.get(word, word) for word in shlex.split(said)]
            found.append((name, words[1:] if package == "speed" else words))
    return found


def test_each_has_the_options_that_are_said_of_it(capsys):
    assert len(measures()) > 10
    for name, arguments in measures():
        module = importlib.import_module(name)
        parser = ArgumentParser(prog=name)
        if name != "bench.train.__main__":
            parser.add_argument("--out")
        parsed(getattr(module, MEASURES.get(name.split(".")[1], "measure")), parser, arguments)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "counted"), [("held_out", "questions"), ("dialogues", "turns")])
def test_it_measures_a_few_questions(name, counted, tmp_path, capsys):
    if not (DATA / "multi" / "spider-train").exists():
        pytest.skip("no public sets beside the checkout")
    said = next(arguments for module, arguments in measures() if module == f"bench.accuracy.{name}")
    out = tmp_path / "figures.json"
    own = {"runs/figures": "shipped", said[said.index("--out") + 1]: str(out)}
    kept = [own.get(word, word) for word in said if not word.startswith("chase:")]
    assert run(importlib.import_module(f"bench.accuracy.{name}").measure, [*kept, "--each", "300"]) == 0
    assert all(figures[counted] > 0 for figures in json.loads(out.read_text("utf-8"))["figures"].values())
