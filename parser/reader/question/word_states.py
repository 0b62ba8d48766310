"""What an encoder's lower layers say of the words of questions: what heads read that see no schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from ....classifiers.span_finder import WordStates
from ....encoders import Encoder
from ....encoders.functions import Floats
from .question import QuestionWords

__all__ = ["pooled", "word_states", "words_of_many"]

_TOGETHER = 64
"""Questions of one length that are read at once."""


def pooled(pieces: Floats, question: QuestionWords) -> Floats:
    """Return the mean state of each word's pieces, (words, hidden), from (pieces, hidden).

    A word within another's piece, as 夏 in 春夏, has the state of that one.
    """
    of = np.arange(len(question.stems))[:, None] == np.array(question.words_of_pieces)
    means = of.astype(np.float32) @ pieces / np.maximum(of.sum(1, keepdims=True), 1).astype(np.float32)
    return means[_owners(of.any(1))]


def word_states(question: QuestionWords, encoder: Encoder, layers: int | None = None) -> WordStates:
    """Let the first ``layers`` of an encoder, all if None, read a question."""
    return _of_words(encoder.model.states_of(question.pieces, layers), question)


def words_of_many(
    questions: Sequence[QuestionWords], encoder: Encoder, layers: int | None = None
) -> Iterator[tuple[int, WordStates]]:
    """Yield the place of each question and what `word_states` says of it, those of one length together."""
    lengths = [len(one.pieces) for one in questions]
    for _, same in groupby(np.argsort(lengths, kind="stable").tolist(), key=lengths.__getitem__):
        alike = list(same)
        for start in range(0, len(alike), _TOGETHER):
            some = alike[start : start + _TOGETHER]
            states = encoder.model.states(np.array([questions[i].pieces for i in some]), layers)
            yield from ((i, _of_words(own, questions[i])) for i, own in zip(some, states, strict=True))


def _of_words(pieces: Floats, question: QuestionWords) -> WordStates:
    own: NDArray[np.bool_] = np.isin(np.arange(len(question.stems)), question.words_of_pieces)
    return WordStates(pooled(pieces, question), own)


def _owners(own: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each word itself, or the last word before it that has pieces of its own."""
    return np.maximum.accumulate(np.where(own, np.arange(len(own)), 0))
