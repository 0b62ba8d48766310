"""Trains a bi-encoder by SoftSimMatch: the trainer of sentence-transformers, which resumes from its last checkpoint."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from ..data.errors import InputError
from .bi_encoder import needs_sentence_transformers, save_trained, trainable_bi_encoder
from .huggingface import TRAINING, progress_callback, quiet, train_on
from .likeness import Likeness

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

__all__ = ["BiEncoderOptions", "SoftSimMatch", "train_bi_encoder"]

_CHECKPOINTS = "checkpoints"
_SHARES = (4, 4, 3)  # of pairs of 1, of 0 and of 0.5 (BibSQL 2025)


@dataclass(frozen=True)
class BiEncoderOptions:
    """How a bi-encoder is trained.

    Attributes:
        epochs: how often each question is seen.
        batch: questions a step, of which each two are a pair.
        rate: the learning rate, after a tenth of all steps; it falls to 0 in a line.
        frozen: lower layers of the encoder, and its table of words, that stay as they are: half the time and more.
        seed: of order and dropout.
    """

    epochs: int = 15
    batch: int = 96
    rate: float = 1e-4
    frozen: int = 0
    seed: int = 0


def train_bi_encoder(
    base: str | Path,
    questions: Sequence[str],
    labels: Sequence[int],
    out: Path,
    options: BiEncoderOptions | None = None,
    *,
    likeness: Likeness,
    progress: Callable[[float], object] = lambda _: None,
) -> None:
    """Train a bi-encoder, and write it to a folder.

    Args:
        base: what to begin with, see `trainable_bi_encoder`.
        questions: what is learnt.
        labels: the number of each one's pattern.
        out: the folder. What a killed run left there is gone on with.
        options: the defaults if None.
        likeness: of the patterns.
        progress: told the share of steps that are done.

    Raises:
        InputError: there is nothing to learn from, there is no such encoder, or a library is missing.
    """
    options = options or BiEncoderOptions()
    if not questions:
        raise InputError("there are no questions to learn from", field="examples")
    model = trainable_bi_encoder(base)
    with needs_sentence_transformers():
        from datasets import Dataset
        from sentence_transformers import SentenceTransformerTrainer
    _freeze(model, options.frozen)
    checkpoints = out / _CHECKPOINTS
    trainer = SentenceTransformerTrainer(
        model=model,
        args=_arguments(options, checkpoints),
        train_dataset=Dataset.from_dict({"question": list(questions), "label": list(labels)}),
        loss=SoftSimMatch(model, likeness),
        callbacks=[progress_callback(progress)],
    )
    with quiet():
        train_on(trainer, checkpoints)
        save_trained(model, out, base)
    shutil.rmtree(checkpoints, ignore_errors=True)


class SoftSimMatch(nn.Module):
    """Squared error of the cosine of each two questions of a batch (BibSQL 2025); labels are patterns.

    All pairs of a batch count, each of which costs but one pass through the encoder a question. Pairs of 1, of 0 and of
    0.5 weigh 4:4:3, however many there are of each; half of the weight of 0 is for rivals.

    Args:
        model: the bi-encoder.
        likeness: what is wished of the patterns.
    """

    def __init__(self, model: SentenceTransformer, likeness: Likeness) -> None:
        super().__init__()
        self.model = model
        self._wished = torch.from_numpy(likeness.wished)
        self._rivals = torch.from_numpy(likeness.rivals)

    def forward(self, sentence_features: Iterable[dict[str, Tensor]], labels: Tensor) -> Tensor:
        """Return the loss of a batch."""
        return self.of(self.model(next(iter(sentence_features)))["sentence_embedding"], labels)

    def of(self, vectors: Tensor, labels: Tensor) -> Tensor:
        """Return the loss of vectors (batch, width) of patterns (batch,); 0 of a batch of one, which has no pair."""
        vectors = nn.functional.normalize(vectors, dim=-1)
        wished = self._wished[labels][:, labels]
        errors = (vectors @ vectors.T - wished) ** 2
        rivals, pairs = self._rivals[labels][:, labels], ~torch.eye(len(labels), dtype=torch.bool)
        kinds = (wished == 1, (wished == 0) & rivals, (wished == 0) & ~rivals, wished == 0.5)
        weights = (_SHARES[0], _SHARES[1] / 2, _SHARES[1] / 2, _SHARES[2])
        there = [
            (w, errors[kind & pairs].mean()) for w, kind in zip(weights, kinds, strict=True) if (kind & pairs).any()
        ]
        if not there:
            return 0 * vectors.sum()
        return torch.stack([w * error for w, error in there]).sum() / sum(w for w, _ in there)


def _arguments(options: BiEncoderOptions, checkpoints: Path) -> Any:
    from sentence_transformers import SentenceTransformerTrainingArguments

    return SentenceTransformerTrainingArguments(
        output_dir=str(checkpoints),
        num_train_epochs=options.epochs,
        per_device_train_batch_size=options.batch,
        learning_rate=options.rate,
        seed=options.seed,
        save_strategy="epoch",
        logging_strategy="no",
        use_cpu=True,
        **TRAINING,
    )


def _freeze(model: SentenceTransformer, layers: int) -> None:
    """Keep the table of words and the lowest layers as they are; none if ``layers`` is 0."""
    if not layers:
        return
    network: Any = model[0].model  # pyright: ignore[reportAttributeAccessIssue]
    for part in (network.embeddings, *network.encoder.layer[:layers]):
        part.requires_grad_(False)
