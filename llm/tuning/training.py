"""Trains an adapter (LoRA, Hu et al. 2021) on solved questions: trl's trainer, which goes on from its checkpoint."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from warnings import catch_warnings, filterwarnings

from ...data.errors import InputError
from ...data.packages import install_hint
from ...retrieval.huggingface import TRAINING, progress_callback, quiet, train_on
from ..backends.causal_model import LanguageModel
from .examples import TuningExample

__all__ = [
    "CHECKPOINTS",
    "TuningOptions",
    "adapter_config",
    "finish_training",
    "need_trl",
    "train_adapter",
    "training_arguments",
]

CHECKPOINTS = "checkpoints"
"""The folder within a run's, while it trains."""

_SAVES = 6  # in an epoch, so that a killed run loses minutes


@dataclass(frozen=True)
class TuningOptions:
    """How an adapter is trained.

    Attributes:
        epochs: how often each example is seen.
        batch: examples a step.
        rate: the learning rate, after a tenth of all steps; it falls to 0 in a line.
        rank: of the adapter's matrices, which stand beside all linear layers.
        distractors: share of the examples that show solved questions of other query patterns alone, see `shots_beside`.
        seed: of order, dropout, distractors and the adapter's first numbers.
    """

    epochs: int = 3
    batch: int = 8
    rate: float = 1e-3
    rank: int = 16
    distractors: float = 0.25
    seed: int = 0


def train_adapter(
    loaded: LanguageModel,
    examples: Sequence[TuningExample],
    out: Path,
    options: TuningOptions | None = None,
    *,
    progress: Callable[[float], object] = lambda _: None,
) -> list[float]:
    """Train an adapter, write it to a folder with the tokenizer, and return the mean loss of each tenth of the run.

    Numbers are multiplied in bfloat16, which on a CPU saves a third of the time; the weights stay as they are.

    Args:
        loaded: the model; it has the adapter afterwards.
        examples: what is learnt.
        out: the folder. What a killed run left there is gone on with.
        options: the defaults if None.
        progress: told the share of steps that are done.

    Raises:
        InputError: there is nothing to learn, or a library is missing.
    """
    if not examples:
        raise InputError("there are no solved questions to learn", field="examples")
    need_trl()
    return finish_training(_trainer(loaded, examples, out, options or TuningOptions(), progress), loaded, out)


def need_trl() -> None:
    """Raise InputError unless what trains adapters is installed."""
    for package in ("trl", "peft"):
        if find_spec(package) is None:
            raise InputError(f"{package} is not installed", field="llm", hint=install_hint("tune"))


def finish_training(trainer: Any, loaded: LanguageModel, out: Path) -> list[float]:
    """Train to the end, write adapter and tokenizer, and return the mean loss of each tenth of the run."""
    with quiet(), catch_warnings():
        filterwarnings("ignore", message="Could not find a config file")  # of a base that is an adapter's folder
        train_on(trainer, out / CHECKPOINTS)
        trainer.model.save_pretrained(str(out))
        loaded.tokenizer.save_pretrained(str(out))
    shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
    return [round(float(entry["loss"]), 4) for entry in trainer.state.log_history if "loss" in entry]


def _trainer(
    loaded: LanguageModel,
    examples: Sequence[TuningExample],
    out: Path,
    options: TuningOptions,
    progress: Callable[[float], object],
) -> Any:
    from datasets import Dataset  # heavy, like all that follow
    from trl.trainer.sft_config import SFTConfig
    from trl.trainer.sft_trainer import SFTTrainer

    arguments = SFTConfig(
        completion_only_loss=True,
        train_sampling_strategy="group_by_length",
        **training_arguments(options, out),
    )
    with quiet():
        return SFTTrainer(
            model=loaded.model,
            args=arguments,
            train_dataset=Dataset.from_list([one.row for one in examples]),
            processing_class=loaded.tokenizer,
            peft_config=adapter_config(options),
            callbacks=[progress_callback(progress)],
        )


def adapter_config(options: TuningOptions) -> Any:
    """Return which adapter is made."""
    from peft import LoraConfig  # heavy

    return LoraConfig(r=options.rank, lora_alpha=2 * options.rank, target_modules="all-linear", task_type="CAUSAL_LM")


def training_arguments(options: TuningOptions, out: Path) -> dict[str, Any]:
    """Return what all of trl's trainers are told alike."""
    import torch  # heavy

    return {
        "output_dir": str(out / CHECKPOINTS),
        "num_train_epochs": options.epochs,
        "per_device_train_batch_size": options.batch,
        "learning_rate": options.rate,
        "max_grad_norm": 1.0,
        "seed": options.seed,
        "max_length": None,
        "gradient_checkpointing": False,
        "bf16": True,
        "save_strategy": "steps",
        "save_steps": min(0.5, 1 / (_SAVES * options.epochs)),
        "logging_steps": 0.1,
        "use_cpu": not torch.cuda.is_available(),
        **TRAINING,
    }
