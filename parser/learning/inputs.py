"""Inputs side by side, as tensors to learn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...encoders.functions import Floats
from ..reader import relations as rel
from ..reader.inputs import TEXTS, Input

__all__ = ["Batch", "collate"]


@dataclass
class Batch:
    """Inputs side by side, padded; words, items and values each begin at the same place in all rows.

    Attributes:
        piece_mask: which word pieces of the questions there are, (batch, pieces).
        words_of_pieces: the word of each piece, ``words`` for none, (batch, pieces).
        words, items: how many places they have each; values come after them.
        vectors: what the sentence encoder says of items and values, (batch, items + values, TEXTS, hidden).
        kinds: numbers of `ITEM_KINDS`, (batch, nodes).
        marks: of columns, (batch, nodes).
        mask: which nodes there are, (batch, nodes).
        relations: (batch, nodes, nodes).
    """

    piece_mask: Tensor
    words_of_pieces: Tensor
    words: int
    items: int
    vectors: Tensor
    kinds: Tensor
    marks: Tensor
    mask: Tensor
    relations: Tensor


def collate(inputs: Sequence[Input], vectors: Mapping[str, Floats], *, hidden: int) -> Batch:
    """Pad inputs to one batch.

    Args:
        vectors: of each text of the items and values.
        hidden: width of the vectors.
    """
    rows = len(inputs)
    pieces = max(len(one.question.pieces) for one in inputs)
    words = max(len(one.question.stems) for one in inputs)
    items = max(len(one.kept) for one in inputs)
    nodes = words + items + max(len(one.question.values) for one in inputs)
    of = np.full((rows, pieces), words, np.int64)
    said = np.zeros((rows, nodes - words, TEXTS, hidden), np.float32)
    kinds, marks = np.zeros((rows, nodes), np.int64), np.zeros((rows, nodes), np.int64)
    mask, related = np.zeros((rows, nodes), np.bool_), np.full((rows, nodes, nodes), rel.NONE, np.uint8)
    piece_mask = np.zeros((rows, pieces), np.bool_)
    for row, one in enumerate(inputs):
        size = len(one.question.pieces)
        piece_mask[row, :size] = True
        of[row, :size] = [word if word >= 0 else words for word in one.question.words_of_pieces]
        places = _places(one, words, items)
        mask[row, places] = True
        related[row, places[:, None], places[None, :]] = one.relations
        kinds[row, places], marks[row, places] = one.kinds, one.marks
        said[row, places[len(one.question.stems) :] - words] = one.vectors(vectors, hidden=hidden)
    tensor = torch.from_numpy
    return Batch(
        tensor(piece_mask), tensor(of), words, items, tensor(said), tensor(kinds), tensor(marks),
        tensor(mask), tensor(related),
    )  # fmt: skip


def _places(one: Input, words: int, items: int) -> NDArray[np.int64]:
    """Return the place of each node among the padded ones."""
    sizes = len(one.question.stems), len(one.kept), len(one.question.values)
    starts = 0, words, words + items
    return np.concatenate([np.arange(start, start + size) for start, size in zip(starts, sizes, strict=True)])
