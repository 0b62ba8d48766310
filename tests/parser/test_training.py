"""The trainer alone: order of the data, steps, and the same numbers after a stop."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from torch.utils.data import Dataset
from transformers import TrainerCallback

from querent.parser.collate import collate
from querent.parser.config import ParserConfig
from querent.parser.encoder import scratch_config
from querent.parser.model import ParserModel
from querent.parser.options import TrainConfig
from querent.parser.runs import RunFolder
from querent.parser.trainer import ParserTrainer, ShuffledPasses, total_steps


class Random(Dataset):
    """Twenty-two examples of six tokens and five words."""

    def __init__(self):
        draw = torch.Generator().manual_seed(1)
        self.rows = [
            {
                "input_ids": torch.randint(1, 50, (6,), generator=draw).tolist(),
                "slot_words": [5],
                "slot_starts": [1],
                "slot_ends": [2],
                "labels": [*torch.randint(3, 20, (5,), generator=draw).tolist(), 2],
            }
            for _ in range(22)
        ]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


class Stop(TrainerCallback):
    def __init__(self, step):
        self.step = step

    def on_step_end(self, args, state, control, **_):
        if state.global_step == self.step:
            raise KeyboardInterrupt


def trainer(folder, *, watch=lambda: 0.0, callbacks=()):
    overrides = ["optim.steps=14", "optim.batch_size=4", "eval.every=5", "eval.log_every=1", "device=cpu"]
    config = TrainConfig.load(None, overrides)
    torch.manual_seed(0)
    sizes = {"vocab_size": 20, "part_sizes": [2], "width": 16, "heads": 2, "layers": 1}
    encoder = scratch_config(50, width=16, layers=1, heads=2)
    model = ParserModel.create(ParserConfig(encoder_config=encoder, **sizes), torch.zeros(20, 1, dtype=torch.long))
    return ParserTrainer(
        model=model,
        examples=Random(),
        collate=partial(collate, pad=0),
        config=config,
        run=RunFolder.open(folder, config),
        watch=watch,
        save=model.save_pretrained,
        callbacks=callbacks,
    )


def weights(folder):
    return (folder / "best" / "model.safetensors").read_bytes()


@pytest.mark.parametrize("stop", [3, 5, 7, 13])
def test_a_stopped_run_goes_on_to_the_same_end(tmp_path, stop):
    whole = trainer(tmp_path / "whole")
    whole.resume()
    with pytest.raises(KeyboardInterrupt):
        trainer(tmp_path / "cut", callbacks=[Stop(stop)]).resume()
    cut = trainer(tmp_path / "cut")
    cut.resume()
    assert cut.run.metrics() == whole.run.metrics()
    assert weights(cut.run.path) == weights(whole.run.path)


def test_a_batch_in_parts_has_the_gradients_of_the_whole(tmp_path):
    made = trainer(tmp_path)
    made.create_optimizer()
    rows = [{**row, "labels": row["labels"][n % 4 :]} for n, row in enumerate(Random().rows)]
    batch = collate(rows)
    for module in made.model.modules():  # each part would draw its own
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    made.model.decoder.apply(lambda module: setattr(module, "dropout", 0.0))
    loss = made.training_step(made.model, batch)
    parts = {name: p.grad.clone() for name, p in made.model.named_parameters() if p.grad is not None}
    made.model.zero_grad()
    whole = made.model(**batch).loss
    whole.backward()
    assert float(loss) == pytest.approx(float(whole.detach()), rel=1e-5)
    assert len(parts) > 10
    for name, p in made.model.named_parameters():
        if p.grad is not None:
            torch.testing.assert_close(parts[name], p.grad, rtol=1e-4, atol=1e-6, msg=name)


def test_the_curve_has_every_step_and_measurement(tmp_path):
    done = trainer(tmp_path / "run")
    done.resume()
    metrics = done.run.metrics()
    assert [m["step"] for m in metrics if "loss" in m] == list(range(1, 15))
    assert [m["step"] for m in metrics if "dev_em" in m] == [5, 10, 14]
    rates = [m["learning_rate"] for m in metrics if "loss" in m]
    assert rates[1] == max(rates)
    assert rates[-1] < 0.1 * rates[1]


def test_the_best_is_kept_and_of_equals_the_last(tmp_path):
    scores = iter([0.4, 0.4, 0.3])
    kept = []
    watched = trainer(tmp_path / "run", watch=lambda: next(scores))
    watched._save_parser = lambda folder: kept.append(watched.state.global_step)
    watched.resume()
    assert kept == [5, 10]


def test_a_checkpoint_holds_no_pickled_arguments(tmp_path):
    done = trainer(tmp_path / "run")
    done.resume()
    names = {p.name for p in done.run.last_checkpoint().iterdir()}
    assert "trainer_state.json" in names
    assert "training_args.bin" not in names


def test_every_pass_sees_every_example_in_another_order():
    order = list(ShuffledPasses(7, count=17, seed=3))
    assert sorted(order[:7]) == sorted(order[7:14]) == list(range(7))
    assert order[:7] != order[7:14]
    assert len(order) == 17
    assert order == list(ShuffledPasses(7, count=17, seed=3))
    assert order != list(ShuffledPasses(7, count=17, seed=4))


def test_steps_follow_from_epochs_unless_given():
    config = TrainConfig.load(None, ["optim.epochs=2", "optim.batch_size=4"])
    assert total_steps(config, 10) == 5
    assert total_steps(TrainConfig.load(None, ["optim.steps=7"]), 10) == 7
