"""What a ready-made sentence encoder says of the names and values of a database: frozen vectors, kept by text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ..encoders import Encoder

__all__ = ["TextVectors"]

_BATCH = 64
_LONGEST = 48
"""Word pieces of a text that are read."""

_MOST = 200_000
"""Texts kept, 1.5 KB each; when they are more, all go."""


class TextVectors(Mapping[str, NDArray[np.float32]]):
    """Mean states of texts at unit length, computed when they are first prepared."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._kept: dict[str, NDArray[np.float32]] = {}

    def __getitem__(self, text: str) -> NDArray[np.float32]:
        return self._kept[text]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    @torch.inference_mode()
    def prepare(self, texts: Iterable[str]) -> None:
        """Compute the vectors of texts that are not there yet."""
        if len(self._kept) > _MOST:
            self._kept.clear()
        missing = sorted({text for text in texts if text not in self._kept}, key=lambda text: (len(text), text))
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            read: Any = self._encoder.tokenizer(
                [self._encoder.prefix + text for text in batch],
                padding=True,
                truncation=True,
                max_length=_LONGEST,
                return_tensors="pt",
            )
            mask = read["attention_mask"]
            states = self._encoder.model(input_ids=read["input_ids"], attention_mask=mask).last_hidden_state
            means = torch.nn.functional.normalize((states * mask[..., None]).sum(1), dim=-1)
            self._kept.update(zip(batch, means.numpy(), strict=True))
