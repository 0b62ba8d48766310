"""The training loop: what it learns by heart, and that a stopped training goes on as if nothing had been."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from reader_cases import encoder, schema, trainable, write_database

from querent.classifiers.heads import GlobalConstraint
from querent.data.databases.database import Database
from querent.data.domains.collection import Collection, Pair
from querent.data.errors import RunError
from querent.ner.language.question import QuestionText
from querent.parser.answering.answerer import Answerer
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.learning import training as learning_training
from querent.parser.learning.batches import TrainingSet
from querent.parser.learning.dataset import contexts_of, make_training_examples
from querent.parser.learning.graphs import answering
from querent.parser.learning.network import TrainableNetwork
from querent.parser.learning.training import Training
from querent.parser.learning.training_examples import TrainingExample
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.output_vocabulary import END, fixed_words
from querent.parser.settings.options import OptimOptions

PAIRS = {
    "music": {
        "how many artists are there?": "SELECT COUNT(*) FROM artist",
        "which albums came out before 1990?": "SELECT album.title FROM album WHERE album.year < 1990",
        "which albums are by Björk?": (
            "SELECT album.title FROM album JOIN artist ON album.artist_id = artist.artist_id "
            "WHERE artist.name = 'Björk'"
        ),
        "what is the average of the stars of each album?": (
            "SELECT AVG(review.stars), album.title FROM review JOIN album ON review.album_id = album.album_id "
            "GROUP BY album.title"
        ),
    },
    "staff": {
        "how many employees are there?": "SELECT COUNT(*) FROM employee",
        "who earns more than 60?": "SELECT employee.name FROM employee WHERE employee.salary > 60",
        "names of departments": "SELECT department.name FROM department",
        "who has the highest salary?": "SELECT employee.name FROM employee ORDER BY employee.salary DESC LIMIT 1",
    },
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("databases")
    return {name: write_database(folder, name) for name in PAIRS}


@pytest.fixture(scope="module")
def contexts(files: dict[str, Path]) -> dict[str, list[DatabaseContext]]:
    collection = Collection("tiny", "en", (), {name: schema(name) for name in PAIRS}, files)
    return contexts_of(collection, cache=files["music"].parent)


@pytest.fixture(scope="module")
def examples(contexts: dict[str, list[DatabaseContext]]) -> list[list[TrainingExample]]:
    pairs = [Pair(text, name, text, sql) for name, asked in PAIRS.items() for text, sql in asked.items()]
    made = make_training_examples(pairs, contexts, encoder())
    assert not made.left_out
    return made.examples


def training(
    examples: list[list[TrainingExample]],
    folder: Path,
    *,
    made: TrainableNetwork | None = None,
    judge=None,
    seed: int = 0,
    **given,
) -> Training:
    made = made or trainable(seed=1)
    fixed = len(fixed_words())
    made.writes({int(p) for several in examples for p in several[0].places if p < fixed} | {END})
    given = {
        "epochs": 4,
        "batch_size": 4,
        "lr": 3e-3,
        "encoder_lr": 1e-3,
        "warmup": 0.5,
        "average": 0.9,
        "anchor": 0.0,
    } | given
    ready = TrainingSet.of(examples, encoder(), 1)
    return Training(made, ready, OptimOptions(**given), folder, judge=judge, seed=seed)


def test_eight_pairs_on_two_databases_are_learnt_by_heart(examples, contexts, files, tmp_path: Path) -> None:
    run = training(
        examples * 4, tmp_path, made=trainable(seed=1, dropout=0.0), epochs=20, batch_size=8, warmup=0.125, lr=4e-3
    )
    rows = list(run.run())
    assert rows[-1]["loss"] < 0.3 < 3 < rows[0]["loss"]
    assert not run.best().training
    parser = SchemaParser(answering(run.best(), encoder(), 1), global_constraint=GlobalConstraint("off"))
    right: list[bool] = []
    for name, asked in PAIRS.items():
        with Database.open(files[name]) as database:
            answerer = Answerer(parser, contexts[name][0], database)
            for text, sql in asked.items():
                right.append(answerer.ask(QuestionText(text)).sql == sql)
                free = parser.parse(contexts[name][0], QuestionText(text), width=1)  # without the local constraint
                right.append(free.candidates[0].sql == sql)
    assert sum(right) / len(right) > 0.9, right


def same(one: Training, other: Training) -> bool:
    states = [run.network.state_dict() | run.averaged.state_dict() for run in (one, other)]
    return all(torch.equal(value, states[1][name]) for name, value in states[0].items())


def without_seconds(rows) -> list[dict[str, float]]:
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


class Stop(Exception):
    """Somebody pulls the plug."""


@pytest.mark.parametrize("after", [5, 6])
def test_stopped_after_a_checkpoint_within_an_epoch_it_goes_on_with_the_next_step(
    examples, tmp_path, monkeypatch, after: int
) -> None:
    monkeypatch.setattr(learning_training, "CHECKPOINT_SECONDS", 0.0)
    given = {"batch_size": 3, "anchor": 0.1}  # three batches an epoch
    whole = training(examples, tmp_path / "whole", made=trainable(seed=1, dropout=0.3), **given)
    rows = without_seconds(whole.run())
    first = training(examples, tmp_path / "run", made=trainable(seed=1, dropout=0.3), **given)
    step = first.optimizer.step

    def break_down() -> None:
        if first.step == after:
            raise Stop
        step()

    monkeypatch.setattr(first.optimizer, "step", break_down)
    with pytest.raises(Stop):
        list(first.run())
    torch.manual_seed(99)  # another process has drawn other numbers
    second = training(examples, tmp_path / "run", made=trainable(seed=1, dropout=0.3), **given)
    steps: list[int] = []
    assert rows[after // 3 :] == without_seconds(second.run(steps.append))[-len(rows) + after // 3 :]
    assert steps == [after, *[1] * (whole.steps - after)]
    assert same(second, whole)


@pytest.mark.parametrize("sizes", [{"width": 64}, {"layers": 2}, {"decoder_layers": 1}])
def test_the_checkpoint_of_another_network_is_refused_in_a_line(examples, tmp_path, sizes) -> None:
    next(training(examples, tmp_path).run())
    with pytest.raises(RunError, match="not a checkpoint of this training") as caught:
        next(training(examples, tmp_path, made=trainable(**sizes)).run())
    assert caught.value.file == tmp_path / "checkpoint.pt"
    assert caught.value.hint
    assert "\n" not in caught.value.problem


def test_the_rate_rises_then_falls(examples, tmp_path) -> None:
    run = training(examples, tmp_path, epochs=10, warmup=0.25)
    assert run.steps == 20
    rates = []
    for step in range(run.steps + 1):
        run.step = step
        rates.append(run._rate())
    top = rates.index(max(rates))
    assert top == 4
    assert rates[0] == pytest.approx(0.2, abs=0.01)
    assert rates[:5] == sorted(rates[:5])
    assert rates[4:] == sorted(rates[4:], reverse=True)
    assert rates[-1] == pytest.approx(0.02)


def test_each_weight_learns_once_at_its_rate(examples, tmp_path) -> None:
    run = training(examples, tmp_path, weight_decay=0.5)
    named = {id(p): name for name, p in run.network.named_parameters()}
    found = [
        (named[id(p)], group["highest"], group["weight_decay"], p.ndim)
        for group in run.optimizer.param_groups
        for p in group["params"]
    ]
    assert sorted(name for name, *_ in found) == sorted(named.values())
    for name, rate, decay, dimensions in found:
        assert rate == (1e-3 if name.startswith("upper.") else 3e-3)
        assert decay == (0.5 if dimensions > 1 else 0.0)


def test_the_judge_sees_the_averaged_network_after_some_epochs(examples, tmp_path) -> None:
    seen: list[tuple[int, bool, bool]] = []

    def judge(made: TrainableNetwork) -> dict[str, float]:
        seen.append((run.epoch, made is run.averaged.module, made.training))
        return {"ex": run.epoch / 10}

    run = training(examples, tmp_path, judge=judge, epochs=5)
    run.every = 2
    rows = list(run.run())
    assert seen == [(2, True, False), (4, True, False), (5, True, False)]  # and after the last
    assert [row.get("ex") for row in rows] == [None, 0.2, None, 0.4, 0.5]
