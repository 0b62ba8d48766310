"""What a ready-made sentence encoder says of the names and values of a database: frozen vectors, kept by text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

import numpy as np

from ..encoders import Encoder
from ..encoders.functions import Floats

__all__ = ["TextVectors"]

_BATCH = 64
_LONGEST = 48
"""Word pieces of a text that are read."""

_MOST = 200_000
"""Texts kept, 1.5 KB each; when they are more, all go."""


class TextVectors(Mapping[str, Floats]):
    """Mean states of texts at unit length, computed when they are first prepared."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._kept: dict[str, Floats] = {}

    def __getitem__(self, text: str) -> Floats:
        return self._kept[text]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def prepare(self, texts: Iterable[str]) -> None:
        """Compute the vectors of texts that are not there yet."""
        if len(self._kept) > _MOST:
            self._kept.clear()
        missing = sorted({text for text in texts if text not in self._kept})
        cut = {text: self._encoder.cut(self._encoder.prefix + text, _LONGEST)[0] for text in missing}
        for _, several in groupby(sorted(missing, key=lambda text: len(cut[text])), key=lambda text: len(cut[text])):
            alike = list(several)
            for start in range(0, len(alike), _BATCH):
                some = alike[start : start + _BATCH]
                means = self._encoder.model.states(np.array([cut[text] for text in some])).mean(1)
                self._kept.update(zip(some, means / np.linalg.norm(means, axis=-1, keepdims=True), strict=True))
