"""Vectors beside their texts, searched exactly: of 100,000 vectors numpy finds the nearest in some milliseconds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..data.errors import InputError, RunError
from ..data.hashed_folder import check_hashes, write_hashes
from .bi_encoder import Vectors

__all__ = ["Entry", "Found", "VectorIndex"]

_ENTRIES, _VECTORS = "entries.jsonl", "vectors.npy"


@dataclass(frozen=True)
class Entry:
    """What can be found: a text, its name, and what filters may ask for."""

    id: str
    text: str
    tags: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Found:
    """An entry and its cosine with what was searched."""

    entry: Entry
    score: float


class VectorIndex:
    """Entries with a vector each; ids are unique.

    Attributes:
        entries: in the order in which they were added.
        vectors: theirs, (entries, width), each of length 1.
    """

    def __init__(self, width: int) -> None:
        self.entries: list[Entry] = []
        self.vectors: Vectors = np.zeros((0, width), np.float32)

    def __len__(self) -> int:
        return len(self.entries)

    def add(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        """Add entries with their vectors, (entries, width), of any length but 0.

        Raises:
            InputError: the shape is another, a vector is no direction, or an id is there.
        """
        if vectors.shape != (len(entries), self.vectors.shape[1]):
            expected = (len(entries), self.vectors.shape[1])
            raise InputError(f"vectors of shape {vectors.shape}, not {expected}", field="vectors")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(lengths) & (lengths > 0)).all():
            raise InputError("a vector is zero or not finite", field="vectors")
        taken = {entry.id for entry in self.entries}
        for entry in entries:
            if entry.id in taken:
                raise InputError(f"{entry.id!r} is in the index", field="id", hint="remove it first")
            taken.add(entry.id)
        self.entries += entries
        self.vectors = np.concatenate([self.vectors, (vectors / lengths).astype(np.float32)])

    def remove(self, ids: Sequence[str]) -> int:
        """Take entries out, and return how many were there."""
        gone = frozenset(ids)
        kept = [i for i, entry in enumerate(self.entries) if entry.id not in gone]
        removed = len(self.entries) - len(kept)
        self.entries = [self.entries[i] for i in kept]
        self.vectors = self.vectors[kept]
        return removed

    def search(
        self, queries: Vectors, k: int = 5, *, where: Callable[[Entry], bool] | None = None
    ) -> list[list[Found]]:
        """Return the ``k`` nearest entries of each query, the nearest first; of equal ones the first added.

        Args:
            queries: (queries, width), of any length but 0.
            where: which entries to look at; all if None.
        """
        kept = [i for i, entry in enumerate(self.entries) if where is None or where(entry)]
        lengths = np.linalg.norm(queries, axis=1, keepdims=True)
        scores = (queries / np.where(lengths > 0, lengths, 1)) @ self.vectors[kept].T
        order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        return [
            [Found(self.entries[kept[i]], float(row[i])) for i in best] for row, best in zip(scores, order, strict=True)
        ]

    def save(self, folder: Path) -> None:
        """Write the index into a folder, with hashes that tie its files together."""
        folder.mkdir(parents=True, exist_ok=True)
        lines = [
            json.dumps({"id": e.id, "text": e.text, "tags": dict(e.tags)}, ensure_ascii=False) for e in self.entries
        ]
        (folder / _ENTRIES).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        np.save(folder / _VECTORS, self.vectors)
        write_hashes(folder)

    @classmethod
    def load(cls, folder: Path) -> VectorIndex:
        """Read what `save` wrote.

        Raises:
            RunError: a file is missing or not the one that was saved.
        """
        check_hashes(folder)
        vectors = np.load(folder / _VECTORS, allow_pickle=False)
        entries = [Entry(**json.loads(line)) for line in (folder / _ENTRIES).read_text(encoding="utf-8").splitlines()]
        if vectors.ndim != 2 or len(vectors) != len(entries):
            raise RunError("entries and vectors are not of one index", file=folder)
        index = cls(vectors.shape[1])
        index.entries, index.vectors = entries, vectors
        return index
