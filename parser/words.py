"""Embeddings of SQL words that share what the words share.

``CITYalias0.POPULATION`` and ``CITYalias1.POPULATION`` are two words with one table and one column,
``LOWEST_POINT`` and ``LOWEST_ELEVATION`` have a piece of their names in common; each word's vector is its own plus
those of its parts, so what is learnt of one word helps all that share something with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ..data.examples import SLOT

if TYPE_CHECKING:
    from ..grammar import Vocabulary, Word

__all__ = ["BOS", "EOS", "PAD", "PARTS", "WordEmbedding", "bound_words", "name_texts", "word_parts"]

PAD, BOS, EOS = 0, 1, 2
PARTS = ("kind", "terminal", "table", "column", "qualifier", "slot type", "piece", "piece", "piece", "piece")
"""What a word's vector is made of; the pieces of names share one table of vectors."""

_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_A-Za-z]+")  # highestPoint, HIGHEST_POINT, 最高点


def word_parts(vocabulary: Vocabulary) -> tuple[Tensor, list[int]]:
    """Number the parts of every word.

    Returns:
        ids (words, parts) with 0 for «has no such part», and how many ids each of the different parts has.
    """
    shared = {name: {"": 0} for name in PARTS}
    tables: list[dict[str, int]] = [shared[name] for name in PARTS]
    columns = {word.column.lower(): word.column for word in vocabulary.words if word.column}
    rows = [
        [numbers.setdefault(part, len(numbers)) for part, numbers in zip(_parts(word, columns), tables, strict=True)]
        for word in vocabulary.words
    ]
    return torch.tensor(rows, dtype=torch.long), [len(numbers) for numbers in shared.values()]


def _parts(word: Word, columns: Mapping[str, str]) -> tuple[str, ...]:
    """Return the parts in the order of `PARTS`; ``columns`` finds a column's name by its lower-cased one.

    Value types are mostly named after the column that they are compared with: a slot has that column as its own.
    """
    qualifier = word.text.rpartition(".")[0] if word.kind == "column" else word.text if word.kind == "alias" else ""
    match = SLOT.search(word.text) if word.slot else None
    slot_type = match[1] if match else ""
    column = word.column or columns.get(slot_type.lower(), "")
    return (word.kind, word.terminal, word.table or "", column, qualifier, slot_type, *name_pieces(word))


def name_pieces(word: Word) -> list[str]:
    """Return the lower-cased pieces of a table's, column's or slot type's name, as many as `PARTS` has places."""
    name = word.column or (word.slot or "").rstrip("0123456789") or (word.table or "" if word.kind == "table" else "")
    count = PARTS.count("piece")
    pieces = [piece.lower() for piece in _PIECE.findall(name)][:count]
    return pieces + [""] * (count - len(pieces))


def name_texts(vocabulary: Vocabulary) -> list[str]:
    """Return what an encoder of questions can read of each word: «lake area»; nothing for words without a name."""
    texts: list[str] = []
    for word in vocabulary.words:
        table = [piece.lower() for piece in _PIECE.findall(word.table or "")]
        pieces = [piece for piece in name_pieces(word) if piece]
        texts.append(" ".join(dict.fromkeys([*table, *pieces])) if pieces else "")
    return texts


def bound_words(vocabulary: Vocabulary, slots: Sequence[str]) -> list[tuple[int, str]]:
    """Return (word id, slot) of every word that writes one of ``slots``; a slot may have several words."""
    return [(word, slot) for slot in slots for word in vocabulary.slots.get(slot, ())]


class WordEmbedding(nn.Module):
    """One vector a word: its own plus its parts'.

    Args:
        sizes: how many ids each of the different `PARTS` has.
        words: size of the vocabulary.
        width: of the vectors.
        name_width: width of what a pretrained encoder says of the words' names; 0 for none.
    """

    def __init__(self, *, words: int, sizes: Sequence[int], width: int, name_width: int = 0) -> None:
        super().__init__()
        self.own = nn.Embedding(words, width)
        self.parts = nn.ModuleList(nn.Embedding(size, width) for size in sizes)

        self.name = nn.Linear(name_width, width, bias=False) if name_width else None

    def forward(self, parts: Tensor, names: Tensor | None = None) -> Tensor:
        """Return the matrix (words, width), for ``parts`` (words, parts) and ``names`` (words, name_width)."""
        matrix = self.own.weight
        for i in range(parts.shape[1]):  # the last table serves all that come after it
            matrix = matrix + self.parts[min(i, len(self.parts) - 1)](parts[:, i])
        return matrix if self.name is None or names is None else matrix + self.name(names)
