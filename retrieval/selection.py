"""Ways to say how like solved questions are to a new one, and how several of them are made one.

Of the ways that BibSQL (2025) compares: by the question, by the question with its values masked, and by a bi-encoder
that was trained for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..encoders import Encoder
from .bi_encoder import embed

__all__ = ["Dense", "Masked", "Scores", "Way", "fused", "nearest"]

Scores = NDArray[np.float32]
"""(queries, texts): the larger, the better the text fits the query."""

_RANKS = 60
"""Softens the first ranks (Cormack et al. 2009, «Reciprocal Rank Fusion», section 3)."""


class Way(Protocol):
    """How texts are held against queries."""

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return (queries, texts)."""
        ...


class Dense:
    """Cosines of a bi-encoder's vectors.

    Args:
        encoder: the bi-encoder.
        texts: what can be found.
        keep: whether their vectors are kept in the user's cache for the next time.
    """

    def __init__(self, encoder: Encoder, texts: Sequence[str], *, keep: bool = False) -> None:
        self._encoder = encoder
        self._vectors = embed(encoder, texts, keep=keep)
        self._known = dict(zip(texts, self._vectors, strict=True))

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return the cosine of each text with each query, (queries, texts)."""
        new = [query for query in queries if query not in self._known]  # `SolvedQuestions` asks for known ones, too
        found = dict(zip(new, embed(self._encoder, new), strict=True))
        vectors = [found[query] if query in found else self._known[query] for query in queries]
        return np.reshape(vectors, (len(queries), self._encoder.hidden)).astype(np.float32) @ self._vectors.T


class Masked:
    """Another way, on texts whose values are masked.

    Args:
        way: makes it of the masked texts.
        texts: what can be found.
        mask: puts a mask in place of each value of a text.
    """

    def __init__(self, way: Callable[[Sequence[str]], Way], texts: Sequence[str], mask: Callable[[str], str]) -> None:
        self._mask = mask
        self._way = way([mask(text) for text in texts])

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return (queries, texts)."""
        return self._way.scores([self._mask(query) for query in queries])


def fused(scores: Sequence[Scores]) -> Scores:
    """Return one score of several: the sum of 1 / (60 + rank), (queries, texts).

    What a way does not find at all (a score of 0 or less) has no rank in it.
    """
    total = np.zeros_like(scores[0])
    for one in scores:
        order = np.argsort(-one, axis=1, kind="stable")
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(one.shape[1])[None, :].repeat(len(one), 0), axis=1)
        total += np.where(one > 0, 1 / (_RANKS + 1 + ranks), 0).astype(np.float32)
    return total


def nearest(scores: Scores, k: int) -> NDArray[np.int64]:
    """Return the numbers of the ``k`` best texts of each query, (queries, k), the best first."""
    return np.argsort(-scores, axis=1, kind="stable")[:, :k]
