"""A packed training is the training: the same batches, the same weights."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from reader_cases import encoder, trainable, write_encoder
from test_learning_training import contexts, examples, files, same, training

from querent.parser.learning.batches import TrainingBatch, TrainingSet
from querent.parser.learning.network import TrainableNetwork
from querent.parser.learning.packing import Packed, halved, pack, unpack
from querent.parser.learning.training import TeacherForcedMatch, Training
from querent.parser.learning.training_examples import TrainingExample, words_written
from querent.parser.reader.output_vocabulary import END

__all__ = ["contexts", "examples", "files"]  # what pytest shall find here


def halves(made: TrainableNetwork) -> TrainableNetwork:
    """Round weights as packing does, so that nothing is lost by it."""
    made.load_state_dict({name: torch.from_numpy(array) for name, array in halved(made).items()})
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
    return [*(t for t in vars(one.batch).values() if isinstance(t, torch.Tensor)), one.targets, one.used]


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


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_make_the_same_batches(examples, workers: int) -> None:
    whole = ready(examples)
    state = torch.get_rng_state()
    assert equal(whole.batches(5, range(1, 4), 2, workers=workers), whole.batches(5, range(1, 4), 2))
    assert torch.equal(torch.get_rng_state(), state)  # what drops out does not hang on them
    assert not equal(whole.batches(6, range(1, 4), 2, workers=workers), whole.batches(5, range(1, 4), 2))


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
        states = made.encode(one.batch, learnt.states)
        right += int((made.next_words(states, one.targets).argmax(-1) == one.targets).all())
    assert TeacherForcedMatch(learnt, size=3)(made) == {"exact": round(right / len(examples), 4)}
    only_end = TrainingSet.of([], encoder(), 1, held_out=[replace(examples[0][0], places=np.array([END]))])
    made.writes([END])
    with torch.no_grad():
        made.fixed_key.bias[END] += 1e3
    assert TeacherForcedMatch(only_end)(made) == {"exact": 1.0}
