"""Prefixes without a local constraint, to measure what it gives: any word may follow any other."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...grammar import EOS

__all__ = ["FreePrefix"]


@dataclass(frozen=True)
class FreePrefix:
    """A prefix that may end anywhere, and must at its budget.

    Attributes:
        available: words that may come, (vocabulary,).
        left: words that may still come.
    """

    available: NDArray[np.bool_]
    left: int

    def allowed(self) -> NDArray[np.bool_]:
        """Return the words that may come next."""
        return self.available if self.left > 0 else np.arange(len(self.available)) == EOS

    def advance(self, token_id: int) -> FreePrefix:
        """Return the prefix after one more word."""
        return replace(self, left=self.left - (token_id != EOS))
