"""What an encoder says of whole texts (names, values, questions): frozen vectors, kept by text."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import groupby
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from ..data.domains.shipped import cache_folder
from .functions import Floats
from .load import Encoder

__all__ = ["TextVectors"]

_BATCH = 64
_PROBE = "name"
"""A text by whose vector kept ones are known to be of the same encoder."""

_MOST = 20_000
"""Texts kept, 1.5 KB each; when they are more, all go."""


class TextVectors(Mapping[str, Floats]):
    """Mean states of texts at unit length, computed when they are first prepared.

    Args:
        encoder: whose states.
        longest: word pieces of a text that are read.
    """

    def __init__(self, encoder: Encoder, *, longest: int = 48) -> None:
        self._encoder = encoder
        self._longest = longest
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
            self._kept.clear()
        missing = sorted({text for text in texts if text not in self._kept})
        cut = {text: self._encoder.cut(self._encoder.prefix + text, self._longest)[0] for text in missing}
        for _, several in groupby(sorted(missing, key=lambda text: len(cut[text])), key=lambda text: len(cut[text])):
            alike = list(several)
            for start in range(0, len(alike), _BATCH):
                some = alike[start : start + _BATCH]
                means = self._encoder.model.states(np.array([cut[text] for text in some])).mean(1)
                self._kept.update(zip(some, means / np.linalg.norm(means, axis=-1, keepdims=True), strict=True))

    def lend(self, vectors: Mapping[str, Floats]) -> None:
        """Take over vectors that this encoder computed before."""
        for text in vectors.keys() - self._kept.keys():
            self._kept[text] = vectors[text]

    def prepare_kept(self, texts: Iterable[str]) -> None:
        """Prepare texts that will be needed again in other processes: their vectors are kept in the user's cache.

        A cache that cannot be written is done without.
        """
        wanted = sorted({*texts, _PROBE})
        digest = hashlib.sha256(json.dumps([self._encoder.name, wanted]).encode()).hexdigest()[:32]
        file = cache_folder() / "vectors" / f"{digest}.safetensors"
        if not self._kept_in(file, wanted):
            self.prepare(wanted)
            with suppress(OSError):
                file.parent.mkdir(parents=True, exist_ok=True)
                aside = file.with_suffix(f".{os.getpid()}")
                save_file({"vectors": np.stack([self._kept[text] for text in wanted])}, aside)
                aside.replace(file)

    def _kept_in(self, file: Path, texts: list[str]) -> bool:
        """Take over the vectors of texts from a file, if it is there and is of this encoder."""
        with suppress(OSError, SafetensorError, KeyError):
            vectors = load_file(file)["vectors"]
            found = dict(zip(texts, vectors, strict=False))
            self.prepare([_PROBE])
            # the last digits hang on what was encoded beside it
            if vectors.shape == (len(texts), self._encoder.hidden) and np.allclose(
                found[_PROBE], self._kept[_PROBE], atol=1e-4
            ):
                self._kept.update(found)
                return True
        return False
