"""A run killed with SIGKILL and started again ends as if nothing had happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_domain import OPTIONS, write

from querent.data.domain import load_domain
from querent.data.errors import RunError
from querent.parser.options import TrainConfig
from querent.parser.pipeline import Parser
from querent.parser.runs import RunFolder
from querent.parser.training import train

HERE = Path(__file__).parent
POINTS = ("after_classifiers", "in_training", "writing_best", "scoring")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the runs to kill are forks"),
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("killed")
    write(folder / "domain")
    command = [sys.executable, str(HERE / "killed_runs.py"), str(folder / "domain"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ended = json.loads(done.stdout.splitlines()[-1])
    assert ended["whole"] == 0, done.stderr
    return folder, ended, done.stderr


@pytest.mark.parametrize("point", POINTS)
def test_the_run_was_killed_and_then_finished(runs, point):
    _, ended, said = runs
    assert ended[point] == -signal.SIGKILL, said
    assert ended[f"{point}, resumed"] == 0, said


@pytest.mark.parametrize("point", POINTS)
def test_the_curve_is_the_same(runs, point):
    folder, _, _ = runs
    whole, again = (
        [json.loads(line) for line in (folder / name / "metrics.jsonl").open()] for name in ("whole", point)
    )
    assert [(m["step"], sorted(m)) for m in again] == [(m["step"], sorted(m)) for m in whole]
    for here, there in zip(again, whole, strict=True):
        assert here == pytest.approx(there, abs=1e-6)


@pytest.mark.parametrize("point", POINTS)
def test_the_best_parser_is_the_same(runs, point):
    folder, _, _ = runs
    whole, again = (json.loads((folder / name / "best" / "hashes.json").read_text()) for name in ("whole", point))
    assert again == whole
    Parser.from_pretrained(folder / point / "best")


@pytest.mark.parametrize("point", POINTS)
def test_the_scores_are_the_same(runs, point):
    folder, _, _ = runs
    whole, again = (json.loads((folder / name / "summary.json").read_text()) for name in ("whole", point))
    for summary in (whole, again):
        for scores in summary["scores"].values():
            del scores["seconds"]
    assert again == whole


@pytest.mark.parametrize("point", POINTS)
def test_nothing_half_written_is_left(runs, point):
    folder, _, _ = runs
    assert not list((folder / point).rglob(".*"))


def test_a_finished_run_does_nothing(runs):
    folder, _, _ = runs
    before = {p: p.stat().st_mtime_ns for p in (folder / "whole").rglob("*")}
    train(TrainConfig.load(None, OPTIONS), load_domain(str(folder / "domain")), folder / "whole")
    assert {p: p.stat().st_mtime_ns for p in (folder / "whole").rglob("*")} == before


def test_another_configuration_is_refused(runs):
    folder, _, _ = runs
    config = TrainConfig.load(None, [*OPTIONS, "optim.lr=2e-3"])
    with pytest.raises(RunError, match="another --out") as caught:
        train(config, load_domain(str(folder / "domain")), folder / "whole")
    assert caught.value.field == "optim.lr"


def test_the_run_folder_is_complete(runs):
    folder, _, _ = runs
    names = {p.name for p in (folder / "whole").iterdir()}
    wanted = {"config.yaml", "metrics.jsonl", "checkpoints", "best", "logs", "report.md", "summary.json"}
    assert wanted | {"learning.png", "lengths.png"} <= names
    scores = RunFolder(folder / "whole").summary()["scores"]
    assert set(scores) == {"train, gold values", "dev, gold values", "test, gold values", "test, own values"}
    assert all(found["validity"] == 1.0 for found in scores.values())
