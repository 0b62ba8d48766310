"""Trainings to kill: ``python killed_runs.py DOMAIN ENCODER``, see `killing`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from killing import at, die, killed_at
from tiny_domain import options

from querent.data.domains.loading import load_domain
from querent.evaluation import scored_run
from querent.evaluation.scored_run import train
from querent.parser.learning import gold_query as exact_match
from querent.parser.learning.training import Training
from querent.parser.reader import profile as domain_profile
from querent.parser.runs import training
from querent.parser.settings.options import TrainConfig

FEW = (
    "optim.epochs=2",
    "optim.batch_size=4",
    "eval.every=1",
    "eval.dev_examples=1",
    "eval.train_examples=1",
    "constraint.level=grammar",
)
"""Options beside those of a small run."""


def within_an_epoch() -> None:
    at(3, torch.optim.AdamW, "step")  # two an epoch


def writing_a_checkpoint() -> None:
    def half(save: Callable[..., None], state: object, file: Path) -> None:
        save(state, file)
        file.write_bytes(file.read_bytes()[:1000])
        die()

    at(2, torch, "save", half)


def while_it_judges() -> None:
    at(2, exact_match.ExactMatch, "__call__")


def writing_the_best() -> None:
    def half(real: Callable[..., None], self: object, network: object) -> None:
        real(self, network)
        best = self.run.best  # pyright: ignore[reportAttributeAccessIssue]
        best.rename(best.with_name(".best.old"))  # as between the two renames
        die()

    at(1, training._Judge, "_save", half)


def writing_the_curve() -> None:
    def half(_: Callable[..., None], self: Training, row: object) -> None:
        with (self.folder / "curve.jsonl").open("a") as file:
            file.write(json.dumps(row)[:20])
        die()

    at(2, Training, "_note", half)


def before_the_summary() -> None:
    scored_run.report = die


POINTS: dict[str, Callable[[], None]] = {
    point.__name__: point
    for point in (
        within_an_epoch,
        writing_a_checkpoint,
        while_it_judges,
        writing_the_best,
        writing_the_curve,
        before_the_summary,
    )
}


def main(domain: str, encoder: str) -> None:
    scored_run.plot_learning = lambda _, file: file.touch()  # drawing takes as long as scoring
    domain_profile._SHORTEST = 0  # nor need queries of a network that knows little be long
    config = TrainConfig.load(None, options(encoder, *FEW))
    killed_at(POINTS, lambda name: train(config, load_domain(domain), Path(name)))


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(*sys.argv[1:])
