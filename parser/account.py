"""What the global constraint says about one question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..data.examples import Value, fits
from ..grammar import Vocabulary

__all__ = ["Account", "Mode", "inside", "share_left", "without_unbound"]

Mode = Literal["hard", "soft", "off"]


@dataclass(frozen=True)
class Account:
    """What the global constraint says about one question.

    Attributes:
        available: (V,) words the question may use.
        bias: (V,) added to the logits; zero but in soft mode.
        tables: probability of each table.
        functions: probability of each function.
        values: what the question names.
        mode: hard, soft or off.
        chosen: names of the tables and functions at or over their thresholds.
    """

    available: NDArray[np.bool_]
    bias: NDArray[np.float32]
    tables: Mapping[str, float]
    functions: Mapping[str, float]
    values: tuple[Value, ...]
    mode: Mode = "hard"
    chosen: frozenset[str] = field(default_factory=frozenset[str])

    def to_json(self) -> dict[str, Any]:
        """Return what a person wants to know: choices with probabilities, values, share of words left."""
        return {
            "mode": self.mode,
            "tables": {name: round(p, 4) for name, p in _descending(self.tables)},
            "functions": {name: round(p, 4) for name, p in _descending(self.functions)},
            "chosen": sorted(self.chosen),
            "values": {v.slot: {"text": v.mention.text, "sql": v.mention.sql} for v in self.values},
            "words_left": int(self.available.sum()),
            "words": len(self.available),
        }


def inside(account: Account, gold_ids: Sequence[int]) -> bool:
    """Tell whether every word of a gold query is available."""
    return bool(account.available[list(gold_ids)].all())


def share_left(account: Account) -> float:
    """Return the share of the vocabulary's words that are available."""
    return float(account.available.mean())


def _descending(chances: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(chances.items(), key=lambda item: -item[1])


def without_unbound(vocabulary: Vocabulary, values: Sequence[Value]) -> NDArray[np.bool_]:
    """Return all words (V,) but those with a slot that ``values`` cannot fill."""
    return np.array([not word.slots or fits(word.text, values) for word in vocabulary.words], dtype=np.bool_)
