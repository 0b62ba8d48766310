"""Questions on schemas as tensors: the nodes of each, how they are related, and the words that a query may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from . import relations as rel
from .items import ITEM_KINDS, SchemaItems
from .naming import match_names
from .question import Question, cells_of, spans_of, value_relations

__all__ = ["Batch", "Input", "collate", "make_input"]

TEXTS = 3
"""Texts of an item that a sentence encoder reads; a value has one."""


@dataclass(frozen=True)
class Input:
    """One question on one schema, or on some of its items.

    Attributes:
        question: its words and values.
        items: of the schema.
        kept: the items that are read, ascending, shape (kept,).
        relations: between words, kept items and values, in this order, shape (nodes, nodes).
    """

    question: Question
    items: SchemaItems
    kept: NDArray[np.int64]
    relations: rel.Relations

    @property
    def nodes(self) -> int:
        """Return how many nodes it has."""
        return len(self.relations)

    def texts(self) -> list[tuple[str, ...]]:
        """Return what the sentence encoder reads of each item and value."""
        return [self.items.items[i].texts for i in self.kept] + [(v.found.value,) for v in self.question.values]


def make_input(question: Question, items: SchemaItems, kept: NDArray[np.int64] | None = None) -> Input:
    """Relate the words of a question, the items and the values."""
    if kept is None:
        kept = np.arange(len(items))
    holds, spans = cells_of(question, items), spans_of(question)
    matches = match_names(question.stems, [items.names[i] for i in kept])
    cells = spans.T.astype(np.int64) @ holds[:, kept] > 0
    tables = int(np.searchsorted(kept, items.tables))
    word_item, item_word = rel.name_relations(matches, cells, tables=tables)
    word_value, value_word, value_item, item_value, values = value_relations(question, items, holds, spans)
    among = rel.question_relations(len(question.stems))
    rows = (
        (among, word_item, word_value),
        (item_word, items.relations[np.ix_(kept, kept)], item_value[kept]),
        (value_word, value_item[:, kept], values),
    )
    return Input(question, items, kept, np.block([list(row) for row in rows]).astype(np.uint8))


@dataclass
class Batch:
    """Inputs side by side, padded; words, items and values each begin at the same place in all rows.

    Attributes:
        pieces, piece_mask: word pieces of the questions, (batch, pieces).
        words_of_pieces: the word of each piece, ``words`` for none, (batch, pieces).
        words, items: how many places they have each; values come after them.
        vectors: what the sentence encoder says of items and values, (batch, items + values, TEXTS, hidden).
        kinds: numbers of `ITEM_KINDS`, (batch, nodes).
        marks: of columns, (batch, nodes).
        mask: which nodes there are, (batch, nodes).
        relations: (batch, nodes, nodes).
    """

    pieces: Tensor
    piece_mask: Tensor
    words_of_pieces: Tensor
    words: int
    items: int
    vectors: Tensor
    kinds: Tensor
    marks: Tensor
    mask: Tensor
    relations: Tensor


def collate(inputs: Sequence[Input], vectors: Mapping[str, NDArray[np.float32]], *, hidden: int) -> Batch:
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
    ids, of = np.zeros((rows, pieces), np.int64), np.full((rows, pieces), words, np.int64)
    said = np.zeros((rows, nodes - words, TEXTS, hidden), np.float32)
    kinds, marks = np.zeros((rows, nodes), np.int64), np.zeros((rows, nodes), np.int64)
    mask, related = np.zeros((rows, nodes), np.bool_), np.full((rows, nodes, nodes), rel.NONE, np.uint8)
    piece_mask = np.zeros((rows, pieces), np.bool_)
    for row, one in enumerate(inputs):
        question, size = one.question, len(one.question.pieces)
        ids[row, :size], piece_mask[row, :size] = question.pieces, True
        of[row, :size] = [word if word >= 0 else words for word in question.words_of_pieces]
        places = _places(one, words, items)
        mask[row, places] = True
        related[row, places[:, None], places[None, :]] = one.relations
        first = len(question.stems)
        kinds[row, places[first:]] = [*one.items.kinds[one.kept], *(value.kind for value in question.values)]
        marks[row, places[first : first + len(one.kept)]] = one.items.marks[one.kept]
        for place, texts in zip(places[first:] - words, one.texts(), strict=True):
            for n, text in enumerate(texts):
                said[row, place, n] = vectors[text]
    tensor = torch.from_numpy
    return Batch(
        tensor(ids), tensor(piece_mask), tensor(of), words, items, tensor(said), tensor(kinds), tensor(marks),
        tensor(mask), tensor(related),
    )  # fmt: skip


def _places(one: Input, words: int, items: int) -> NDArray[np.int64]:
    """Return the place of each node among the padded ones."""
    sizes = len(one.question.stems), len(one.kept), len(one.question.values)
    starts = 0, words, words + items
    return np.concatenate([np.arange(start, start + size) for start, size in zip(starts, sizes, strict=True)])


assert ITEM_KINDS[0] == "word"
