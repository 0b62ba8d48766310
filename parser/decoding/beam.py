"""Beam search for the best queries of one question.

A hypothesis scores the sum of its words' log-probabilities over all words of the network, not only those that step
processors allow: a query that had to be forced scores low. The sum can only fall, so a search stops when no hypothesis
that goes on scores above the worst of the queries it would give: none that the beam holds is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from ...encoders.functions import Floats
from ...grammar import EOS
from ...grammar.time_limit import check_time
from ..network.network import Network, States
from ..reader.schema.output_vocabulary import BEGIN
from .prefix import C_co, Prefix

__all__ = ["beam_search"]

_UNLEARNT = np.float32(-1e9)
"""Logarithm of the probability of a word that the network never writes, where no other may stand."""


def beam_search(
    network: Network,
    states: States,
    starts: Sequence[Prefix[C_co]],
    places: NDArray[np.int64],
    *,
    width: int = 4,
) -> list[list[Prefix[C_co]]]:
    """Return for each start the best queries that begin with it, the best first; none where all ways are dead ends.

    Args:
        network: that read the question.
        states: of the question.
        starts: allow only words that have a place. Each is a search by itself; together they are read side by side.
        places: of the vocabulary's words in the network's output vocabulary, (vocabulary,); -1 for none.
        width: hypotheses of a start that are followed, and queries wanted of each; 1 is greedy.
    """
    searches = [_Search(start, width) for start in starts]
    past, rows = network.start(), np.zeros(len(starts), np.int64)
    read = np.full(len(starts), BEGIN)
    while any(search.alive for search in searches):
        check_time()
        scores, past = network.write(read, rows, states, past)
        kept: list[int] = []
        first = 0
        for search in searches:
            last = first + len(search.alive)
            kept += [first + row for row in search.step(scores[first:last], places)]
            first = last
        rows = np.array(kept, np.int64)
        read = places[[prefix.words[-1] for search in searches for prefix in search.alive]]
    return [search.done for search in searches]


class _Search(Generic[C_co]):
    """The search from one start.

    Attributes:
        alive: hypotheses that go on.
        done: whole queries, the best first.
    """

    def __init__(self, start: Prefix[C_co], width: int) -> None:
        self.alive, self.done = [start], list[Prefix[C_co]]()
        self._width = width

    def step(self, scores: Floats, places: NDArray[np.int64]) -> list[int]:
        """Write one more word of each hypothesis, and return which of them each that goes on continues.

        Args:
            scores: log-probabilities, (hypotheses, output vocabulary).
            places: as `beam_search` has them.
        """
        rows: list[int] = []
        following: list[Prefix[C_co]] = []
        for row, word, score in _ranked(self.alive, scores, places, 2 * self._width):
            if word == EOS:
                self.done.append(self.alive[row].advance(word, score))
            elif len(following) < self._width:
                following.append(self.alive[row].advance(word, score))
                rows.append(row)
        self.done = sorted(self.done, key=lambda prefix: -prefix.score)[: self._width]
        if len(self.done) == self._width:
            going = [i for i, prefix in enumerate(following) if prefix.score > self.done[-1].score]
            rows, following = [rows[i] for i in going], [following[i] for i in going]
        self.alive = following
        return rows


def _ranked(
    alive: Sequence[Prefix[C_co]], scores: Floats, places: NDArray[np.int64], most: int
) -> list[tuple[int, int, float]]:
    """Return the best continuations as (row, word, score), the best first; of equal ones the lower row and word."""
    if not alive:
        return []
    rows, words = np.nonzero(np.stack([prefix.allowed() for prefix in alive]) & (places >= 0))
    so_far = np.array([prefix.score for prefix in alive], np.float32)
    totals = np.maximum(scores[rows, places[words]], _UNLEARNT) + so_far[rows]
    best = np.argsort(-totals, kind="stable")[:most]
    return list(zip(rows[best].tolist(), words[best].tolist(), totals[best].tolist(), strict=True))
