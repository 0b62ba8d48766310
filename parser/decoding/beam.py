"""Beam search for the n best queries of one question, under the local constraint.

A hypothesis scores the sum of its words' log-probabilities over all words of the network, not only those that the
constraint allows: a query that had to be forced scores low. The sum can only fall, so the search stops when no
hypothesis that goes on scores above the worst of the n queries it would give: none that the beam holds is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...encoders.functions import Floats, log_softmax
from ...grammar import EOS
from ..reader.network import Network, States
from ..reader.words import BEGIN

__all__ = ["Found", "Prefix", "beam_search"]


class Prefix(Protocol):
    """A prefix of a query under a constraint; never changes."""

    def allowed(self) -> NDArray[np.bool_]:
        """Return the words of the vocabulary that may come next, never none."""
        ...

    def advance(self, token_id: int) -> Self:
        """Return the prefix after one more word."""
        ...


P = TypeVar("P", bound=Prefix)


@dataclass(frozen=True)
class Found(Generic[P]):
    """A query that a search found.

    Attributes:
        words: of the vocabulary, without the end.
        score: sum of their log-probabilities, the end counted.
        prefix: the whole query under the constraint.
    """

    words: tuple[int, ...]
    score: float
    prefix: P


def beam_search(
    network: Network,
    states: States,
    start: P,
    places: NDArray[np.int64],
    *,
    width: int = 4,
    count: int | None = None,
    bias: Floats | None = None,
    refused: Callable[[tuple[int, ...], int], bool] = lambda words, word: False,
    settled: Callable[[P], bool] = lambda prefix: False,
) -> list[Found[P]]:
    """Return the best queries of one question, the best first.

    Args:
        network: that read the question.
        states: of the question.
        start: allows only words that have a place.
        places: of the vocabulary's words in the network's row, (vocabulary,); -1 for none.
        width: hypotheses that are followed; 1 is greedy.
        count: queries wanted, ``width`` by default.
        bias: added to the logits of the network's row of words, (row,).
        refused: of words and one more, whether no query is wanted that begins so; told only of words that are allowed,
            and asked in vain where nothing else is left.
        settled: of a prefix, whether the question itself left only the words that are allowed next; they share the
            whole probability.
    """
    count = count or width
    known = np.flatnonzero(places >= 0)
    columns = places[known]
    past, alive, done = network.start(states), [Found((), 0.0, start)], list[Found[P]]()
    read = np.array([BEGIN])
    while alive:
        logits = network.score(network.write(read, states, past), states)
        scores = log_softmax(logits if bias is None else logits + bias)[:, columns]
        allowed = np.stack([found.prefix.allowed()[known] for found in alive])
        scores = np.where(allowed, scores, -np.inf)
        for row, found in enumerate(alive):
            if settled(found.prefix):
                scores[row] = log_softmax(scores[row])
        ranked = _ranked(alive, scores, known, 2 * width, refused)
        rows: list[int] = []
        following: list[Found[P]] = []
        for row, word, score in ranked:
            before = alive[row]
            if word == EOS:
                done.append(Found(before.words, score, before.prefix.advance(word)))
            elif len(following) < width:
                following.append(Found((*before.words, word), score, before.prefix.advance(word)))
                rows.append(row)
        done = sorted(done, key=lambda found: -found.score)[:count]
        if len(done) == count:
            going = [i for i, found in enumerate(following) if found.score > done[-1].score]
            rows, following = [rows[i] for i in going], [following[i] for i in going]
        alive = following
        past = past.select(np.array(rows, np.int64))
        read = places[[found.words[-1] for found in alive]]
    return done


def _ranked(
    alive: list[Found[P]],
    scores: Floats,
    known: NDArray[np.intp],
    most: int,
    refused: Callable[[tuple[int, ...], int], bool],
) -> list[tuple[int, int, float]]:
    """Return the best continuations as (row, word, score), the best first; of equal ones the lower row and word."""
    totals = scores + np.array([[found.score] for found in alive], np.float32)
    found: list[tuple[int, int, float]] = []
    others: list[tuple[int, int, float]] = []
    for i in np.argsort(-totals, axis=None, kind="stable"):
        one = int(i // len(known)), int(known[i % len(known)]), float(totals.flat[i])
        if one[2] == -np.inf or len(found) == most:
            break
        (others if refused(alive[one[0]].words, one[1]) else found).append(one)
    return found or others[:most]
