"""A query so far, under the local constraint and other step processors, each of which narrows its next word.

After the step processors of fairseq2 and the logits processors of transformers; here each is a state that a hypothesis
carries along, so that hypotheses share what they have in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from ...grammar import EOS
from ...grammar.decoding.state import Mask

__all__ = ["C_co", "Prefix", "StepProcessor", "Unconstrained"]


class StepProcessor(Protocol):
    """What one constraint makes of a query so far; never changes."""

    def allowed(self) -> Mask:
        """Return the words of the vocabulary that may come next, (vocabulary,)."""
        ...

    def advance(self, token_id: int) -> Self:
        """Return the state after one more word."""
        ...


C_co = TypeVar("C_co", bound=StepProcessor, covariant=True)


@dataclass(frozen=True)
class Prefix(Generic[C_co]):
    """A query so far; never changes.

    Attributes:
        constraint: the local one.
        steps: what narrows its next word further.
        preferred: what does so only where something is left.
        words: of the vocabulary, without the end.
        score: sum of their log-probabilities, the end counted.
    """

    constraint: C_co
    steps: tuple[StepProcessor, ...] = ()
    preferred: tuple[StepProcessor, ...] = ()
    words: tuple[int, ...] = ()
    score: float = 0.0

    def allowed(self) -> Mask:
        """Return the words that may come next, none at a dead end."""
        mask = self.constraint.allowed()
        for step in self.steps:
            mask = mask & step.allowed()
        for step in self.preferred:
            narrowed = mask & step.allowed()
            mask = narrowed if narrowed.any() else mask
        return mask

    def advance(self, token_id: int, score: float = 0.0) -> Prefix[C_co]:
        """Return the prefix after one more word.

        Args:
            score: of the query with it.
        """
        constraint = self.constraint.advance(token_id)
        steps, preferred = (tuple(step.advance(token_id) for step in some) for some in (self.steps, self.preferred))
        words = self.words if token_id == EOS else (*self.words, token_id)
        return Prefix(constraint, steps, preferred, words, score)


@dataclass(frozen=True)
class Unconstrained:
    """No local constraint, to measure what it gives: any word may follow any other, until the budget is used.

    Attributes:
        available: words that may come, (vocabulary,).
        left: words that may still come.
    """

    available: Mask
    left: int

    def allowed(self) -> Mask:
        """Return the words that may come next."""
        return self.available if self.left > 0 else np.arange(len(self.available)) == EOS

    def advance(self, token_id: int) -> Unconstrained:
        """Return the state after one more word."""
        return Unconstrained(self.available, self.left - (token_id != EOS))
