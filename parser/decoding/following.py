"""Queries along given ways, one each: what a network makes of them, written side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...encoders.functions import Floats, log_softmax
from ...grammar import EOS
from ..reader.network import Network, States
from ..reader.words import BEGIN
from .beam import Found, Prefix

__all__ = ["follow"]

P = TypeVar("P", bound=Prefix)


def follow(
    network: Network,
    states: States,
    starts: Sequence[P],
    places: NDArray[np.int64],
    *,
    bias: Floats | None = None,
) -> list[Found[P] | None]:
    """Return what each start leads to where always the likeliest word is taken; None where no word is left.

    Args:
        network: that read the question.
        states: of the question.
        starts: of the queries; each may allow no word somewhere.
        places: of the vocabulary's words in the network's row, (vocabulary,); -1 for none. A word that the network
            never writes is taken where no other may stand, and makes the score minus infinity.
        bias: see `beam_search`.
    """
    known = np.flatnonzero(places >= 0)
    done: list[Found[P] | None] = [None] * len(starts)
    alive = {i: Found((), 0.0, start) for i, start in enumerate(starts)}
    past, rows, read = network.start(states), np.zeros(len(starts), np.int64), np.array([BEGIN])
    while alive:
        logits = network.score(network.write(read, states, past), states)
        scores = log_softmax(logits if bias is None else logits + bias)[:, places[known]]
        following: dict[int, Found[P]] = {}
        kept: list[int] = []
        for row, (i, found) in zip(rows.tolist(), alive.items(), strict=True):
            allowed = np.flatnonzero(found.prefix.allowed()[known])
            if not len(allowed):
                continue
            best = allowed[np.argmax(scores[row, allowed])]
            word, score = int(known[best]), found.score + float(scores[row, best])
            after = found.prefix.advance(word)
            if word == EOS:
                done[i] = Found(found.words, score, after)
            else:
                following[i] = Found((*found.words, word), score, after)
                kept.append(row)
        alive = following
        past, rows = past.select(np.array(kept, np.int64)), np.arange(len(alive))
        read = places[[found.words[-1] for found in alive.values()]]
    return done
