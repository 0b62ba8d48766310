"""Trainings to kill: ``python killed_runs.py DOMAIN ENCODER`` runs one in peace, and one for each point of death.

The runs are forks of one program, since importing torch takes longer than a run. What is printed is how each ended.
"""

import gc
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from tiny_domain import options

from querent.data.domains.loading import load_domain
from querent.evaluation import scored_run
from querent.evaluation.scored_run import train
from querent.parser.learning import training_run
from querent.parser.reader import profile as domain_profile
from querent.parser.settings.options import TrainConfig

FEW = (
    "optim.epochs=2",
    "optim.batch_size=4",
    "eval.every=1",
    "eval.dev_examples=1",
    "eval.train_examples=1",
    "constraint.level=scope",
)
"""Options beside those of a small run."""


def die(*_: object, **__: object) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def at(count: int, owner: object, name: str, last: Callable[..., Any] = die) -> None:
    """Have the so-many-th call of a function end in ``last``, which gets the real one and the call's arguments."""
    real, calls = getattr(owner, name), []

    def counted(*arguments: object, **given: object) -> object:
        calls.append(name)
        return last(real, *arguments, **given) if len(calls) == count else real(*arguments, **given)

    setattr(owner, name, counted)


def within_an_epoch() -> None:
    at(3, torch.optim.AdamW, "step")  # two an epoch


def writing_a_checkpoint() -> None:
    def half(save: Callable[..., None], state: object, file: Path) -> None:
        save(state, file)
        file.write_bytes(file.read_bytes()[:1000])
        die()

    at(2, torch, "save", half)


def writing_the_best() -> None:
    def half(real: Callable[..., None], self: object, network: object) -> None:
        real(self, network)
        best = self.run.best  # pyright: ignore[reportAttributeAccessIssue]
        best.rename(best.with_name(".best.old"))  # as between the two renames
        die()

    at(1, training_run._Judge, "_save", half)


def before_the_summary() -> None:
    scored_run.report = die


POINTS = {
    point.__name__: point for point in (within_an_epoch, writing_a_checkpoint, writing_the_best, before_the_summary)
}


def run(domain: str, encoder: str, name: str, prepare: Callable[[], None] = lambda: None) -> int:
    """Run in a process of its own; return its exit code, negative for a signal."""
    child = os.fork()
    if child == 0:
        try:
            prepare()
            train(TrainConfig.load(None, options(encoder, *FEW)), load_domain(domain), Path(name))
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    torch.set_num_threads(1)
    domain_profile._SHORTEST = 0  # queries of a network that knows little need not be long
    given = sys.argv[1:]
    train(
        TrainConfig.load(None, options(given[1], *FEW)), load_domain(given[0]), Path("whole")
    )  # forks read it no more
    gc.freeze()
    print(json.dumps({name: [run(*given, name, point), run(*given, name)] for name, point in POINTS.items()}))
