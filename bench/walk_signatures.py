"""With which words a signature is written, for walks that seek those that the run has used least."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from querent.grammar import Constraint
from querent.grammar.signatures import Argument, Signature
from querent.grammar.values import Value

__all__ = ["Signatures"]

OPENERS = {"neg": "-", "SIMILAR TO": "SIMILAR"}
"""The word that an operator begins with, where that is not its name."""

UNLIKELY = 0.1
"""How likely a signature is drawn where its arguments have to be calls themselves, beside those where they do not."""

Mask = NDArray[np.bool_]


class Signatures:
    """The signatures of a dialect in the words of one vocabulary.

    Args:
        constraint: of the vocabulary.
        used: how often the run has used each, as ``NAME: line``.
    """

    def __init__(self, constraint: Constraint, used: Counter[str]) -> None:
        self._types = constraint.lexicon.types
        self._values = [value for _, value in constraint.lexicon.classes]
        self._of = constraint.lexicon.of
        self._words = constraint.vocabulary.words
        self._used = used
        known = constraint.all_signatures()
        tables = (self._types.operators, self._types.functions, self._types.casts)
        lines = [(name, line) for table in tables for name, found in table.items() for line in found]
        self._lines = [(name, line) for name, line in lines if f"{name}: {line.text}" in known]
        self._fitting: dict[Argument, Mask] = {}

    def draw(self, rng: random.Random) -> tuple[Mask, Mask]:
        """Return the words that write a signature and those that may be its arguments, each of shape (vocabulary,).

        The seldomer the run has used it, the likelier it is drawn, above all where single words may be its arguments.
        """
        name, line = rng.choices(self._lines, [self._weight(name, line) for name, line in self._lines])[0]
        fitting = np.zeros(len(self._words), np.bool_)
        for argument in line.arguments:
            fitting |= self._fit(argument)
        return self._writing(name), fitting

    def _weight(self, name: str, line: Signature) -> float:
        able = all(self._fit(argument).any() for argument in line.arguments)
        return (1 if able else UNLIKELY) / (1 + self._used[f"{name}: {line.text}"]) ** 2

    def _writing(self, name: str) -> Mask:
        texts = {OPENERS.get(name, name), *(("CAST",) if name in self._types.casts else ())}
        return np.array([(word.function or word.text.upper()) in texts for word in self._words], np.bool_)

    def _fit(self, argument: Argument) -> Mask:
        if argument not in self._fitting:
            able = [isinstance(v, Value) and self._types.fits(argument, v) and argument.keeps(v) for v in self._values]
            self._fitting[argument] = np.array(able, np.bool_)[self._of]
        return self._fitting[argument]
