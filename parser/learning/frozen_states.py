"""What the frozen parts of an encoder say of questions and texts: computed once, then looked up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...encoders.bert import Bert
from ...encoders.learning import EncoderLayers

__all__ = ["FrozenStates", "first_rows"]

_TOGETHER = 256
"""Questions of one length that the lower layers read at once."""


@dataclass(frozen=True)
class FrozenStates:
    """Two tables in half precision, whose first rows are zeros: what there is none of.

    Attributes:
        pieces: states of the lower layers of the pieces of all questions, (1 + pieces, hidden).
        texts: vectors of the texts of items and values, (1 + texts, hidden).
    """

    pieces: Tensor
    texts: Tensor

    @classmethod
    @torch.no_grad()
    def of(
        cls,
        questions: Sequence[tuple[int, ...]],
        vectors: NDArray[Any],
        bert: Bert,
        frozen: int,
        device: str,
        *,
        progress: Callable[[int], None] = lambda _: None,
    ) -> FrozenStates:
        """Let the lower layers read the questions.

        Args:
            questions: the pieces of each.
            vectors: of the texts, in the order of their rows.
            bert, frozen: the encoder, and how many of its layers are frozen.
            device: where to compute, and where the tables shall be.
            progress: told how many more questions were read.
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
                progress(len(some))
        table = np.concatenate([np.zeros((1, bert.hidden), np.float16), vectors.astype(np.float16)])
        return cls(pieces, torch.from_numpy(table).to(device))


def first_rows(questions: Sequence[tuple[int, ...]]) -> Mapping[tuple[int, ...], int]:
    """Return the row of the first piece of each question."""
    starts = np.cumsum([1, *map(len, questions)])
    return dict(zip(questions, starts.tolist(), strict=False))
