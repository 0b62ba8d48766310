"""Trains an adapter on pairs of answers: direct preference optimisation, with the likelihood of the better one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...data.errors import InputError
from ...retrieval.huggingface import progress_callback, quiet
from ..backends.causal_model import LanguageModel
from .preferences import Preference
from .training import TuningOptions, adapter_config, finish_training, need_trl, training_arguments

__all__ = ["train_preferences"]


def train_preferences(
    loaded: LanguageModel,
    pairs: Sequence[Preference],
    out: Path,
    options: TuningOptions,
    *,
    beta: float,
    alpha: float,
    progress: Callable[[float], object] = lambda _: None,
) -> list[float]:
    """Train an adapter on pairs, write it to a folder, and return the mean loss of each tenth of the run.

    The loss is DPO's (Rafailov et al. 2023, equation 7) plus ``alpha`` times the mean negative log-likelihood of the
    chosen answer's tokens (Pang et al. 2024), without which both answers become unlikely. What is held
    against is the model as it came: the adapter left out.

    Args:
        loaded: the model; it has the adapter afterwards.
        pairs: what is preferred.
        out: the folder. What a killed run left there is gone on with.
        beta: how firmly the model is held to what it was.
        progress: told the share of steps that are done.

    Raises:
        InputError: there are no pairs, or a library is missing.
    """
    if not pairs:
        hint = "sample more (--samples, --temperature), or more questions (--lessons)"
        raise InputError("all that the model wrote is alike good: there is nothing to prefer", field="stage", hint=hint)
    need_trl()
    from datasets import Dataset  # heavy, like all that follow
    from trl.trainer.dpo_config import DPOConfig
    from trl.trainer.dpo_trainer import DPOTrainer

    class InTokens(DPOTrainer):
        """Takes prompts and answers in tokens, as they are asked and written; trl would cut the text anew."""

        def _prepare_dataset(self, dataset: Any, *_: Any, **__: Any) -> Any:
            return dataset

    arguments = DPOConfig(
        loss_type=["sigmoid", "sft"],
        loss_weights=[1.0, alpha],
        beta=beta,
        **training_arguments(options, out),
    )
    with quiet():
        trainer = InTokens(
            model=loaded.model,
            args=arguments,
            train_dataset=Dataset.from_list([one.row for one in pairs]),
            processing_class=loaded.tokenizer,
            peft_config=adapter_config(options),
            callbacks=[progress_callback(progress)],
        )
    return finish_training(trainer, loaded, out)
