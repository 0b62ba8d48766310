"""Solved questions that a model is shown, and the search for those most like a new one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..data.errors import InputError, did_you_mean
from .bi_encoder import load_bi_encoder
from .lexical import Bm25, CharTfidf
from .selection import Dense, Masked, Way, fused, nearest

__all__ = ["WAYS", "MakeWay", "ScoredShot", "Shot", "ShotStore", "ways_named"]

MakeWay = Callable[[Sequence[str]], Way]
"""Makes a way of the texts that can be found."""

WAYS = ("tfidf", "bm25", "dense")
"""Names of `ways_named`."""


@dataclass(frozen=True)
class Shot:
    """A solved question; ``program`` says in plain steps how its query comes about, empty if nobody says."""

    question: str
    sql: str
    program: str = ""


@dataclass(frozen=True)
class ScoredShot:
    """A solved question that was found.

    Attributes:
        score: by which it is ranked.
        by: the score of each way, by its name.
    """

    shot: Shot
    score: float
    by: Mapping[str, float] = field(default_factory=dict[str, float])


class ShotStore:
    """Solved questions, searched in one or several ways; the ranks of several are fused.

    Args:
        shots: what can be found.
        ways: how, by name; each is made of the questions of ``shots``.
        mask: puts a mask in place of each value of a question; questions are searched as they stand if None.

    Raises:
        InputError: there is nothing to find, no way to find it, or a way's library is not installed.
    """

    def __init__(
        self, shots: Sequence[Shot], ways: Mapping[str, MakeWay], *, mask: Callable[[str], str] | None = None
    ) -> None:
        if not shots:
            raise InputError("there are no solved questions to choose from", field="examples")
        if not ways:
            raise InputError("no way to search", field="by", hint=f"use {', '.join(WAYS)}")
        self.shots = tuple(shots)
        questions = [shot.question for shot in shots]
        self._mask = mask
        self._ways = {name: Masked(make, questions, mask) if mask else make(questions) for name, make in ways.items()}

    def __len__(self) -> int:
        return len(self.shots)

    def searched_as(self, question: str) -> str:
        """Return what is held against the solved questions: the question, with its values masked if they are."""
        return self._mask(question) if self._mask else question

    def similar(self, question: str, k: int) -> list[Shot]:
        """Return the ``k`` solved questions that are most alike, the most alike first."""
        return [found.shot for found in self.search(question, k)]

    def search(self, question: str, k: int) -> list[ScoredShot]:
        """Return what `similar` returns, with scores."""
        scores = {name: way.scores([question]) for name, way in self._ways.items()}
        each = list(scores.values())
        total = fused(each) if len(each) > 1 else each[0]
        return [
            ScoredShot(self.shots[i], float(total[0, i]), {name: float(one[0, i]) for name, one in scores.items()})
            for i in nearest(total, k)[0].tolist()
        ]


def ways_named(names: Sequence[str], *, model: str | Path = "e5") -> dict[str, MakeWay]:
    """Return the ways of some names.

    Args:
        names: of `WAYS`: ``tfidf`` (n-grams of characters), ``bm25`` (words), ``dense`` (a bi-encoder).
        model: of ``dense``: ``e5``, or the folder of one that was trained.

    Raises:
        InputError: there is no such way, or the bi-encoder cannot be loaded.
    """
    return {name: _way(name, model) for name in names}


def _way(name: str, model: str | Path) -> MakeWay:
    if name == "tfidf":
        return CharTfidf
    if name == "bm25":
        return Bm25
    if name == "dense":
        loaded = load_bi_encoder(model)
        return lambda texts: Dense(loaded, texts, keep=True)
    hint = did_you_mean(name, WAYS) or f"use {', '.join(WAYS)}"
    raise InputError(f"no way {name!r} to search", field="by", hint=hint)
