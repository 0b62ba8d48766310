"""The search for solved questions as a model is shown them: by what they ask, not by whom they name."""

from __future__ import annotations

from collections.abc import Sequence

from ..ner.index import ValueIndex
from ..retrieval.selection import Masked
from ..retrieval.shots import MakeWay, Shot, ShotStore, ways_named
from .masking import ValueMask

__all__ = ["shot_store"]


def shot_store(
    shots: Sequence[Shot], language: str, *, index: ValueIndex | None, retriever: str | None = None
) -> ShotStore:
    """Return a search over solved questions.

    Args:
        shots: what can be found.
        language: of the questions.
        index: of the database's values, which are masked; without one, questions are compared as they are.
        retriever: ``minilm``, ``e5`` or the folder of a trained bi-encoder; the n-grams of characters if None.

    Raises:
        InputError: there are no solved questions, or the bi-encoder cannot be loaded.
    """
    ways = ways_named(["dense"], model=retriever) if retriever else ways_named(["tfidf"])
    if index is None:
        return ShotStore(shots, ways)
    mask = ValueMask(index, language)
    return ShotStore(shots, {name: _masked(make, mask) for name, make in ways.items()})


def _masked(make: MakeWay, mask: ValueMask) -> MakeWay:
    """Return a way to search by questions without their values."""
    return lambda texts: Masked(make, texts, mask)
