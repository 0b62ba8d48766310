"""How a signature is written, word by word, for walks that seek those that the run has used least."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from querent.grammar import Constraint
from querent.grammar.types.abstract_values import NULL, AbstractValue
from querent.grammar.types.signatures import Argument, Signature

__all__ = ["Recipe", "Signatures"]

UNLIKELY = 0.1
"""How likely a signature is drawn where its arguments have to be calls themselves, beside those where they do not."""

DEEP = 3
"""How many signatures may stand within each other to make an argument that no single word is."""

DRAWN = 5
"""How many signatures are drawn until words are found for one."""

BY_WORD = 0.7
"""How often an argument is a word, where a word can be one."""

KNOWN = 20
"""How often a signature counts as used where only others are missing from the runs before."""

TRIES = 100
"""How often arguments are drawn for a signature."""

Mask = NDArray[np.bool_]
Recipe = list[Mask]
"""For each word in turn the words that may stand there, each of shape (vocabulary,)."""


class Signatures:
    """The signatures of a dialect in the words of one vocabulary.

    Args:
        constraint: of the vocabulary.
        used: how often the run has used each, as ``NAME: line``.
        missing: among others those that the runs before it never used; empty if there were none.
    """

    def __init__(self, constraint: Constraint, used: Counter[str], missing: Collection[str] = ()) -> None:
        self._types = constraint.lexicon.types
        classes = [value for _, value in constraint.lexicon.classes]
        self._classes = {kind: value for kind, value in enumerate(classes) if isinstance(value, AbstractValue)}
        self._of = constraint.lexicon.of
        self._words = constraint.vocabulary.words
        self._texts = np.array([word.function or word.text.upper() for word in self._words])
        known = constraint.all_signatures()
        self._used, self._missing = used, known.intersection(missing)
        tables = (self._types.operators, self._types.functions, self._types.casts)
        lines = [(name, line) for table in tables for name, found in table.items() for line in found]
        self._lines = [(name, line) for name, line in lines if f"{name}: {line.text}" in known]
        self._kinds: dict[Argument, list[int]] = {}
        self._makers: dict[Argument, list[tuple[AbstractValue, str, Signature]]] = {}

    def draw(self, rng: random.Random) -> Recipe:
        """Return how a signature is written; nothing if no words were found for it.

        The seldomer the run has used it, the likelier it is drawn, above all where single words may be its arguments.
        """
        weights = [self._weight(name, line) for name, line in self._lines]
        found = (self._recipe(rng, name, line, DEEP) for name, line in rng.choices(self._lines, weights, k=DRAWN))
        return next((recipe for recipe in found if recipe), [])

    def _weight(self, name: str, line: Signature) -> float:
        able = all(self._fitting(argument) for argument in line.arguments)
        signature = f"{name}: {line.text}"
        before = KNOWN if self._missing and signature not in self._missing else 0
        return (1 if able else UNLIKELY) / (1 + before + self._used[signature]) ** 2

    def _recipe(self, rng: random.Random, name: str, line: Signature, deep: int) -> Recipe | None:
        """Return how a line is written; None if no arguments were found that no earlier line of that name takes."""
        earlier = [found for other, found in self._lines if other == name]
        earlier = earlier[: earlier.index(line)]
        for _ in range(TRIES):
            parts = [self._part(rng, argument, deep) for argument in line.arguments if not _left_out(rng, argument)]
            given = [value for value, _ in parts]
            if self._counts(line, given) and not any(self._counts(other, given) for other in earlier):
                recipes = [recipe() for _, recipe in parts]
                # nor are they tried again: that would be as often at each depth
                return self._form(name, [recipe for recipe in recipes if recipe]) if all(recipes) else None
        return None

    def _part(
        self, rng: random.Random, argument: Argument, deep: int
    ) -> tuple[AbstractValue, Callable[[], Recipe | None]]:
        """Return a value for an argument and how it is written: a word, or another signature in brackets."""
        words = self._fitting(argument)
        made = self._making(argument) if deep else []
        if words and (not made or rng.random() < BY_WORD):
            kind = rng.choice(words)
            return self._classes[kind], lambda: [self._of == kind]
        if not made:
            return NULL, lambda: None
        value, name, line = rng.choice(made)

        def bracketed() -> Recipe | None:
            inner = self._recipe(rng, name, line, deep - 1)
            return None if inner is None else [self._word("("), *inner, self._word(")")]

        return value, bracketed

    def _form(self, name: str, given: list[Recipe]) -> Recipe:
        """Return an operator, cast or call of arguments that are written as given."""
        if name == "neg":
            return [self._word("-"), *given[0]]
        if name in self._types.operators and len(given) == 2:
            return [*given[0], *map(self._word, name.split()), *given[1]]
        if name in self._types.casts:
            return [self._word("CAST"), self._word("("), *given[0], self._word("AS"), self._word(name), self._word(")")]
        if any(word.function == name and word.terminal == "NILADIC" for word in self._words):
            return [self._word(name)]
        listed = [mask for argument in given for mask in (self._word(","), *argument)][1:]
        return [self._word(name), self._word("("), *listed, self._word(")")]

    def _counts(self, line: Signature, given: Sequence[AbstractValue]) -> bool:
        return self._types.takes(line, given) and self._types.keeps(line, given)

    def _word(self, text: str) -> Mask:
        return self._texts == text

    def _fitting(self, argument: Argument) -> list[int]:
        """Return the classes of words that may be an argument."""
        if argument not in self._kinds:
            self._kinds[argument] = [kind for kind, value in self._classes.items() if self._takes(argument, value)]
        return self._kinds[argument]

    def _making(self, argument: Argument) -> list[tuple[AbstractValue, str, Signature]]:
        """Return the signatures whose results may be an argument."""
        if argument not in self._makers:
            results = [
                (AbstractValue(f.result, f.magnitude or 0, f.marks), n, f) for n, f in self._lines if f.result != "same"
            ]
            self._makers[argument] = [made for made in results if self._takes(argument, made[0])]
        return self._makers[argument]

    def _takes(self, argument: Argument, value: AbstractValue) -> bool:
        return self._types.fits(argument, value) and argument.keeps(value)


def _left_out(rng: random.Random, argument: Argument) -> bool:
    return argument.optional and rng.random() < 0.5
