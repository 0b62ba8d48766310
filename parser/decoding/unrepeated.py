"""The step processor that leaves out what a query says already."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from string import digits

import numpy as np

from ...grammar import EOS, Vocabulary
from ...grammar.decoding.state import Mask
from ...grammar.semantics.repeats import repeats

__all__ = ["Unrepeated"]

_SLOT = re.compile(r"(?<=\{)\w+(?=\})")
_NO_VALUES: Mapping[str, str] = {}


class Unrepeated:
    """A query so far; its next word completes nothing that stands right there. Never changes.

    Args:
        texts: of the vocabulary's words.
        numbers: of the words of each text.
        words: so far.
    """

    def __init__(self, texts: Sequence[str], numbers: Mapping[str, list[int]], words: tuple[str, ...] = ()) -> None:
        self._texts, self._numbers, self._words = texts, numbers, words

    @classmethod
    def start(cls, vocabulary: Vocabulary, values: Mapping[str, str] = _NO_VALUES) -> Unrepeated:
        """Return the empty query.

        Args:
            values: what fills slots, by their names: two of the same are one word.
        """
        first: dict[tuple[str, str], str] = {}
        same = {name: first.setdefault((name.rstrip(digits), value), name) for name, value in values.items()}
        texts = [word.text for word in vocabulary.words]
        for i in (i for name, other in same.items() if name != other for i in vocabulary.slots.get(name, ())):
            texts[i] = _SLOT.sub(lambda slot: same.get(slot[0], slot[0]), texts[i])
        numbers: dict[str, list[int]] = {}
        for number, text in enumerate(texts):
            numbers.setdefault(text, []).append(number)
        return cls(texts, numbers)

    def allowed(self) -> Mask:
        """Return the words that repeat nothing."""
        mask: Mask = np.ones(len(self._texts), np.bool_)
        for text in repeats(self._words):
            mask[self._numbers.get(text, [])] = False
        return mask

    def advance(self, token_id: int) -> Unrepeated:
        """Return the state after one more word."""
        words = self._words if token_id == EOS else (*self._words, self._texts[token_id])
        return Unrepeated(self._texts, self._numbers, words)
