"""Transformers' `Trainer` for the parser: exact match on dev, whole checkpoints, one data order.

A run killed at any step and resumed from its last checkpoint computes the same numbers as one that
never stopped: the order of the examples depends on the seed alone, random states are restored by
`Trainer`, and what was logged after the checkpoint is cut off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.utils.data import Dataset, Sampler
from transformers import (
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
    get_cosine_schedule_with_warmup,
)

from .collate import split_by_length
from .loss import IGNORE
from .options import TrainConfig
from .runs import RunFolder, replace_folder

__all__ = ["ParserTrainer", "ShuffledPasses", "total_steps"]


_PART = 8  # rows that a CPU computes at once


def total_steps(config: TrainConfig, examples: int) -> int:
    """Return the number of optimizer steps of a run on so many training examples."""
    optim = config.optim
    return optim.steps or max(1, math.ceil(optim.epochs * examples / optim.batch_size))


class ShuffledPasses(Sampler[int]):
    """Pass after pass over the examples, each in an order that only the seed and its number decide.

    The whole run is one epoch to `Trainer`, so that taking it up again is skipping so many batches.
    """

    def __init__(self, size: int, *, count: int, seed: int) -> None:
        self.size, self.count, self.seed = size, count, seed

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[int]:
        for start in range(0, self.count, self.size):
            generator = torch.Generator().manual_seed(self.seed * 1_000_003 + start // self.size)
            yield from torch.randperm(self.size, generator=generator)[: self.count - start].tolist()


class ParserTrainer(Trainer):
    """Trains a parser's model in a run folder.

    Args:
        model: a `ParserModel`.
        examples: features of the training part, as the collator reads them.
        collate: makes a batch of them.
        config: the run's options.
        run: its folder.
        watch: measures the model on dev, returns its exact match.
        save: writes a saved parser into a folder.
        callbacks: shown the progress.
    """

    def __init__(
        self,
        *,
        model: Any,
        examples: Dataset[Any],
        collate: Callable[[Sequence[Any]], dict[str, torch.Tensor]],
        config: TrainConfig,
        run: RunFolder,
        watch: Callable[[], float],
        save: Callable[[Path], None],
        callbacks: Sequence[TrainerCallback] = (),
    ) -> None:
        self.config, self.run, self._watch, self._save_parser = config, run, watch, save
        self._draft: Path | None = None
        self._size = len(examples)  # pyright: ignore[reportArgumentType]
        args = _arguments(config, run, total_steps(config, self._size))
        super().__init__(
            model=model,
            args=args,
            train_dataset=examples,
            eval_dataset=examples,  # asked for, never read: `watch` has its own questions
            data_collator=collate,  # pyright: ignore[reportArgumentType]
            callbacks=[_LastStep(), _Metrics(run), *callbacks],
        )
        self.remove_callback(PrinterCallback)

    def resume(self) -> None:
        """Train to the end, from the last whole checkpoint where there is one."""
        last = self.run.last_checkpoint()
        self.train(resume_from_checkpoint=None if last is None else str(last))

    def create_optimizer(self, model: Any = None) -> torch.optim.Optimizer:
        """Make AdamW with the model's own parameter groups."""
        optim = self.config.optim
        groups = self.model.parameter_groups(  # pyright: ignore
            lr=optim.lr, encoder_lr=optim.encoder_lr, weight_decay=optim.weight_decay
        )
        self.optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98))
        return self.optimizer

    def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
        """Make the schedule: a linear rise, then half a cosine down to zero."""
        warmup = round(self.config.optim.warmup * num_training_steps)
        self.lr_scheduler = get_cosine_schedule_with_warmup(
            optimizer or self.optimizer, num_warmup_steps=warmup, num_training_steps=num_training_steps
        )
        self._created_lr_scheduler = True
        return self.lr_scheduler

    def _get_train_sampler(self, train_dataset: Any = None) -> Sampler[int]:
        count = self.args.max_steps * self.args.train_batch_size * self.args.world_size
        return ShuffledPasses(self._size, count=count, seed=self.config.seed)

    def training_step(self, model: nn.Module, inputs: Any, num_items_in_batch: Any = None) -> torch.Tensor:
        """Compute a batch's gradients; on a CPU in parts of like length, which are the same and cost less.

        Queries differ in length tenfold, so a batch at random is mostly padding.
        """
        inputs = self._prepare_inputs(inputs)
        if self.args.device.type != "cpu":
            return super().training_step(model, inputs, num_items_in_batch)
        model.train()
        words = (inputs["labels"] != IGNORE).sum()
        whole = torch.zeros(())
        for part in split_by_length(inputs, _PART):
            with self.compute_loss_context_manager():
                # the loss is a mean over words
                loss = self.compute_loss(model, part) * ((part["labels"] != IGNORE).sum() / words)
            self.accelerator.backward(loss)
            whole += loss.detach()
        return whole

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Measure exact match on dev; the model becomes the best one if none was better before."""
        score = self._watch()
        earlier = [entry["dev_em"] for entry in self.state.log_history if "dev_em" in entry]
        # of equals the last: it has seen more, and the dev part is small
        if self.is_world_process_zero() and score >= max(earlier, default=0.0):
            replace_folder(self.run.best, self._save_parser)
        found = {"dev_em": score}
        self.log(dict(found))
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, found)
        return found

    def _get_output_dir(self, trial: Any) -> str:
        return str(self.args.output_dir if self._draft is None else self._draft)

    def _save_checkpoint(self, model: nn.Module, trial: Any) -> None:
        """Write the checkpoint under a name that does not count, then move it into place."""
        self._draft = self.run.checkpoints / ".partial.draft"
        try:
            super()._save_checkpoint(model, trial)
        finally:
            draft, self._draft = self._draft, None
        if self.is_world_process_zero():
            self.run.add_checkpoint(draft / f"checkpoint-{self.state.global_step}")

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        # Trainer would add a pickle of its arguments
        self.model.save_pretrained(output_dir, state_dict=state_dict)  # pyright: ignore


def _arguments(config: TrainConfig, run: RunFolder, steps: int) -> TrainingArguments:
    return TrainingArguments(
        output_dir=str(run.checkpoints),
        max_steps=steps,
        per_device_train_batch_size=config.optim.batch_size,
        max_grad_norm=config.optim.clip,
        logging_steps=config.eval.log_every,
        eval_strategy="steps",
        eval_steps=config.eval.every,
        save_strategy="steps",
        save_steps=config.eval.every,
        seed=config.seed,
        data_seed=config.seed,
        use_cpu=config.device == "cpu",
        bf16=config.optim.precision == "bfloat16",
        dataloader_pin_memory=torch.cuda.is_available(),
        remove_unused_columns=False,
        logging_nan_inf_filter=False,
        disable_tqdm=True,
        report_to="none",
    )


class _LastStep(TrainerCallback):
    """Has the last step logged too, wherever it falls; `Trainer` itself measures and saves it."""

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        if state.global_step >= state.max_steps:
            control.should_log = True


class _Metrics(TrainerCallback):
    """Keeps ``metrics.jsonl`` and tensorboard's files in step with the checkpoint a run started from."""

    def __init__(self, run: RunFolder) -> None:
        self._run = run
        self._writer: Any = None

    def on_train_begin(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        from torch.utils.tensorboard import SummaryWriter  # slow to import, needed here alone

        if state.is_world_process_zero:
            self._run.write_metrics(state.log_history)
            self._writer = SummaryWriter(str(self._run.logs), purge_step=state.global_step + 1)

    def on_log(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        entry = state.log_history[-1]
        if self._writer is None or "train_runtime" in entry:  # Trainer's farewell, about this process only
            return
        self._run.add_metrics(entry)
        for name, value in entry.items():
            if name not in ("step", "epoch"):
                self._writer.add_scalar(name, value, state.global_step)

    def on_train_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        if self._writer is not None:
            self._writer.close()
