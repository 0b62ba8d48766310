"""A run goes on with what it was begun with: the domain, the database; its threads wait without work."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from reader_cases import write_encoder
from rich.console import Console
from tiny_domain import options, write

from querent.data.domains.loading import load_domain
from querent.data.errors import RunError
from querent.parser.learning.training import Training
from querent.parser.learning.training_run import fit
from querent.parser.reader import profile as domain_profile
from querent.parser.settings.options import TrainConfig

FEW = ("optim.epochs=2", "eval.dev_examples=2", "augment.sampled=4", "augment.strange=20", "model.dropout=0.2")


class Stop(Exception):
    """Somebody pulls the plug."""


def started(folder: Path, run: str = "run", *more: str) -> str:
    """Start a run that writes short queries, and return what it says."""
    config = TrainConfig.load(None, options(folder / "encoder", *FEW, *more))
    said = StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(domain_profile, "_SHORTEST", 0)
        fit(config, load_domain(str(folder / "domain")), folder / run, resume=True, say=Console(file=said))
    return " ".join(said.getvalue().split())


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., str]:
    """Return what starts a run on a domain of its own."""
    write(tmp_path / "domain")
    write_encoder(tmp_path / "encoder")
    return partial(started, tmp_path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return what the weights are of a run on that domain that nothing stops."""
    folder = tmp_path_factory.mktemp("whole")
    write(folder / "domain")
    write_encoder(folder / "encoder")
    started(folder)
    return json.loads((folder / "run" / "best" / "hashes.json").read_text())["model.safetensors"]


def begun(start: Callable[..., str], *more: str, name: str = "_loss") -> None:
    """Start a run that is stopped where the training calls a function."""

    def stopped(*_: object, **__: object) -> Any:
        raise Stop

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Stop):
        patch.setattr(Training, name, stopped)
        start("run", *more)


def test_a_run_that_goes_on_is_held_to_what_it_was_begun_with(start, whole, tmp_path: Path) -> None:
    file = tmp_path / "domain" / "tiny.sqlite"
    os.utime(file, ns=(1, 1))
    begun(start, name="_judged")
    os.utime(file, ns=(2, 2))
    with pytest.raises(RunError, match=r"'data\.sources\.database'.*started with"):
        start()
    os.utime(file, ns=(1, 1))
    start()
    assert json.loads((tmp_path / "run" / "best" / "hashes.json").read_text())["model.safetensors"] == whole


LOOK = """
import os, sys

class Look:
    def find_spec(self, name, *_):
        if name == "torch":
            print(os.environ.get("OMP_WAIT_POLICY"), flush=True)
            os._exit(0)

sys.meta_path.insert(0, Look())
import querent
querent.train
"""
"""Prints how threads shall wait when torch is imported, which reads it then."""


@pytest.mark.parametrize(("given", "found"), [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "ACTIVE"}, "ACTIVE")])
def test_threads_that_wait_take_no_processor(given: dict[str, str], found: str) -> None:
    own = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"} | given
    done = subprocess.run([sys.executable, "-c", LOOK], check=False, capture_output=True, text=True, env=own)
    assert done.stdout.strip() == found, done.stderr
