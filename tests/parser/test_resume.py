"""A run killed with SIGKILL and started again ends as if nothing had happened.

One that is stopped within an epoch behind a checkpoint is in test_learning_training.py.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from caches import new_cache
from killed_runs import FEW, POINTS
from reader_cases import write_encoder
from tiny_domain import options, write

from querent.data.domains.loading import load_domain
from querent.data.errors import RunError
from querent.evaluation.scored_run import train
from querent.parser.network.saved import load_network
from querent.parser.settings.options import TrainConfig
from querent.parser.settings.run_folder import RunFolder

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="the runs to kill are forks")]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[int]], str]:
    """Return the folder of runs, how each ended, and what it said."""
    folder = tmp_path_factory.mktemp("killed")
    pairs = write(folder / "domain", database=False) / "examples.jsonl"
    lines = pairs.read_text().splitlines(keepends=True)
    pairs.write_text("".join(one for one in lines if '"id": "c' in one))  # two prototypes of five: there are many runs
    write_encoder(folder / "encoder")
    script = Path(__file__).with_name("killed_runs.py")
    command = [sys.executable, *map(str, (script, folder / "domain", folder / "encoder"))]
    own = {"QUERENT_CACHE": str(new_cache(folder / "killed cache")), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=os.environ | own)
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout.splitlines()[-1]), done.stderr


def curve(run: Path) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key != "seconds"} for row in RunFolder(run).curve()]


def summary(run: Path) -> dict[str, Any]:
    found = RunFolder(run).summary()
    del found["seconds"]
    for scores in found["scores"].values():
        del scores["seconds"]
    return found


def check_same(run: Path, whole: Path) -> None:
    """The curve, the weights, the scores and the names of all files are those of another run."""
    assert len(curve(whole)) == 2
    assert curve(run) == curve(whole)
    hashes = [(folder / "best" / "hashes.json").read_text() for folder in (run, whole)]
    assert hashes[0] == hashes[1]
    assert summary(run) == summary(whole)
    names = [{file.relative_to(folder) for file in folder.rglob("*")} for folder in (run, whole)]
    assert names[0] == names[1]


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_any_point_it_ends_as_if_nothing_had_been(runs: tuple, point: str) -> None:
    folder, ended, said = runs
    assert ended[point] == [-signal.SIGKILL, 0], said
    check_same(folder / point, folder / "whole")
    load_network(folder / point / "best")


def test_a_finished_run_is_left_alone_and_another_configuration_refused(runs: tuple) -> None:
    folder, _, _ = runs
    before = {p: p.stat().st_mtime_ns for p in (folder / "whole").rglob("*")}
    domain, small = load_domain(str(folder / "domain")), options(folder / "encoder", *FEW)
    assert train(TrainConfig.load(None, small), domain, folder / "whole") == folder / "whole"
    with pytest.raises(RunError, match="another --out"):
        train(TrainConfig.load(None, [*small, "data.split=query"]), domain, folder / "whole")
    assert {p: p.stat().st_mtime_ns for p in (folder / "whole").rglob("*")} == before
