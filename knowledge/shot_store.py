"""The search for solved questions: by what they ask, not by whom they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ner.index import ValueIndex
from ..ner.masking import ValueMask
from ..retrieval.shots import MakeWay, Shot, ShotStore, ways_named

__all__ = ["retriever_ways", "shot_store"]


def shot_store(
    shots: Sequence[Shot], language: str, *, index: ValueIndex | None, ways: Mapping[str, MakeWay]
) -> ShotStore:
    """Return a search over solved questions.

    Args:
        shots: what can be found.
        language: of the questions.
        index: of the database's values, which are masked; without one, questions are compared as they are.
        ways: how to search: `retriever_ways`, or those of `ways_named`.

    Raises:
        InputError: there are no solved questions.
    """
    return ShotStore(shots, ways, mask=None if index is None else ValueMask(index, language))


def retriever_ways(retriever: str | None) -> dict[str, MakeWay]:
    """Return the way of a bi-encoder (``minilm``, ``e5``, a folder); that of the n-grams of characters if None.

    Raises:
        InputError: the bi-encoder cannot be loaded.
    """
    return ways_named(["dense"], model=retriever) if retriever else ways_named(["tfidf"])
