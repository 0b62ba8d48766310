"""Batches of inputs as padded tensors, and tables of the frozen encoder's states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...encoders.bert import Bert
from ...encoders.learning import EncoderLayers
from ..reader import relations as rel
from ..reader.inputs import TEXTS, Input

_TOGETHER = 256
"""The number of questions of one length that the frozen layers encode at once."""


@dataclass(kw_only=True)
class NodeBatch:
    """The nodes of a batch: words, items, values and the words of previous queries.

    Attributes:
        kinds: the numbers of `ITEM_KINDS`, (batch, nodes).
        marks: the marks of columns, (batch, nodes).
        mask: which nodes are no padding, (batch, nodes).
        relations: the relations of nodes, (batch, nodes, nodes).
        turns: the number of turns since each word, (batch, nodes).
        query: the output indices of the previous query's words, -1 for items that are not read, (batch, query words).
    """

    kinds: Tensor
    marks: Tensor
    mask: Tensor
    relations: Tensor
    turns: Tensor
    query: Tensor


@dataclass(kw_only=True)
class Batch(NodeBatch):
    """A padded batch of inputs; words, items and values each begin at the same place in all rows.

    The states of pieces and texts are given as rows of the tables of `FrozenStates`; row 0 is padding.

    Attributes:
        pieces: the rows of the questions' word pieces, (batch, pieces).
        words_of_pieces: the word of each piece, ``words`` for none, (batch, pieces).
        words, items: the numbers of places for words and items; values and words of the previous query follow them.
        texts: the rows of the texts of items and values, (batch, items + values, TEXTS).
    """

    pieces: Tensor
    words_of_pieces: Tensor
    words: int
    items: int
    texts: Tensor

    @property
    def piece_mask(self) -> Tensor:
        """Return a mask of the word pieces, (batch, pieces)."""
        return self.pieces > 0

    def each(self, change: Callable[[Tensor], Tensor]) -> Self:
        """Return the batch with another tensor for each of its tensors."""
        return replace(self, **{name: change(one) for name, one in vars(self).items() if isinstance(one, Tensor)})

    def pin_memory(self) -> Self:
        """Return the batch in pinned memory, from which a GPU copies in the background; torch's loader calls this."""
        return self.each(Tensor.pin_memory)

    def to(self, device: str) -> Self:
        """Return the batch on a device."""
        return self.each(lambda one: one.to(device, non_blocking=True))


@dataclass(kw_only=True)
class TrainingBatch(Batch):
    """A batch with its gold queries.

    Attributes:
        targets: the output indices of the words and the end, (batch, length); -1 is padding, `UNKNOWN` has no loss; a
            row without words is a question that cannot be answered.
        used: which items and values the query has, (batch, items + values).
        carries: which questions need the earlier turns, (batch,); -1 if unknown.
    """

    targets: Tensor
    used: Tensor
    carries: Tensor


def collate(inputs: Sequence[Input], texts: Mapping[str, int], questions: Mapping[tuple[int, ...], int]) -> Batch:
    """Pad inputs to one batch.

    Args:
        texts: the row of each text of the items and values.
        questions: the row of the first piece of each question, known by its pieces.
    """
    rows = len(inputs)
    pieces = max(len(one.question.pieces) for one in inputs)
    words = max(len(one.question.stems) for one in inputs)
    items = max(len(one.kept) for one in inputs)
    held = items + max(len(one.question.values) for one in inputs)
    query = max(len(one.before) for one in inputs)
    nodes = words + held + query
    first, of = np.zeros((rows, pieces), np.int64), np.full((rows, pieces), words, np.int64)
    text_rows = np.zeros((rows, held, TEXTS), np.int64)
    kinds, marks = np.zeros((rows, nodes), np.int64), np.zeros((rows, nodes), np.int64)
    turns, before = np.zeros((rows, nodes), np.int64), np.full((rows, query), -1, np.int64)
    mask, related = np.zeros((rows, nodes), np.bool_), np.full((rows, nodes, nodes), rel.NONE, np.uint8)
    for row, one in enumerate(inputs):
        size = len(one.question.pieces)
        first[row, :size] = questions[one.question.pieces] + np.arange(size)
        of[row, :size] = [word if word >= 0 else words for word in one.question.words_of_pieces]
        places = _places(one, words, items, held)
        mask[row, places] = True
        related[row, places[:, None], places[None, :]] = one.relations
        kinds[row, places], marks[row, places], turns[row, places] = one.kinds, one.marks, one.turns
        before[row, : len(one.before)] = one.query_in(items)
        for place, own in zip(places[len(one.question.stems) :] - words, one.texts(), strict=False):
            text_rows[row, place, : len(own)] = [texts[text] for text in own]
    arrays = {"kinds": kinds, "marks": marks, "mask": mask, "relations": related, "turns": turns, "query": before}
    arrays |= {"pieces": first, "words_of_pieces": of, "texts": text_rows}
    tensors: dict[str, Any] = {name: torch.from_numpy(array) for name, array in arrays.items()}
    return Batch(words=words, items=items, **tensors)


def _places(one: Input, words: int, items: int, held: int) -> NDArray[np.int64]:
    """Return the place of each node among the padded ones."""
    sizes = len(one.question.stems), len(one.kept), len(one.question.values), len(one.before)
    starts = 0, words, words + items, words + held
    return np.concatenate([np.arange(start, start + size) for start, size in zip(starts, sizes, strict=True)])


@dataclass(frozen=True)
class FrozenStates:
    """Two tables in half precision, whose first rows are zeros for padding.

    Attributes:
        pieces: the states of the frozen layers for the pieces of all questions, (1 + pieces, hidden).
        texts: the vectors of the texts of items and values, (1 + texts, hidden).
    """

    pieces: Tensor
    texts: Tensor

    @classmethod
    @torch.no_grad()
    def of(
        cls, questions: Sequence[tuple[int, ...]], vectors: NDArray[Any], bert: Bert, frozen: int, device: str
    ) -> FrozenStates:
        """Encode questions with the frozen layers.

        Args:
            questions: the pieces of each question.
            vectors: the vectors of the texts, in the order of their rows.
            bert, frozen: the encoder, and the number of its frozen layers.
            device: the device that computes and holds the tables.
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
        table = np.concatenate([np.zeros((1, bert.hidden), np.float16), vectors.astype(np.float16)])
        return cls(pieces, torch.from_numpy(table).to(device))


def first_rows(questions: Sequence[tuple[int, ...]]) -> Mapping[tuple[int, ...], int]:
    """Return the row of the first piece of each question."""
    starts = np.cumsum([1, *map(len, questions)])
    return dict(zip(questions, starts.tolist(), strict=False))
