"""Embeddings of SQL words that share what the words share.

``CITYalias0.POPULATION`` and ``CITYalias1.POPULATION`` are two words with one table and one column; each
word's vector is its own plus those of its parts, so what is learnt of one column helps all its words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ..data.examples import SLOT

if TYPE_CHECKING:
    from ..grammar import Vocabulary, Word

__all__ = ["BOS", "EOS", "PAD", "PARTS", "WordEmbedding", "bound_words", "word_parts"]

PAD, BOS, EOS = 0, 1, 2
PARTS = ("kind", "terminal", "table", "column", "qualifier", "slot type")


def word_parts(vocabulary: Vocabulary) -> tuple[Tensor, list[int]]:
    """Number the parts of every word.

    Returns:
        ids (words, parts) with 0 for «has no such part», and how many ids each part has.
    """
    tables: list[dict[str, int]] = [{"": 0} for _ in PARTS]
    columns = {word.column.lower(): word.column for word in vocabulary.words if word.column}
    rows = [
        [numbers.setdefault(part, len(numbers)) for part, numbers in zip(_parts(word, columns), tables, strict=True)]
        for word in vocabulary.words
    ]
    return torch.tensor(rows, dtype=torch.long), [len(numbers) for numbers in tables]


def _parts(word: Word, columns: Mapping[str, str]) -> tuple[str, ...]:
    """Return the parts in the order of `PARTS`; ``columns`` finds a column's name by its lower-cased one.

    Value types are mostly named after the column that they are compared with: a slot has that column as its own.
    """
    qualifier = word.text.rpartition(".")[0] if word.kind == "column" else word.text if word.kind == "alias" else ""
    match = SLOT.search(word.text) if word.slot else None
    slot_type = match[1] if match else ""
    column = word.column or columns.get(slot_type.lower(), "")
    return (word.kind, word.terminal, word.table or "", column, qualifier, slot_type)


def bound_words(vocabulary: Vocabulary, slots: Sequence[str]) -> list[tuple[int, str]]:
    """Return (word id, slot) of every word that writes one of ``slots``; a slot may have several words."""
    return [(word, slot) for slot in slots for word in vocabulary.slots.get(slot, ())]


class WordEmbedding(nn.Module):
    """One vector a word: its own plus its parts'.

    Args:
        sizes: how many ids each part has.
        words: size of the vocabulary.
        width: of the vectors.
    """

    def __init__(self, *, words: int, sizes: Sequence[int], width: int) -> None:
        super().__init__()
        self.own = nn.Embedding(words, width)
        self.parts = nn.ModuleList(nn.Embedding(size, width) for size in sizes)

    def forward(self, parts: Tensor) -> Tensor:
        """Return the matrix (words, width), for ``parts`` (words, parts)."""
        matrix = self.own.weight
        for i, table in enumerate(self.parts):
            matrix = matrix + table(parts[:, i])
        return matrix
