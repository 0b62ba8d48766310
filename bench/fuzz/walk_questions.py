"""What the questions of walks bring: the words that they may use, and values for the slots among them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from querent.data.examples import Mention, Value
from querent.grammar import Vocabulary

__all__ = ["Question", "questions"]

SHARES = (1.0, 1.0, 1.0, 0.8, 0.4)
FEW = (0.04, 0.08, 0.15, 0.25, 0.4)
"""Shares of the names, constants and functions that a question may use; one question of a schema has each."""

WHOLE = ("0", "1", "2", "7", "10", "2013", "1000000", "12345678901")
BROKEN = ("1.5", "0.25", "-3", "-0.5", "3.14159")
VALUES = {
    "tag": ("TI-101", "it's", "50%", "a_b", "日本", 'say "x"', "a\\b", "\\", "x", "2024-02-29", "7", "[", "(", ""),
    "time": ("2013-08-12", "2024-02-29", "2013-08-12 08:30:00", "1999-12-31 23:59:59", "08:30", "2013-08", "08-12"),
}
"""What questions say: the forms that `querent.data.literals.find` gives times, and names of any kind."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Question:
    """One question's part in a constraint.

    Attributes:
        words: shape (vocabulary,), what it may use; None for everything.
        values: what each slot is filled with.
    """

    words: Mask | None
    values: Mapping[str, Value]

    @property
    def told(self) -> dict[str, str]:
        """Return what the constraint is told of the values."""
        return {slot: value.mention.sql for slot, value in self.values.items()}


def questions(rng: random.Random, vocabulary: Vocabulary, *, few: bool = False) -> list[Question]:
    """Draw the questions of a schema, not many, since a constraint remembers much of each; of ``few`` words or more."""
    return [_question(rng, vocabulary, share) for share in (FEW if few else SHARES)]


def _question(rng: random.Random, vocabulary: Vocabulary, share: float) -> Question:
    words = None if share == 1 else np.array([rng.random() < share for _ in vocabulary.words])
    slots = sorted({slot for word in vocabulary.words for slot in word.slots})
    return Question(words, {slot: _value(rng, slot) for slot in slots})


def _value(rng: random.Random, slot: str) -> Value:
    kind = slot.rstrip("0123456789")
    if kind == "number":
        sql = rng.choice(BROKEN if rng.random() < 0.3 else WHOLE)
        return Value(slot, Mention(0, 0, sql, kind, sql, "number"))
    sql = rng.choice(VALUES[kind])
    return Value(slot, Mention(0, 0, sql, kind, sql))
