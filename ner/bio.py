"""Spans of a question as tags of its words and back: B begins a span, I goes on with it, O is outside one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .units import Unit

__all__ = ["BEGIN", "INSIDE", "OUTSIDE", "STEPS_NEVER", "TAGS", "best_tags", "spans_of_tags", "tags_of_spans"]

TAGS = ("O", "B", "I")
OUTSIDE, BEGIN, INSIDE = range(3)

STEPS_NEVER = np.zeros((3, 3), np.float32)
"""What is added to the score of each tag (column) behind each (row): a question begins as if behind an O."""
STEPS_NEVER[OUTSIDE, INSIDE] = -1e4  # a finite number: infinite ones have no gradient


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
