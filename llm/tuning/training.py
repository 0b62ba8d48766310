"""Trains an adapter (LoRA, Hu et al. 2021) on answers or on preferences: trl's trainers, which resume."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from warnings import catch_warnings, filterwarnings

from ...data.errors import InputError
from ...data.packages import install_hint
from ...retrieval.huggingface import TRAINING, progress_callback, quiet, train_on
from ..backends.causal_model import LanguageModel
from ..options import TuningOptions

Lesson = Mapping[str, list[int]]
"""A row of a data set of trl, in tokens: ``input_ids`` with ``completion_mask``, or ``prompt_ids``, ``chosen_ids`` and
``rejected_ids``."""

_CHECKPOINTS = "checkpoints"
_SAVES = 6  # in an epoch, so that a killed run loses minutes


def train_adapter(
    loaded: LanguageModel,
    lessons: Sequence[Lesson],
    out: Path,
    options: TuningOptions,
    *,
    progress: Callable[[float], object] = lambda _: None,
) -> list[float]:
    """Train an adapter, write it to a folder with the tokenizer, and return the mean loss of each tenth of the run.

    The loss of preferences is DPO's (Rafailov et al. 2023, equation 7) plus ``alpha`` times the mean negative
    log-likelihood of the chosen answer (Pang et al. 2024), without which both answers become unlikely. Numbers are
    multiplied in bfloat16, which on a CPU saves a third of the time; the weights stay as they are.

    Args:
        loaded: the model; it has the adapter afterwards.
        lessons: answers, or preferences.
        out: the folder. A run that was killed there is resumed.
        progress: called with the share of steps that are done.

    Raises:
        InputError: there is nothing to learn, or a library is missing.
    """
    if not lessons:
        hint = "take more questions; of preferences more samples, at a higher temperature"
        raise InputError("there is nothing to learn", field="examples", hint=hint)
    for package in ("trl", "peft"):
        if find_spec(package) is None:
            raise InputError(f"{package} is not installed", field="llm", hint=install_hint("tune"))
    from datasets import Dataset  # heavy, like all that follow
    from peft import LoraConfig

    adapter = LoraConfig(
        r=options.rank, lora_alpha=2 * options.rank, target_modules="all-linear", task_type="CAUSAL_LM"
    )
    make = _preference_trainer if "chosen_ids" in lessons[0] else _answer_trainer
    with quiet(), catch_warnings():
        filterwarnings("ignore", message="Could not find a config file")  # of a base that is an adapter's folder
        trainer = make(
            options,
            out / _CHECKPOINTS,
            model=loaded.model,
            train_dataset=Dataset.from_list([dict(one) for one in lessons]),
            processing_class=loaded.tokenizer,
            peft_config=adapter,
            callbacks=[progress_callback(progress)],
        )
        train_on(trainer, out / _CHECKPOINTS)
        trainer.model.save_pretrained(str(out))
        loaded.tokenizer.save_pretrained(str(out))
    shutil.rmtree(out / _CHECKPOINTS, ignore_errors=True)
    return [round(float(entry["loss"]), 4) for entry in trainer.state.log_history if "loss" in entry]


def _answer_trainer(options: TuningOptions, checkpoints: Path, **common: Any) -> Any:
    from trl.trainer.sft_config import SFTConfig  # heavy
    from trl.trainer.sft_trainer import SFTTrainer

    grouped = {"completion_only_loss": True, "train_sampling_strategy": "group_by_length"}
    return SFTTrainer(args=SFTConfig(**grouped, **_arguments(options, checkpoints)), **common)


def _preference_trainer(options: TuningOptions, checkpoints: Path, **common: Any) -> Any:
    from trl.trainer.dpo_config import DPOConfig  # heavy
    from trl.trainer.dpo_trainer import DPOTrainer

    class InTokens(DPOTrainer):
        """Takes prompts and answers in tokens; trl itself would tokenize the text again."""

        def _prepare_dataset(self, dataset: Any, *_: Any, **__: Any) -> Any:
            return dataset

    losses: dict[str, Any] = {"loss_type": ["sigmoid", "sft"], "loss_weights": [1.0, options.alpha]}
    return InTokens(args=DPOConfig(**losses, beta=options.beta, **_arguments(options, checkpoints)), **common)


def _arguments(options: TuningOptions, checkpoints: Path) -> dict[str, Any]:
    """Return the arguments that the trainers of trl have in common."""
    import torch  # heavy

    return {
        "output_dir": str(checkpoints),
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
