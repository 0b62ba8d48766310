"""What a run prepares before its first step is kept, and made anew where what it was made from has changed."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from joblib import cpu_count
from reader_cases import write_encoder
from rich.console import Console
from tiny_domain import options, write

from querent.data.domains.loading import load_domain
from querent.data.errors import RunError
from querent.parser.learning import domain_dataset
from querent.parser.learning.packing import read_pickled
from querent.parser.learning.training import Training
from querent.parser.reader import profile as domain_profile
from querent.parser.runs import preparation
from querent.parser.runs.training import fit
from querent.parser.settings.options import TrainConfig
from querent.parser.settings.run_folder import RunFolder

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
    return weights(folder / "run")


def stop(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> pytest.MonkeyPatch:
    def stopped(*_: object, **__: object) -> Any:
        raise Stop

    monkeypatch.setattr(owner, name, stopped)
    return monkeypatch


def begun(start: Callable[..., str], *more: str, owner: object = Training, name: str = "_loss") -> None:
    """Start a run that is stopped where a function is called."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Stop):
        stop(patch, owner, name)
        start("run", *more)


def weights(folder: Path) -> str:
    return json.loads((folder / "best" / "hashes.json").read_text())["model.safetensors"]


def test_a_run_stopped_before_its_first_step_prepares_nothing_again(start, whole, tmp_path, monkeypatch) -> None:
    begun(start)
    for name in ("read_examples", "rehearsal_examples"):
        stop(monkeypatch, preparation, name)
    stop(monkeypatch, preparation.FrozenStates, "of")
    start()
    assert weights(tmp_path / "run") == whole


def test_before_the_first_step_nothing_but_the_training_part_is_read(start, monkeypatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(domain_dataset._ExampleReader, "read", lambda _, example, part: read.append(part))
    begun(start)
    assert set(read) == {"train"}
    start()
    assert set(read) == {"train", "dev", "test"}


@pytest.mark.parametrize("name", ["rehearsal_examples", "save_file"])
def test_stopped_within_the_preparation_it_keeps_the_parts_that_are_done(
    start, whole, tmp_path: Path, monkeypatch, name: str
) -> None:
    begun(start, owner=preparation, name=name)
    stop(monkeypatch, preparation, "read_examples")
    start()
    assert weights(tmp_path / "run") == whole


def changed_pairs(tmp_path: Path) -> None:
    file = tmp_path / "domain" / "examples.jsonl"
    file.write_text(file.read_text().replace("which cities are in", "what cities lie in"))


def changed_database(tmp_path: Path) -> None:
    os.utime(tmp_path / "domain" / "tiny.sqlite", ns=(1, 1))


def changed_version(tmp_path: Path) -> None:
    file = tmp_path / "run" / "prepared.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"the version of Querent": "0.0.1"}))


CHANGES = {"the domain": changed_pairs, "the database": changed_database, "the version of Querent": changed_version}


@pytest.mark.parametrize("what", CHANGES)
def test_of_a_changed_input_it_is_prepared_anew(start, whole, tmp_path: Path, what: str) -> None:
    begun(start)
    CHANGES[what](tmp_path)
    assert f"changed since it was prepared: {what}; it is prepared anew" in start()
    assert (weights(tmp_path / "run") == whole) == (what != "the domain")  # whose pairs it has learnt as they are now


def test_once_there_is_a_checkpoint_the_run_goes_on_with_what_it_was_begun_with(start, whole, tmp_path: Path) -> None:
    begun(start, name="_judged")
    changed_database(tmp_path)
    assert "changed since this run was begun: the database; it goes on with" in start()
    assert weights(tmp_path / "run") == whole


def test_what_cannot_be_read_is_refused_with_the_way_out(start, tmp_path: Path) -> None:
    begun(start)
    file = tmp_path / "run" / "stages" / "besides" / "examples.pickle"
    file.write_bytes(file.read_bytes()[:50])
    with pytest.raises(RunError, match="what was prepared cannot be read") as caught:
        start()
    assert str(file.parent) in str(caught.value.hint)


class Hostile:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("true",)


@pytest.mark.parametrize("what", [Hostile(), fit, Training, preparation.json.dumps])
def test_a_pickle_of_anything_but_examples_is_refused(what: object) -> None:
    with pytest.raises(pickle.UnpicklingError, match="is nothing that examples are made of"):
        read_pickled(BytesIO(pickle.dumps(what)))


def test_a_name_within_a_module_leads_nowhere_else() -> None:
    module = preparation.__name__.encode()
    with pytest.raises(pickle.UnpicklingError, match="is nothing that examples are made of"):
        read_pickled(BytesIO(b"\x80\x04\x8c" + bytes([len(module)]) + module + b"\x8c\x0dshutil.rmtree\x93."))


def test_a_run_keeps_the_number_of_threads_that_it_was_begun_with(start, tmp_path: Path, monkeypatch) -> None:
    counted: list[int] = []
    monkeypatch.setattr("torch.set_num_threads", counted.append)
    begun(start, "threads=null")
    own = cpu_count()
    assert RunFolder(tmp_path / "run").options()["threads"] == counted[-1] == own
    monkeypatch.setattr("querent.parser.runs.training.cpu_count", lambda: own + 7)
    begun(start, "threads=null")
    assert counted[-1] == own
    said = start("run", f"threads={own + 1}")
    assert f"begun with {own} threads, gone on with {own + 1}" in said
    assert counted[-1] == own + 1


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
