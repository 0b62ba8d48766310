"""Train once in peace, then once for each place to die in, and once more after each death.

Run as ``python killed_runs.py DOMAIN OUT``; prints one JSON object, from name to how the process ended.
One program, since importing torch takes longer than a run: every run is a fork of it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from tiny_domain import OPTIONS
from transformers import TrainerCallback

from querent.data.domain import load_domain
from querent.parser import pipeline, stages, training
from querent.parser.options import TrainConfig


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class DieAt(TrainerCallback):
    """Stands in for the progress bar, and kills the process after a step."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_step_end(self, args, state, control, **_):
        if state.global_step == self.step:
            die()


def after_classifiers() -> None:
    stages.ValueFinder.fit = die


def in_training() -> None:
    real = training.ParserTrainer
    training.ParserTrainer = lambda **fields: real(**{**fields, "callbacks": [DieAt(13)]})


def writing_best() -> None:
    real = pipeline.Parser.save_pretrained
    saved: list[Path] = []

    def half(parser: pipeline.Parser, folder: Path) -> None:
        real(parser, folder)
        saved.append(folder)
        if len(saved) == 2:
            (Path(folder) / "model.safetensors").write_bytes(b"half")
            die()

    pipeline.Parser.save_pretrained = half


def scoring() -> None:
    training.evaluate = die


POINTS: dict[str, Callable[[], None]] = {
    "after_classifiers": after_classifiers,
    "in_training": in_training,
    "writing_best": writing_best,
    "scoring": scoring,
}


def fork(domain: str, out: Path, prepare: Callable[[], None]) -> int:
    """Train in a process of its own; return its exit code, negative for a signal."""
    child = os.fork()
    if child == 0:
        try:
            prepare()
            training.train(TrainConfig.load(None, OPTIONS), load_domain(domain), out)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(domain: str, out: Path) -> None:
    ended = {"whole": fork(domain, out / "whole", lambda: None)}
    for name, prepare in POINTS.items():
        ended[name] = fork(domain, out / name, prepare)
        ended[f"{name}, resumed"] = fork(domain, out / name, lambda: None)
    print(json.dumps(ended))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
