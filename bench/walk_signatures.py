"""How a signature is written, word by word, for walks that seek those that the run has used least."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from querent.grammar import Constraint
from querent.grammar.signatures import Argument, Signature
from querent.grammar.values import Value

__all__ = ["Recipe", "Signatures"]

UNLIKELY = 0.1
"""How likely a signature is drawn where its arguments have to be calls themselves, beside those where they do not."""

DEEP = 3
"""How many signatures may stand within each other to make an argument that no single word is."""

Mask = NDArray[np.bool_]
Recipe = list[Mask]
"""For each word in turn the words that may stand there, each of shape (vocabulary,)."""


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

    def draw(self, rng: random.Random) -> Recipe:
        """Return how a signature is written.

        The seldomer the run has used it, the likelier it is drawn, above all where single words may be its arguments.
        """
        name, line = rng.choices(self._lines, [self._weight(name, line) for name, line in self._lines])[0]
        return self._recipe(rng, name, line, DEEP)

    def _weight(self, name: str, line: Signature) -> float:
        able = all(self._fit(argument).any() for argument in line.arguments)
        return (1 if able else UNLIKELY) / (1 + self._used[f"{name}: {line.text}"]) ** 2

    def _recipe(self, rng: random.Random, name: str, line: Signature, deep: int) -> Recipe:
        given = self._arguments(rng, name, line, deep)
        if name == "neg":
            return [self._word("-"), *given[0]]
        if name in self._types.operators:
            return [*given[0], *map(self._word, name.split()), *given[1]]
        if name in self._types.casts:
            return [self._word("CAST"), self._word("("), *given[0], self._word("AS"), self._word(name), self._word(")")]
        if any(word.function == name and word.terminal == "NILADIC" for word in self._words):
            return [self._word(name)]
        commas = [self._word(",")]
        listed = [mask for argument in given for mask in (*commas, *argument)][1:]
        return [self._word(name), self._word("("), *listed, self._word(")")]

    def _arguments(self, rng: random.Random, name: str, line: Signature, deep: int) -> list[Recipe]:
        """Return how each argument is written: as what no earlier line takes in its place, since the first one counts.

        Where no single word is that, it is what another signature gives.
        """
        lines = [found for other, found in self._lines if other == name]
        found: list[Recipe] = []
        for place, argument in enumerate(line.arguments):
            if argument.optional and rng.random() < 0.5:
                break
            before = [each.arguments[place] for each in lines[: lines.index(line)] if len(each.arguments) > place]
            own = self._fit(argument)
            for earlier in before:
                own = own & ~self._fit(earlier)
            made = None if own.any() else self._made(rng, argument, before, deep)
            found.append(made or [own if own.any() else self._fit(argument)])
        return found

    def _made(self, rng: random.Random, argument: Argument, before: Sequence[Argument], deep: int) -> Recipe | None:
        """Return a signature in brackets that gives one argument and none of those before, None if there is none."""

        def gives(line: Signature) -> bool:
            value = Value(line.result, line.digits or 0, line.marks)
            return self._takes(argument, value) and not any(self._takes(earlier, value) for earlier in before)

        ways = [(name, line) for name, line in self._lines if deep and line.result != "same" and gives(line)]
        if not ways:
            return None
        return [self._word("("), *self._recipe(rng, *rng.choice(ways), deep - 1), self._word(")")]

    def _word(self, text: str) -> Mask:
        return np.array([(word.function or word.text.upper()) == text for word in self._words], np.bool_)

    def _fit(self, argument: Argument) -> Mask:
        if argument not in self._fitting:
            able = [isinstance(value, Value) and self._takes(argument, value) for value in self._values]
            self._fitting[argument] = np.array(able, np.bool_)[self._of]
        return self._fitting[argument]

    def _takes(self, argument: Argument, value: Value) -> bool:
        return self._types.fits(argument, value) and argument.keeps(value)
