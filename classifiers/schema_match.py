"""How likely words of a question mean something that the schema has: entity linking that knows when there is no entity.

A sentence encoder finds «cars» hardly less like «products» than «goods». So its vectors are projected to fewer
dimensions, in which synonyms of a name are nearer to it than words of other databases; the nearest name and the words
themselves (a verb needs no name) are weighed by a logistic regression. `bench/accuracy/absent_nouns.py` fits both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

from ..encoders.functions import Floats

ABSENT, ABSENT_CJK = 0.4, 0.3
"""The probability below which words, and Chinese ones, are taken to mean nothing. On databases held out 3 of 196 right
answers in English lose their `ok` by it, and 6 of 76 in Chinese, where 3 others gain it."""

SHARPNESS = 20.0
"""Of the soft maximum of cosines: two names that are equally near count a little more than one."""

_FILE = Path(__file__).with_name("schema_match.safetensors")


@dataclass(frozen=True)
class SchemaMatch:
    """What was fitted to the vectors of an encoder.

    Attributes:
        center: mean of the vectors, (hidden,).
        projection: (hidden, dimensions).
        words: weights of the words' own vector, (hidden,).
        weights: of the nearest name's cosine, ``nearest``, and a ``constant``.
    """

    center: Floats
    projection: Floats
    words: Floats
    weights: Mapping[str, float]

    def cosines(self, said: Floats, names: Floats) -> Floats:
        """Return how near texts are to names, (texts, names), from (texts, hidden) and (names, hidden)."""
        one, other = ((vectors - self.center) @ self.projection for vectors in (said, names))
        one, other = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (one, other))
        return one @ other.T

    def probabilities(self, said: Floats, names: Floats) -> Floats:
        """Return how likely each text means something that the names stand for, (texts,); arguments as of `cosines`."""
        nearest = np.log(np.exp(SHARPNESS * self.cosines(said, names)).sum(1)) / SHARPNESS
        own = (said - self.center) @ self.words
        return 1 / (1 + np.exp(-(self.weights["nearest"] * nearest + own + self.weights["constant"])))

    def save(self, file: Path = _FILE, *, encoder: str = "e5") -> None:
        """Write it, the arrays in half precision."""
        arrays = {"center": self.center, "projection": self.projection, "words": self.words}
        told = {"encoder": encoder, "weights": json.dumps(dict(self.weights))}
        save_file({name: np.ascontiguousarray(a.astype(np.float16)) for name, a in arrays.items()}, file, told)

    @classmethod
    @cache
    def shipped(cls, encoder: str) -> SchemaMatch | None:
        """Return the one that ships, None for another encoder than it was fitted to."""
        with safe_open(_FILE, framework="numpy") as stored:
            about = stored.metadata()
            if about["encoder"] != encoder:
                return None
            arrays = {name: stored.get_tensor(name).astype(np.float32) for name in ("center", "projection", "words")}
            return cls(**arrays, weights=json.loads(about["weights"]))
