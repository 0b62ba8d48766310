"""What the tagger's network reads: words, their letters, and hints from the gazetteer, as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .gazetteer import Gazetteer
from .network import TaggerNetwork
from .units import is_number

__all__ = ["TaggerInputs"]

_UNKNOWN = 1  # 0 is padding


class TaggerInputs:
    """Numbers the units of questions.

    In training an entry of the gazetteer gives a hint only if it is stored or more than one question
    says it, so that the network learns how far to rely on the gazetteer for each type: a person's
    name is known of training questions alone, a state's name is known of all.
    """

    def __init__(
        self, words: Sequence[str], letters: Sequence[str], *, types: Sequence[str], gazetteer: Gazetteer
    ) -> None:
        self.words = list(words)
        self.letters = list(letters)
        self._word = {word: n for n, word in enumerate(words, start=2)}
        self._letter = {letter: n for n, letter in enumerate(letters, start=2)}
        self._type = {name: n for n, name in enumerate(types)}
        self._gazetteer = gazetteer

    @classmethod
    def of(cls, read: Iterable[str], *, types: Sequence[str], gazetteer: Gazetteer) -> Self:
        """Number the words and letters of training units."""
        kinds = set(read)
        words = sorted({_word(text) for text in kinds})
        letters = sorted({letter for text in kinds for letter in _shape(text)})
        return cls(words, letters, types=types, gazetteer=gazetteer)

    def encode(
        self, rows: Sequence[Sequence[str]], hidden: Sequence[Sequence[bool]] = ()
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return what the network reads of questions' units; in training ``hidden`` ones are made unknown.

        Returns:
            word ids (rows, longest), letter ids (rows, longest, letters), hints (rows, longest, 2 x types).
        """
        longest = max(map(len, rows))
        words = np.zeros((len(rows), longest), dtype=np.int64)
        letters = np.zeros((len(rows), longest, TaggerNetwork.LETTERS), dtype=np.int64)
        hints = np.zeros((len(rows), longest, 2 * len(self._type)), dtype=np.float32)
        for n, row in enumerate(rows):
            self._hint(hints[n], row, training=bool(hidden))
            for m, text in enumerate(row):
                hide = bool(hidden) and hidden[n][m] and not is_number(text)
                words[n, m] = _UNKNOWN if hide else self._word.get(_word(text), _UNKNOWN)
                for k, letter in enumerate(_shape(text)[: TaggerNetwork.LETTERS]):
                    # a hidden Latin word still shows how it is spelled, as an unknown one does
                    hide_letter = hide and not letter.isascii()
                    letters[n, m, k] = _UNKNOWN if hide_letter else self._letter.get(letter, _UNKNOWN)
        return torch.from_numpy(words), torch.from_numpy(letters), torch.from_numpy(hints)

    def _hint(self, hints: NDArray[np.float32], row: Sequence[str], *, training: bool) -> None:
        """Set in ``hints`` (units, 2 x types) where values that the gazetteer knows begin and go on."""
        for match in self._gazetteer.matches(row):
            for entry in match.entries:
                if entry.type in self._type and not (training and entry.count == 1 and not entry.stored):
                    place = 2 * self._type[entry.type]
                    hints[match.start, place] = 1.0
                    hints[match.start + 1 : match.end, place + 1] = 1.0


def _word(text: str) -> str:
    """Return what a unit's embedding goes by: its lower case, or the length of a run of digits."""
    return f"<{min(len(text), 20)}{'.' if '.' in text else ''}>" if is_number(text) else text.lower()


def _shape(text: str) -> str:
    """Return a unit's letters with every digit as 0."""
    return "".join("0" if letter.isdigit() else letter for letter in text)
