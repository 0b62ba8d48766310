"""Training examples in batches of similar size, and a file in which they travel to another machine."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from ...data.errors import InputError
from ...encoders import Encoder, load_encoder
from ...encoders.bert import Bert
from ...encoders.functions import Floats
from ...encoders.text_vectors import TextVectors
from ..reader.inputs import make_input
from ..reader.output_vocabulary import ROLES, fixed_words, remapped
from .batches import FrozenStates, TrainingBatch, collate, first_rows
from .network import TrainableNetwork
from .training_examples import TrainingExample, with_columns_dropped, without_a_needed_column

_POOL = 40
"""The number of batches whose examples are sorted by size together."""

_UNANSWERABLE = 0.04
"""The share of examples that are read without a column of their query."""

Drawn = tuple[TrainingExample, NDArray[np.int64]]
"""A training example and the items that are read of its schema."""


@dataclass(frozen=True)
class TrainingSet:
    """Training examples of many databases, with the states of the frozen encoder.

    Attributes:
        examples: the alternatives of each pair, such as the same pair with other names of its schema.
        vectors: the encoder's vector of each text of items and values, in half precision.
        bert, frozen: the ready-made encoder, and the number of its frozen layers.
        held_out: the examples that the network is measured on.
        device: the device of the frozen states.
    """

    examples: Sequence[Sequence[TrainingExample]]
    vectors: Mapping[str, Floats]
    bert: Bert
    frozen: int
    held_out: Sequence[TrainingExample] = ()
    device: str = "cpu"

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
        """Encode the texts of examples; ``vectors`` may have some of them already."""
        vectors, texts = TextVectors(encoder) if vectors is None else vectors, texts_of([*examples, held_out])
        vectors.prepare(texts)
        halves = {text: vectors[text].astype(np.float16) for text in texts}
        return cls(examples, halves, encoder.model, frozen, held_out)

    @cached_property
    def texts(self) -> dict[str, int]:
        """Return the row of each text in the table of its vectors."""
        return {text: row for row, text in enumerate(texts_of([*self.examples, self.held_out]), start=1)}

    @cached_property
    def questions(self) -> Mapping[tuple[int, ...], int]:
        """Return the row of the first piece of each question, by its pieces."""
        every = [*self.examples, self.held_out]
        return first_rows(sorted({one.question.pieces for several in every for one in several}))

    @cached_property
    def states(self) -> FrozenStates:
        """Return the states of the frozen encoder."""
        table = np.array([self.vectors[text] for text in self.texts])
        return FrozenStates.of(list(self.questions), table, self.bert, self.frozen, self.device)

    def __len__(self) -> int:
        return len(self.examples)

    def batches(
        self, seed: int, epochs: range, size: int, *, skip: int = 0, workers: int = 0
    ) -> Iterator[TrainingBatch]:
        """Return the batches of some epochs in order, which do not depend on the number of processes.

        Args:
            seed: the seed of the draws, together with the number of the epoch.
            skip: the number of batches of the first epoch that are left out.
            workers: the number of processes that make batches; 0 makes them in this one.
        """
        loader: DataLoader[Any] = DataLoader(
            _Epochs(self, seed, epochs, size, skip),
            batch_size=None,
            num_workers=workers,
            pin_memory=self.device != "cpu",
            generator=torch.Generator(),  # of its own, so that dropout does not depend on the loader
            multiprocessing_context="fork" if workers else None,
        )
        return iter(loader)

    def drawn(self, rng: np.random.Generator, size: int) -> Iterator[Sequence[Drawn]]:
        """Yield the examples of each batch of an epoch, with the items that are read of their schemas.

        An epoch has every pair once, in one of its alternatives, without some random tables and columns.
        """
        order = rng.permutation(len(self.examples))
        for start in range(0, len(order), _POOL * size):
            drawn = [_draw(self.examples[int(i)], rng) for i in order[start : start + _POOL * size]]
            drawn.sort(key=_nodes)
            groups = [drawn[i : i + size] for i in range(0, len(drawn), size)]
            for i in rng.permutation(len(groups)):
                yield groups[int(i)]

    def judging(self, size: int) -> Iterator[TrainingBatch]:
        """Yield batches of the held-out examples with their whole schemas, sorted by size."""
        whole = [(example, np.arange(len(example.items))) for example in self.held_out]
        whole.sort(key=_nodes)
        for start in range(0, len(whole), size):
            yield self.collate(whole[start : start + size])

    def collate(self, drawn: Sequence[Drawn]) -> TrainingBatch:
        """Return the batch of some examples."""
        inputs = [make_input(example.question, example.items, kept, example.before) for example, kept in drawn]
        batch, fixed = collate(inputs, self.texts, self.questions), len(fixed_words())
        rows = [
            remapped(example.places, one.kept, total=len(example.items), items=batch.items)
            for (example, _), one in zip(drawn, inputs, strict=True)
        ]
        targets = torch.full((len(rows), max(1, *map(len, rows))), -1, dtype=torch.long)
        used = torch.zeros(batch.texts.shape[:2])
        for i, places in enumerate(rows):
            targets[i, : len(places)] = torch.from_numpy(places)
            used[i, torch.from_numpy(np.unique((places[places >= fixed] - fixed) // ROLES))] = 1.0
        carries = torch.tensor([-1.0 if one.carries is None else float(one.carries) for one, _ in drawn])
        return TrainingBatch(**vars(batch), targets=targets, used=used, carries=carries)


class _Epochs(IterableDataset[TrainingBatch]):
    """The batches of some epochs; each worker draws them all, which is quick, and makes its share of them."""

    def __init__(self, examples: TrainingSet, seed: int, epochs: range, size: int, skip: int) -> None:
        self.examples, self.seed, self.epochs, self.size, self.skip = examples, seed, epochs, size, skip

    def __iter__(self) -> Iterator[TrainingBatch]:
        worker = get_worker_info()
        mine, workers = (0, 1) if worker is None else (worker.id, worker.num_workers)
        rngs = (np.random.default_rng([self.seed, epoch]) for epoch in self.epochs)
        drawn = chain.from_iterable(self.examples.drawn(rng, self.size) for rng in rngs)
        return map(self.examples.collate, islice(drawn, self.skip + mine, None, workers))


def texts_of(examples: Iterable[Iterable[TrainingExample]]) -> list[str]:
    """Return the texts of all items and values, sorted."""
    several = [one for alike in examples for one in alike]
    schemas = {id(one.items): one.items for one in several}.values()
    texts = {text for items in schemas for item in items.items for text in item.texts}
    return sorted(texts | {node.found.value for one in several for node in one.question.values})


def _draw(several: Sequence[TrainingExample], rng: np.random.Generator) -> Drawn:
    example = several[int(rng.integers(len(several)))]
    if rng.random() < _UNANSWERABLE:
        return without_a_needed_column(example, rng)
    return example, with_columns_dropped(example, rng)


def _nodes(drawn: Drawn) -> int:
    """Return the number of nodes of an example's input."""
    example, kept = drawn
    return len(example.question.stems) + len(kept) + len(example.question.values) + len(example.before)


_PACK = "pack.pickle"


@dataclass(frozen=True)
class Packed:
    """The contents of unpacked folders.

    Attributes:
        examples: the training set.
        network: the network to start from.
        languages: the languages of the questions.
    """

    examples: TrainingSet
    network: TrainableNetwork
    languages: list[str]


def pack(folder: Path, examples: TrainingSet, network: TrainableNetwork, languages: Sequence[str]) -> None:
    """Write a training set and the network to start from into a folder.

    The file is a pickle, which can run any program as it is read: unpack your own files alone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    learnt = (examples.examples, examples.held_out, dict(examples.vectors))
    packed = (network.config, examples.frozen, halved(network), learnt, [*languages])
    (folder / _PACK).write_bytes(pickle.dumps(packed))


def unpack(folder: Path, *more: Path, device: str = "cpu") -> Packed:
    """Read the folders that `pack` wrote.

    Args:
        more: folders whose examples are added to those of the first, which has the network to start from.
        device: the device that trains.

    Raises:
        InputError: they have another encoder, or other frozen layers.
    """
    several = [pickle.loads((one / _PACK).read_bytes()) for one in (folder, *more)]
    config, frozen = several[0][:2]
    network = TrainableNetwork(config, load_encoder(config.encoder).model, frozen)
    network.load_state_dict(several[0][2])
    examples, held_out, vectors = list[Sequence[TrainingExample]](), list[TrainingExample](), dict[str, Floats]()
    languages = set[str]()
    for place, (other, layers, weights, learnt, spoken) in zip((folder, *more), several, strict=True):
        if (other.encoder, layers) != (config.encoder, frozen):
            raise InputError("packed for another encoder, or with other layers frozen", file=place / _PACK)
        network.seen |= weights["seen"]
        examples, held_out, vectors = [*examples, *learnt[0]], [*held_out, *learnt[1]], vectors | learnt[2]
        languages.update(spoken)
    ready = TrainingSet(examples, vectors, load_encoder(config.encoder).model, frozen, held_out, device)
    return Packed(ready, network, sorted(languages))


def halved(network: TrainableNetwork) -> dict[str, Tensor]:
    """Return the weights of a network in half precision, on the CPU."""
    weights = {name: value.detach().cpu() for name, value in network.state_dict().items()}
    return {name: value.half() if value.is_floating_point() else value for name, value in weights.items()}
