"""Train once in peace, then once for each place to die in, and once more after each death.

Run as ``python killed_runs.py DOMAIN ENCODER OUT``; prints one JSON object, from name to how the process ended.
One program, since importing torch takes longer than a run: every run is a fork of it.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from tiny_domain import options

from querent.data.domains.loading import load_domain
from querent.evaluation import scored_run
from querent.evaluation.scored_run import train
from querent.parser.learning import judging
from querent.parser.learning.training import Training
from querent.parser.reader.words import fixed_words
from querent.parser.runs import training
from querent.parser.runs.options import TrainConfig

FEW = ("eval.every=1", "eval.dev_examples=2", "eval.train_examples=1")
"""Options beside those of a small run."""


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _at(count: int, kind: type, name: str, last: Callable[..., object] = die) -> None:
    """Have the so-many-th call of a method end in ``last``, which gets the method and its arguments."""
    real, calls = getattr(kind, name), []

    def counted(self: object, *arguments: object, **given: object) -> object:
        calls.append(name)
        return last(real, self, *arguments, **given) if len(calls) == count else real(self, *arguments, **given)

    setattr(kind, name, counted)


def before_the_first() -> None:
    training.read_domain = die


def within_an_epoch() -> None:
    _at(5, torch.optim.AdamW, "step")  # two an epoch


def writing_a_checkpoint() -> None:
    save, calls = torch.save, []

    def half(state: object, file: Path) -> None:
        calls.append(file)
        save(state, file)
        if len(calls) == 2:
            file.write_bytes(file.read_bytes()[:1000])
            die()

    torch.save = half


def while_it_judges() -> None:
    _at(2, judging.ExactMatch, "__call__")


def writing_the_best() -> None:
    def half(real: Callable[..., None], self: object, network: object) -> None:
        real(self, network)
        best = self.run.best  # pyright: ignore[reportAttributeAccessIssue]
        best.rename(best.with_name(".best.old"))  # as between the two renames
        die()

    _at(1, training._Judge, "_save", half)


def writing_the_curve() -> None:
    def half(_: Callable[..., None], self: Training, row: object) -> None:
        with (self.folder / "curve.jsonl").open("a") as file:
            file.write(json.dumps(row)[:20])
        die()

    _at(3, Training, "_note", half)


def scoring() -> None:
    real, calls = scored_run.evaluate, []

    def second(*arguments: object, **given: object) -> object:
        calls.append(given)
        return die() if len(calls) == 2 else real(*arguments, **given)

    scored_run.evaluate = second


def before_the_summary() -> None:
    scored_run._write_report = die


POINTS: dict[str, Callable[[], None]] = {
    point.__name__: point
    for point in (
        before_the_first,
        within_an_epoch,
        writing_a_checkpoint,
        while_it_judges,
        writing_the_best,
        writing_the_curve,
        scoring,
        before_the_summary,
    )
}


def fork(domain: str, encoder: str, out: Path, prepare: Callable[[], None]) -> int:
    """Train in a process of its own; return its exit code, negative for a signal."""
    child = os.fork()
    if child == 0:
        try:
            prepare()
            train(TrainConfig.load(None, options(encoder, *FEW)), load_domain(domain), out)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(domain: str, encoder: str, out: Path) -> None:
    fixed_words()  # reads the grammars of all dialects, which every fork would do again
    gc.collect()
    gc.freeze()  # nor need they search what is there already
    ended = {name: fork(domain, encoder, out / name, lambda: None) for name in ("whole", "again")}
    for name, prepare in POINTS.items():
        ended[name] = fork(domain, encoder, out / name, prepare)
        ended[f"{name}, resumed"] = fork(domain, encoder, out / name, lambda: None)
    print(json.dumps(ended))


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
