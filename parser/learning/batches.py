"""Training examples of like size in batches, the lower layers of the encoder computed once a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...encoders import Encoder
from ..reader.inputs import Input
from ..reader.output_vocabulary import ROLES, fixed_words
from ..reader.vectors import TextVectors
from .inputs import Batch, collate
from .training_examples import TrainingExample, places_in, with_columns_dropped, without_a_needed_column

__all__ = ["TrainingBatch", "TrainingSet"]

_POOL = 40
"""Batches whose training examples are sorted by size together."""

_TOGETHER = 32
"""Questions of one length that the lower layers read at once."""

_UNANSWERABLE = 0.04
"""Share of training examples that are read without a column that they need."""


@dataclass
class TrainingBatch:
    """A batch to learn from; see `Network.loss`."""

    batch: Batch
    lower: Tensor
    targets: Tensor
    used: Tensor


class TrainingSet:
    """Training examples of many databases, and what the frozen parts of the encoder say of them.

    Args:
        examples: alternatives of each pair: the same pair on a schema that is named otherwise.
        encoder: the ready-made one.
        frozen: its lower layers.
    """

    def __init__(self, examples: Sequence[Sequence[TrainingExample]], encoder: Encoder, frozen: int) -> None:
        self.examples = examples
        self._vectors = vectors = TextVectors(encoder)
        self._hidden = encoder.hidden
        questions = {one.question.pieces for several in examples for one in several}
        self._lower = _lower_states(questions, encoder, frozen)
        texts = {text for several in examples for one in several for item in one.items.items for text in item.texts}
        texts |= {node.found.value for several in examples for one in several for node in one.question.values}
        vectors.prepare(texts)

    def __len__(self) -> int:
        return len(self.examples)

    def epoch(self, rng: np.random.Generator, size: int) -> Iterator[TrainingBatch]:
        """Yield every pair once, in one of its alternatives, with other tables and columns left out each time."""
        order = rng.permutation(len(self.examples))
        for start in range(0, len(order), _POOL * size):
            drawn = [self._draw(self.examples[int(i)], rng) for i in order[start : start + _POOL * size]]
            drawn.sort(key=lambda pair: pair[1].nodes)
            groups = [drawn[i : i + size] for i in range(0, len(drawn), size)]
            for i in rng.permutation(len(groups)):
                yield self.collate(groups[int(i)])

    def _draw(self, several: Sequence[TrainingExample], rng: np.random.Generator) -> tuple[TrainingExample, Input]:
        example = several[int(rng.integers(len(several)))]
        return (
            without_a_needed_column(example, rng)
            if rng.random() < _UNANSWERABLE
            else (example, with_columns_dropped(example, rng))
        )

    def collate(self, drawn: Sequence[tuple[TrainingExample, Input]]) -> TrainingBatch:
        """Put training examples side by side."""
        batch = collate([one for _, one in drawn], self._vectors, hidden=self._hidden)
        rows = [places_in(example, one, batch.items) for example, one in drawn]
        targets = torch.full((len(rows), max(1, *map(len, rows))), -1, dtype=torch.long)
        used = torch.zeros(batch.vectors.shape[:2])
        fixed = len(fixed_words())
        for i, places in enumerate(rows):
            targets[i, : len(places)] = torch.from_numpy(places)
            used[i, torch.from_numpy(np.unique((places[places >= fixed] - fixed) // ROLES))] = 1.0
        return TrainingBatch(batch, self._padded([example.question.pieces for example, _ in drawn]), targets, used)

    def _padded(self, questions: Sequence[tuple[int, ...]]) -> Tensor:
        lower = torch.zeros(len(questions), max(map(len, questions)), self._hidden)
        for i, pieces in enumerate(questions):
            lower[i, : len(pieces)] = torch.from_numpy(self._lower[pieces].astype(np.float32))
        return lower


def _lower_states(
    questions: set[tuple[int, ...]], encoder: Encoder, frozen: int
) -> dict[tuple[int, ...], NDArray[np.float16]]:
    """Return what the encoder's lower layers make of each question, (pieces, hidden); those of one length together."""
    found: dict[tuple[int, ...], NDArray[np.float16]] = {}
    ordered = sorted(questions, key=lambda pieces: (len(pieces), pieces))
    for _, alike in groupby(ordered, key=len):
        several = list(alike)
        for start in range(0, len(several), _TOGETHER):
            some = several[start : start + _TOGETHER]
            states = encoder.model.states(np.array(some), frozen).astype(np.float16)
            found.update(zip(some, states, strict=True))
    return found
