"""What an encoder says of whole texts (names, values, questions): frozen vectors, kept by text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

import numpy as np

from .functions import Floats
from .load import Encoder
from .vector_store import VectorStore

__all__ = ["TextVectors"]

_BATCH = 64
_MOST = 20_000
"""Texts kept, 1.5 KB each; when they are more, the older half goes."""


class TextVectors(Mapping[str, Floats]):
    """Mean states of texts at unit length, computed when they are first prepared.

    Args:
        encoder: whose states.
        longest: word pieces of a text that are read.
        layers: of the encoder only the first ones; all if None.
    """

    def __init__(self, encoder: Encoder, *, longest: int = 48, layers: int | None = None) -> None:
        self._encoder = encoder
        self._longest = longest
        self._layers = layers
        self._kept: dict[str, Floats] = {}

    @property
    def encoder(self) -> str:
        """Return the name of the encoder."""
        return self._encoder.name

    def __getitem__(self, text: str) -> Floats:
        return self._kept[text]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def prepare(self, texts: Iterable[str]) -> None:
        """Compute the vectors of texts that are not there yet."""
        if len(self._kept) > _MOST:
            self._kept = dict(islice(self._kept.items(), len(self._kept) // 2, None))
        self._kept.update(self._computed(sorted({text for text in texts if text not in self._kept})))

    def _computed(self, texts: Sequence[str]) -> dict[str, Floats]:
        """Return the vectors of texts, each of which stands there once."""
        cut = {text: self._encoder.cut(self._encoder.prefix + text, self._longest)[0] for text in texts}
        ordered, found = sorted(texts, key=lambda text: len(cut[text])), dict[str, Floats]()
        for start in range(0, len(ordered), _BATCH):
            some = ordered[start : start + _BATCH]
            states = self._encoder.model.padded([cut[text] for text in some], self._layers)
            means = np.array([own.mean(0) for own in states])
            found.update(zip(some, means / np.linalg.norm(means, axis=-1, keepdims=True), strict=True))
        return found

    def lend(self, vectors: Mapping[str, Floats]) -> None:
        """Take over vectors that this encoder computed before."""
        for text in vectors.keys() - self._kept.keys():
            self._kept[text] = vectors[text]

    def prepare_kept(self, texts: Iterable[str]) -> None:
        """Prepare texts that will be needed again in other processes: their vectors are kept in the user's cache."""
        wanted = sorted({text for text in texts if text not in self._kept})
        if wanted:
            self._kept.update(self._store.vectors(wanted))

    @cached_property
    def _store(self) -> VectorStore:
        return VectorStore(self._encoder, self._layers, self._longest, self._computed)
