"""Computes the probability that words of a question mean something in the schema, as entity linking with NIL does.

To a sentence encoder «cars» and «goods» are nearly equally similar to «products». So its vectors are projected to fewer
dimensions, in which synonyms of a name are nearer to it than words about other databases. A logistic regression weighs
the nearest name and the words themselves (a verb needs no name). `bench/accuracy/absent_nouns.py` fits both.
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
"""The probability below which words, and Chinese words, count as absent from the schema. On held-out databases 3 of 196
right answers in English lose their `ok` by it, and 6 of 76 in Chinese, where 3 others gain it."""

SHARPNESS = 20.0
"""The sharpness of the soft maximum of cosines, in which two equally near names count a little more than one."""

_FILE = Path(__file__).with_name("schema_match.safetensors")


@dataclass(frozen=True)
class SchemaMatch:
    """A projection and a logistic regression, fitted to the vectors of an encoder.

    Attributes:
        center: the mean of the vectors, (hidden,).
        projection: the projection, (hidden, dimensions).
        words: the weights of the words' own vector, (hidden,).
        weights: the weight of the nearest name's cosine, ``nearest``, and the ``constant``.
    """

    center: Floats
    projection: Floats
    words: Floats
    weights: Mapping[str, float]

    def cosines(self, texts: Floats, names: Floats) -> Floats:
        """Return the cosines of texts (texts, hidden) and names (names, hidden), (texts, names)."""
        one, other = ((vectors - self.center) @ self.projection for vectors in (texts, names))
        one, other = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (one, other))
        return one @ other.T

    def probabilities(self, texts: Floats, names: Floats) -> Floats:
        """Return the probability that each text means one of the names, (texts,); see `cosines`."""
        nearest = np.log(np.exp(SHARPNESS * self.cosines(texts, names)).sum(1)) / SHARPNESS
        own = (texts - self.center) @ self.words
        return 1 / (1 + np.exp(-(self.weights["nearest"] * nearest + own + self.weights["constant"])))

    def save(self, file: Path = _FILE, *, encoder: str = "e5") -> None:
        """Write the weights into a file, in half precision."""
        arrays = {"center": self.center, "projection": self.projection, "words": self.words}
        about = {"encoder": encoder, "weights": json.dumps(dict(self.weights))}
        save_file({name: np.ascontiguousarray(a.astype(np.float16)) for name, a in arrays.items()}, file, about)

    @classmethod
    @cache
    def shipped(cls, encoder: str) -> SchemaMatch | None:
        """Return the shipped weights, None if they were fitted to another encoder."""
        with safe_open(_FILE, framework="numpy") as stored:
            about = stored.metadata()
            if about["encoder"] != encoder:
                return None
            arrays = {name: stored.get_tensor(name).astype(np.float32) for name in ("center", "projection", "words")}
            return cls(**arrays, weights=json.loads(about["weights"]))
