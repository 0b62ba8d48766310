"""Trains a bi-encoder: the trainer of sentence-transformers, which resumes from its last checkpoint."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.errors import InputError
from .bi_encoder import needs_sentence_transformers
from .likeness import Likeness
from .losses import LossName, loss_of
from .quiet import quiet
from .trainer import begun, told

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

__all__ = ["BiEncoderOptions", "train_bi_encoder"]

_CHECKPOINTS = "checkpoints"


@dataclass(frozen=True)
class BiEncoderOptions:
    """How a bi-encoder is trained.

    Attributes:
        loss: one of `losses.LOSSES`.
        epochs: how often each row is seen.
        batch: rows a step; of ``softsim`` each two of them are a pair.
        rate: the learning rate, after a tenth of all steps; it falls to 0 in a line.
        frozen: lower layers of the encoder, and its table of words, that stay as they are: half the time and more.
        seed: of order and dropout.
    """

    loss: LossName = "softsim"
    epochs: int = 15
    batch: int = 96
    rate: float = 1e-4
    frozen: int = 0
    seed: int = 0


def train_bi_encoder(
    model: SentenceTransformer,
    rows: Mapping[str, Sequence[Any]],
    out: Path,
    options: BiEncoderOptions | None = None,
    *,
    likeness: Likeness | None = None,
    progress: Callable[[float], object] = lambda _: None,
) -> SentenceTransformer:
    """Train a model in place, write it to a folder, and return it.

    Args:
        model: of `load_bi_encoder`.
        rows: columns of one length: question and ``label`` (the number of its pattern) for ``softsim``; anchor,
            positive and any number of negatives for the others.
        out: the folder. What a killed run left there is gone on with.
        options: the defaults if None.
        likeness: of the patterns, for ``softsim``.
        progress: told the share of steps that are done.

    Raises:
        InputError: there is nothing to learn from, or a library is missing.
    """
    options = options or BiEncoderOptions()
    if not rows or not next(iter(rows.values())):
        raise InputError("there are no pairs to learn from", field="examples")
    with needs_sentence_transformers():
        from datasets import Dataset
        from sentence_transformers import SentenceTransformerTrainer
        from transformers import PrinterCallback
    _freeze(model, options.frozen)
    checkpoints = out / _CHECKPOINTS
    trainer = SentenceTransformerTrainer(
        model=model,
        args=_arguments(options, checkpoints),
        train_dataset=Dataset.from_dict(dict(rows)),
        loss=loss_of(options.loss, model, likeness),
        callbacks=[told(progress)],
    )
    trainer.remove_callback(PrinterCallback)
    with quiet():
        trainer.train(resume_from_checkpoint=True if begun(checkpoints) else None)
        model.save(str(out), create_model_card=False)
    shutil.rmtree(checkpoints, ignore_errors=True)
    return model


def _arguments(options: BiEncoderOptions, checkpoints: Path) -> Any:
    from sentence_transformers import SentenceTransformerTrainingArguments

    return SentenceTransformerTrainingArguments(
        output_dir=str(checkpoints),
        num_train_epochs=options.epochs,
        per_device_train_batch_size=options.batch,
        learning_rate=options.rate,
        warmup_steps=0.1,
        seed=options.seed,
        save_strategy="epoch",
        save_total_limit=1,
        report_to="none",
        disable_tqdm=True,
        logging_strategy="no",
        use_cpu=True,
        dataloader_pin_memory=False,
    )


def _freeze(model: SentenceTransformer, layers: int) -> None:
    """Keep the table of words and the lowest layers as they are; none if ``layers`` is 0."""
    if not layers:
        return
    network: Any = model[0].model  # pyright: ignore[reportAttributeAccessIssue]
    for part in (network.embeddings, *network.encoder.layer[:layers]):
        part.requires_grad_(False)
