"""Training examples of like size in batches, and what the frozen parts of the encoder say of them, computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, islice
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from ...encoders import Encoder
from ...encoders.bert import Bert
from ...encoders.learning import EncoderLayers
from ...encoders.text_vectors import TextVectors
from ..reader.inputs import make_input
from ..reader.output_vocabulary import ROLES, fixed_words
from .inputs import Batch, collate
from .training_examples import TrainingExample, places_in, with_columns_dropped, without_a_needed_column

__all__ = ["FrozenStates", "TrainingBatch", "TrainingSet", "first_rows"]

_TOGETHER = 256
"""Questions of one length that the lower layers read at once."""


@dataclass(frozen=True)
class FrozenStates:
    """Two tables in half precision, whose first rows are zeros: what there is none of.

    Attributes:
        pieces: states of the lower layers of the pieces of all questions, (1 + pieces, hidden).
        texts: vectors of the texts of items and values, (1 + texts, hidden).
    """

    pieces: Tensor
    texts: Tensor

    @classmethod
    @torch.no_grad()
    def of(
        cls,
        questions: Sequence[tuple[int, ...]],
        vectors: NDArray[Any],
        bert: Bert,
        frozen: int,
        device: str,
        *,
        progress: Callable[[int], None] = lambda _: None,
    ) -> FrozenStates:
        """Let the lower layers read the questions.

        Args:
            questions: the pieces of each.
            vectors: of the texts, in the order of their rows.
            bert, frozen: the encoder, and how many of its layers are frozen.
            device: where to compute, and where the tables shall be.
            progress: told how many more questions were read.
        """
        layers = None if device == "cpu" else EncoderLayers(bert, 0, frozen).eval().to(device)
        first = list(first_rows(questions).values())
        pieces = torch.zeros(1 + sum(map(len, questions)), bert.hidden, dtype=torch.float16, device=device)
        lengths = [len(question) for question in questions]
        for length, same in groupby(np.argsort(lengths, kind="stable").tolist(), key=lengths.__getitem__):
            alike = list(same)
            for start in range(0, len(alike), _TOGETHER):
                some = alike[start : start + _TOGETHER]
                ids = np.array([questions[i] for i in some])
                states = torch.from_numpy(bert.states(ids, frozen if layers is None else 0)).to(device)
                if layers is not None:
                    states = layers(states, torch.ones(len(some), length, dtype=torch.bool, device=device))
                rows = np.array([first[i] for i in some])[:, None] + np.arange(length)
                pieces[torch.from_numpy(rows).to(device)] = states.to(pieces.dtype)
                progress(len(some))
        table = np.concatenate([np.zeros((1, bert.hidden), np.float16), vectors.astype(np.float16)])
        return cls(pieces, torch.from_numpy(table).to(device))


def first_rows(questions: Sequence[tuple[int, ...]]) -> Mapping[tuple[int, ...], int]:
    """Return the row of the first piece of each question."""
    starts = np.cumsum([1, *map(len, questions)])
    return dict(zip(questions, starts.tolist(), strict=False))


_POOL = 40
"""Batches whose training examples are sorted by size together."""

_UNANSWERABLE = 0.04
"""Share of training examples that are read without a column that they need."""

Drawn = tuple[TrainingExample, NDArray[np.int64]]
"""A training example and the items that are read of its schema."""


@dataclass
class TrainingBatch:
    """A batch to learn from; see `TrainableNetwork.loss`."""

    batch: Batch
    targets: Tensor
    used: Tensor
    carries: Tensor

    def pin_memory(self) -> TrainingBatch:
        """Return it in memory that a GPU can copy from while the processor goes on; called by torch's loader."""
        return self._each(Tensor.pin_memory)

    def to(self, device: str) -> TrainingBatch:
        """Return it on a device."""

        return self._each(lambda one: one.to(device, non_blocking=True))

    def _each(self, change: Callable[[Tensor], Tensor]) -> TrainingBatch:
        told = (self.targets, self.used, self.carries)
        return TrainingBatch(self.batch.each(change), *map(change, told))


class TrainingSet:
    """Training examples of many databases, and what the frozen parts of the encoder say of them.

    Args:
        examples: alternatives of each pair: the same pair on a schema that is named otherwise.
        vectors: what the encoder says of each of the `texts_of` them all, in this order, (texts, hidden).
        bert, frozen: the ready-made encoder, and how many of its lower layers stay as they are.
        held_out: examples that are not learnt, to judge by.
        device: of the tables.
    """

    def __init__(
        self,
        examples: Sequence[Sequence[TrainingExample]],
        vectors: NDArray[Any],
        bert: Bert,
        frozen: int,
        *,
        held_out: Sequence[TrainingExample] = (),
        device: str = "cpu",
    ) -> None:
        self.examples = examples
        self.held_out = held_out
        self.vectors = vectors.astype(np.float16)
        self.bert = bert
        self.frozen = frozen
        self.device = device
        texts, questions = texts_of([*examples, held_out]), questions_of([*examples, held_out])
        self._texts = {text: row for row, text in enumerate(texts, start=1)}
        self._questions = first_rows(questions)

    @cached_property
    def states(self) -> FrozenStates:
        """Return what the frozen parts of the encoder say, computed when it is first asked for."""
        return FrozenStates.of(list(self._questions), self.vectors, self.bert, self.frozen, self.device)

    @classmethod
    def of(
        cls,
        examples: Sequence[Sequence[TrainingExample]],
        encoder: Encoder,
        frozen: int,
        *,
        held_out: Sequence[TrainingExample] = (),
        vectors: TextVectors | None = None,
    ) -> TrainingSet:
        """Let an encoder read what the examples need; texts with ``vectors`` need not be read again."""
        vectors, texts = TextVectors(encoder) if vectors is None else vectors, texts_of([*examples, held_out])
        vectors.prepare(texts)
        table = np.array([vectors[text] for text in texts])
        return cls(examples, table, encoder.model, frozen, held_out=held_out)

    def only(
        self, learnt: Callable[[TrainingExample], bool], held_out: Callable[[TrainingExample], bool]
    ) -> TrainingSet:
        """Return a set with some of the examples, those learnt by the first of their alternatives."""
        examples = [several for several in self.examples if learnt(several[0])]
        judged = [one for one in self.held_out if held_out(one)]
        rows = np.array([self._texts[text] - 1 for text in texts_of([*examples, judged])], np.int64)
        given: dict[str, Any] = {"held_out": judged, "device": self.device}
        return TrainingSet(examples, self.vectors[rows], self.bert, self.frozen, **given)

    def __len__(self) -> int:
        return len(self.examples)

    def batches(
        self, seed: int, epochs: range, size: int, *, skip: int = 0, workers: int = 0
    ) -> Iterator[TrainingBatch]:
        """Return the batches of some epochs, those of `epoch` one after the other, the same however many make them.

        Args:
            seed: of what is drawn, together with the number of an epoch.
            skip: batches of the first epoch that are left out.
            workers: processes that make them; 0 makes each when it is asked for.
        """
        loader: DataLoader[Any] = DataLoader(
            _Epochs(self, seed, epochs, size, skip),
            batch_size=None,
            num_workers=workers,
            pin_memory=self.device != "cpu",
            generator=torch.Generator(),  # of its own, so that dropout does not hang on the loader
            multiprocessing_context="fork" if workers else None,
        )
        return iter(loader)

    def epoch(self, rng: np.random.Generator, size: int) -> Iterator[TrainingBatch]:
        """Yield every pair once, in one of its alternatives, with other tables and columns left out each time."""
        return map(self.collate, self.drawn(rng, size))

    def drawn(self, rng: np.random.Generator, size: int) -> Iterator[Sequence[Drawn]]:
        """Yield what each batch of an epoch is made of."""
        order = rng.permutation(len(self.examples))
        for start in range(0, len(order), _POOL * size):
            drawn = [_draw(self.examples[int(i)], rng) for i in order[start : start + _POOL * size]]
            drawn.sort(key=_nodes)
            groups = [drawn[i : i + size] for i in range(0, len(drawn), size)]
            for i in rng.permutation(len(groups)):
                yield groups[int(i)]

    def judging(self, size: int) -> Iterator[TrainingBatch]:
        """Yield the held-out examples on their whole schemas, those of like size together."""
        whole = [(example, np.arange(len(example.items))) for example in self.held_out]
        whole.sort(key=_nodes)
        for start in range(0, len(whole), size):
            yield self.collate(whole[start : start + size])

    def collate(self, drawn: Sequence[Drawn]) -> TrainingBatch:
        """Put training examples side by side."""
        inputs = [make_input(example.question, example.items, kept, example.before) for example, kept in drawn]
        batch = collate(inputs, self._texts, self._questions)
        rows = [places_in(example, one, batch.items) for (example, _), one in zip(drawn, inputs, strict=True)]
        targets = torch.full((len(rows), max(1, *map(len, rows))), -1, dtype=torch.long)
        used = torch.zeros(batch.texts.shape[:2])
        fixed = len(fixed_words())
        for i, places in enumerate(rows):
            targets[i, : len(places)] = torch.from_numpy(places)
            used[i, torch.from_numpy(np.unique((places[places >= fixed] - fixed) // ROLES))] = 1.0
        carries = [-1.0 if example.carries is None else float(example.carries) for example, _ in drawn]
        return TrainingBatch(batch, targets, used, torch.tensor(carries))


class _Epochs(IterableDataset[TrainingBatch]):
    """The batches of some epochs: each worker draws them all, which is quick, and makes every so manieth of them."""

    def __init__(self, examples: TrainingSet, seed: int, epochs: range, size: int, skip: int) -> None:
        self.examples, self.seed, self.epochs, self.size, self.skip = examples, seed, epochs, size, skip

    def __iter__(self) -> Iterator[TrainingBatch]:
        worker = get_worker_info()
        mine, workers = (0, 1) if worker is None else (worker.id, worker.num_workers)
        return map(self.examples.collate, islice(self._drawn(), self.skip + mine, None, workers))

    def _drawn(self) -> Iterator[Sequence[Drawn]]:
        for epoch in self.epochs:
            yield from self.examples.drawn(np.random.default_rng([self.seed, epoch]), self.size)


def texts_of(examples: Iterable[Iterable[TrainingExample]]) -> list[str]:
    """Return every text of items and values, sorted."""
    several = [one for alike in examples for one in alike]
    schemas = {id(one.items): one.items for one in several}.values()
    texts = {text for items in schemas for item in items.items for text in item.texts}
    return sorted(texts | {node.found.value for one in several for node in one.question.values})


def questions_of(examples: Iterable[Iterable[TrainingExample]]) -> list[tuple[int, ...]]:
    """Return the pieces of every question, sorted."""
    return sorted({one.question.pieces for several in examples for one in several})


def _draw(several: Sequence[TrainingExample], rng: np.random.Generator) -> Drawn:
    example = several[int(rng.integers(len(several)))]
    if rng.random() < _UNANSWERABLE:
        return without_a_needed_column(example, rng)
    return example, with_columns_dropped(example, rng)


def _nodes(drawn: Drawn) -> int:
    """Return how many nodes the input of an example will have."""
    example, kept = drawn
    return len(example.question.stems) + len(kept) + len(example.question.values) + len(example.before)
