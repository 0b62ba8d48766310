"""The training loop: what it learns by heart, and that a stopped training goes on as if nothing had been."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from reader_cases import PAIRS, encoder, schema, trainable, write_database, write_encoder

from querent.classifiers.heads import GlobalConstraint
from querent.data.databases.database import Database
from querent.data.domains.collection import Collection, Pair
from querent.data.errors import RunError
from querent.ner.language.question import QuestionText
from querent.parser.answering.answerer import Answerer
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.learning import training as learning_training
from querent.parser.learning.batches import TrainingBatch
from querent.parser.learning.dataset import contexts_of, make_training_examples
from querent.parser.learning.graphs import answering
from querent.parser.learning.network import TrainableNetwork
from querent.parser.learning.training import TeacherForcedMatch, Training
from querent.parser.learning.training_examples import TrainingExample, words_written
from querent.parser.learning.training_set import Packed, TrainingSet, halved, pack, unpack
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.output_vocabulary import END, fixed_words
from querent.parser.settings.options import OptimOptions


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
    made, left_out = make_training_examples(pairs, contexts, encoder())
    assert not left_out
    return made


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
                right.append(answerer.answer(QuestionText(text)).sql == sql)
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


# --- a packed training is the training: the same batches, the same weights


def halves(made: TrainableNetwork) -> TrainableNetwork:
    """Round weights as packing does, so that nothing is lost by it."""
    made.load_state_dict(halved(made))
    return made


def ready(examples: list[list[TrainingExample]]) -> TrainingSet:
    """Return a training set, two of whose examples are held out."""
    return TrainingSet.of(examples[:6], encoder(), 1, held_out=[several[0] for several in examples[6:]])


def begun(examples: list[list[TrainingExample]], **given: float) -> TrainableNetwork:
    made = halves(trainable(seed=1, **given))
    made.writes(words_written(examples))
    return made


@pytest.fixture
def packed(examples: list[list[TrainingExample]], tmp_path: Path) -> Path:
    network = begun(examples, name=write_encoder(tmp_path))
    pack(tmp_path / "packed", ready(examples), network, ["en"])
    return tmp_path / "packed"


def tensors(one: TrainingBatch) -> list[torch.Tensor]:
    return [t for t in vars(one).values() if isinstance(t, torch.Tensor)]


def equal(one: Iterable[TrainingBatch], other: Iterable[TrainingBatch]) -> bool:
    pairs = list(zip(one, other, strict=True))
    return bool(pairs) and all(torch.equal(a, b) for x, y in pairs for a, b in zip(tensors(x), tensors(y), strict=True))


def test_what_is_unpacked_is_what_was_packed(examples, packed: Path) -> None:
    whole, found = ready(examples), unpack(packed)
    assert found.languages == ["en"]
    assert equal(found.examples.batches(5, range(3), 4), whole.batches(5, range(3), 4))
    assert equal(found.examples.judging(1), whole.judging(1))
    for name in ("pieces", "texts"):
        assert torch.equal(getattr(found.examples.states, name), getattr(whole.states, name)), name
    state = begun(examples, name=found.network.config.encoder).state_dict()
    assert all(torch.equal(value, state[name]) for name, value in found.network.state_dict().items())


def test_several_packs_are_one_training_in_all_their_languages(examples, packed: Path, tmp_path: Path) -> None:
    pack(tmp_path / "second", ready(examples), begun(examples, name=write_encoder(tmp_path)), ["zh", "en"])
    found = unpack(packed, tmp_path / "second")
    assert len(found.examples.examples) == 2 * len(unpack(packed).examples.examples)
    assert found.languages == ["en", "zh"]


def test_a_packed_training_ends_at_the_same_weights(examples, packed: Path, tmp_path: Path) -> None:
    def run(name: str, found: Packed, workers: int) -> Training:
        optim = training(examples, tmp_path / name).optim
        made = Training(found.network, found.examples, optim, tmp_path / name, workers=workers)
        assert len(list(made.run())) == optim.epochs
        return made

    whole = run("whole", Packed(ready(examples), begun(examples, name=str(tmp_path)), []), 0)
    assert same(run("packed", unpack(packed), 2), whole)


def test_the_judge_counts_queries_whose_every_word_is_the_likeliest(examples, tmp_path: Path) -> None:
    whole = ready(examples)
    made = begun(examples)
    judge = TeacherForcedMatch(whole)
    assert judge(made.eval()) == {"exact": 0.0}
    learnt = TrainingSet.of(examples, encoder(), 1, held_out=[several[0] for several in examples])
    right = 0
    for one in learnt.judging(1):
        states = made.encode(one, learnt.states)
        right += int((made.next_words(states, one.targets).argmax(-1) == one.targets).all())
    assert TeacherForcedMatch(learnt, size=3)(made) == {"exact": round(right / len(examples), 4)}
    only_end = TrainingSet.of([], encoder(), 1, held_out=[replace(examples[0][0], places=np.array([END]))])
    made.writes([END])
    with torch.no_grad():
        made.fixed_key.bias[END] += 1e3
    assert TeacherForcedMatch(only_end)(made) == {"exact": 1.0}
