"""What the questions of walks bring: the words that they may use, and values for the slots among them."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from querent.data.examples import SLOT, Mention, Value
from querent.grammar import Vocabulary

__all__ = ["Question", "questions"]

SHARES = (1.0, 1.0, 1.0, 0.8, 0.4)
"""Shares of the names, constants and functions that a question may use; one question of a schema has each."""

KEPT = 0.98
"""Share of the keywords and operators that a question may use where it may not use everything."""

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
        fractions: shape (vocabulary,), the number slots that no whole number fills; None for none of them.
        broken: the names of these slots.
    """

    words: Mask | None
    fractions: Mask | None
    broken: frozenset[str]

    def values(self, rng: random.Random, sql: str) -> list[Value]:
        """Draw a value for each slot of a query."""
        return [self._value(rng, kind, kind + index) for kind, index in dict.fromkeys(SLOT.findall(sql))]

    def _value(self, rng: random.Random, kind: str, slot: str) -> Value:
        if kind == "number":
            sql = rng.choice(BROKEN if slot in self.broken else WHOLE)
            return Value(slot, Mention(0, 0, sql, kind, sql, "number"))
        sql = rng.choice(VALUES[kind])
        return Value(slot, Mention(0, 0, sql, kind, sql))


def questions(rng: random.Random, vocabulary: Vocabulary) -> list[Question]:
    """Draw the questions of a schema; few, since a constraint remembers much of each."""
    return [_question(rng, vocabulary, share) for share in SHARES]


def _question(rng: random.Random, vocabulary: Vocabulary, share: float) -> Question:
    fixed = {"special", "keyword", "operator"}
    chances = [max(share, KEPT) if word.kind in fixed and share < 1 else share for word in vocabulary.words]
    words = None if share == 1 else np.array([rng.random() < chance for chance in chances])
    numbers = sorted({slot for word in vocabulary.words for slot in word.slots if slot.startswith("number")})
    broken = frozenset(slot for slot in numbers if rng.random() < 0.3)
    fractions = np.array([bool(broken.intersection(word.slots)) for word in vocabulary.words])
    return Question(words, fractions if broken else None, broken)
