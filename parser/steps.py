"""What a search step allowed and refused: the parser's account of itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..grammar import State, Word

__all__ = ["Refused", "Step", "record"]


@dataclass(frozen=True)
class Refused:
    """A likely word that may not come, and why; ``text`` is filled in by `Step.named`."""

    word: int
    probability: float
    reason: str
    text: str = ""


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        word: the id chosen.
        probability: what the model gave it.
        allowed: how many words were allowed.
        forbidden: how many were not.
        mass: probability that the model gave to forbidden words.
        refused: the likeliest forbidden words.
        text: the word chosen, filled in by `Step.named`.
    """

    word: int
    probability: float
    allowed: int
    forbidden: int
    mass: float
    refused: tuple[Refused, ...] = ()
    text: str = ""

    def named(self, words: Sequence[Word]) -> Step:
        """Return the step with the texts of its words."""
        refused = tuple(replace(r, text=words[r.word].text) for r in self.refused)
        return replace(self, text=words[self.word].text, refused=refused)


def record(
    word: int,
    *,
    probabilities: np.ndarray[Any, np.dtype[np.floating[Any]]],
    allowed: np.ndarray[Any, np.dtype[np.bool_]],
    state: State | None,
    top: int = 3,
    least: float = 0.01,
) -> Step:
    """Record one step of one hypothesis.

    Args:
        probabilities: (words,) of the model, before any constraint.
        allowed: (words,) of both constraints together.
        state: the local constraint's, which explains itself; None where it is off.
        top: at most so many refused words are named,
        least: each with at least this probability.
    """
    lost = np.where(allowed, 0.0, probabilities)
    order = np.argsort(-lost, kind="stable")[:top]
    refused = tuple(
        Refused(int(i), float(lost[i]), state.explain(int(i)) if state else "outside the words of this question")
        for i in order
        if lost[i] >= least
    )
    count = int(allowed.sum())
    return Step(word, float(probabilities[word]), count, len(allowed) - count, float(lost.sum()), refused)
