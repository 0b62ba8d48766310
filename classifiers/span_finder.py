"""The span finder: it marks the spans of a question that mention a value, a table or a column.

It reads the states of the question alone and no schema, so it also finds values that no cell holds. A small network
scores the tags B, I and O of each word and kind from the states of the word and its neighbours, and the best chain of
tags is chosen (a CRF, Lafferty et al. 2001). `span_learning` trains the weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from ..data.domains.dialogues import LINK_KINDS
from ..data.errors import RunError
from ..encoders.functions import Floats, gelu
from ..encoders.weights import StoredWeights, selected
from ..ner.language.words import Unit

PART = "spans"
"""The beginning of the names of its weights in a file."""

TAGS = ("O", "B", "I")
OUTSIDE, BEGIN, INSIDE = range(3)

STEPS_NEVER = np.zeros((3, 3), np.float32)
"""The penalty of each tag (column) behind each tag (row); a question begins as if behind an O."""
STEPS_NEVER[OUTSIDE, INSIDE] = -1e4  # a finite number: infinite ones have no gradient

_NAMES = ("0.weight", "0.bias", "2.weight", "2.bias", "steps", "mean", "scale")


@dataclass(frozen=True)
class WordStates:
    """The encoder states of a question's words.

    Attributes:
        states: the states, (words, hidden).
        own: whether each word has pieces of its own; if not, it shares a piece with the word before, (words,).
    """

    states: Floats
    own: NDArray[np.bool_]


class SpanFinder:
    """Predicts the tags of words, and scores predictions.

    Args:
        weights: the weights of the layers ``0`` and ``2``, ``steps``, ``mean`` and ``scale`` of
            `span_learning.SpanTagger`.
        encoder: the name of the encoder whose states it reads, see `load_encoder`.
        layers: the number of the encoder's layers that compute the states.
    """

    def __init__(self, weights: Mapping[str, Floats], encoder: str, layers: int) -> None:
        self.weights = weights
        self.encoder = encoder
        self.layers = layers

    def predict(self, words: WordStates) -> NDArray[np.int64]:
        """Return the tag of each word for each of `LINK_KINDS`, (words, kinds)."""
        count = len(words.states)
        x = (words.states - self.weights["mean"]) * self.weights["scale"]
        beside = np.pad(x, ((1, 1), (0, 0)))
        read = np.concatenate([beside[:-2], x, beside[2:], ~words.own[:, None]], axis=1, dtype=np.float32)
        weights = self.weights
        inner = gelu(read @ weights["0.weight"].T + weights["0.bias"])
        scores = inner @ weights["2.weight"].T + weights["2.bias"]
        each = scores.reshape(count, len(LINK_KINDS), len(TAGS))
        steps = self.weights["steps"]
        return np.stack([best_tags(each[:, n], steps[n]) for n in range(len(LINK_KINDS))], axis=1)

    @staticmethod
    def score(found: Sequence[NDArray[np.int64]], gold: Sequence[NDArray[np.int64]]) -> dict[str, dict[str, float]]:
        """Return precision, recall and F1 over the spans of each labelled kind, by seqeval (strict, IOB2).

        Args:
            found, gold: the tags of each question, (words, kinds); ``gold`` is -1 for a kind without labels.
        """
        from seqeval.metrics.v1 import precision_recall_fscore_support  # only a training scores
        from seqeval.scheme import IOB2

        how: dict[str, Any] = {"average": "micro", "scheme": IOB2, "zero_division": 0}
        scores: dict[str, dict[str, float]] = {}
        for n, kind in enumerate(LINK_KINDS):
            pairs = [(g[:, n], f[:, n]) for f, g in zip(found, gold, strict=True) if len(g) and (g[:, n] >= 0).all()]
            if spans := sum(int((wanted == BEGIN).sum()) for wanted, _ in pairs):
                named = ([_named(one) for one in side] for side in zip(*pairs, strict=True))
                result: Any = precision_recall_fscore_support(*named, **how)
                shares = {name: round(float(result[i]), 4) for i, name in enumerate(("precision", "recall", "f1"))}
                scores[kind] = {**shares, "spans": spans}
        return scores

    def save(self, file: Path) -> None:
        """Write the weights into a file, in half precision."""
        own = {f"{PART}.{name}": array for name, array in self.weights.items()}
        about = {"format": "pt", "encoder": self.encoder, "layers": str(self.layers), "kinds": " ".join(LINK_KINDS)}
        save_file({n: np.ascontiguousarray(a.astype(np.float16)) for n, a in own.items()}, file, metadata=about)

    @classmethod
    def load(cls, file: Path) -> SpanFinder:
        """Read the file that `save` wrote.

        Raises:
            RunError: the file is missing or broken, or its span finder has other kinds of spans.
        """
        try:
            with safe_open(file, framework="numpy") as stored:
                about = stored.metadata() or {}
            if about.get("kinds") != " ".join(LINK_KINDS):
                raise ValueError(f"it finds {about.get('kinds')!r}, not {' '.join(LINK_KINDS)!r}")
            weights = selected(StoredWeights(file), f"{PART}.")
            if missing := sorted(set(_NAMES) - weights.keys()):
                raise ValueError(f"{PART}.{missing[0]} is missing")
            return cls(weights, about["encoder"], int(about["layers"]))
        except (SafetensorError, OSError, KeyError, ValueError) as error:
            raise RunError(f"no weights of a span finder: {error}", file=file, hint="train it again") from error


def tags_of_spans(spans: Iterable[tuple[int, int]], words: Sequence[Unit]) -> NDArray[np.int64]:
    """Return the tag of each word, (words,).

    Args:
        spans: characters, end exclusive; one takes in every word that it touches, and of those that share a word the
            first counts, the longest of those that begin together.
    """
    tags = np.full(len(words), OUTSIDE, np.int64)
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        inside = [n for n, word in enumerate(words) if word.start < end and start < word.end]
        if inside and not tags[inside].any():
            tags[inside] = INSIDE
            tags[inside[0]] = BEGIN
    return tags


def spans_of_tags(tags: NDArray[np.int64], words: Sequence[Unit]) -> list[tuple[int, int]]:
    """Return the characters of each span, in order; an I behind an O begins none.

    Args:
        tags: (words,); fewer than there are words where the last ones were not read.
    """
    found: list[tuple[int, int]] = []
    before = OUTSIDE
    for word, tag in zip(words, tags.tolist(), strict=False):
        if tag == BEGIN:
            found.append((word.start, word.end))
        elif tag == INSIDE and before != OUTSIDE:
            found[-1] = (found[-1][0], word.end)
        before = OUTSIDE if tag == INSIDE and before == OUTSIDE else tag
    return found


def best_tags(scores: NDArray[np.float32], steps: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the likeliest row of tags, (words,), of all in which no I stands behind an O (Viterbi 1967).

    Args:
        scores: of each tag of each word, (words, TAGS).
        steps: of each tag behind each, (TAGS, TAGS), see `STEPS_NEVER`.
    """
    allowed = steps + STEPS_NEVER
    best, came = STEPS_NEVER[OUTSIDE], np.zeros((len(scores), len(TAGS)), np.int64)
    for n, own in enumerate(scores):
        ways = best[:, None] + allowed if n else np.broadcast_to(best, (len(TAGS), len(TAGS)))
        came[n], best = ways.argmax(0), ways.max(0) + own
    tags, tag = np.zeros(len(scores), np.int64), int(best.argmax())
    for n in reversed(range(len(scores))):
        tags[n], tag = tag, int(came[n, tag])
    return tags


def _named(tags: NDArray[np.int64]) -> list[str]:
    """Return tags in the format of seqeval."""
    return [TAGS[tag] if tag <= 0 else f"{TAGS[tag]}-span" for tag in tags.tolist()]
