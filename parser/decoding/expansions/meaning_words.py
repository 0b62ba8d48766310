"""The words of one vocabulary that a comparison is read from, and what they mean to one question."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from ...normal_form import ShortConstraint
from .column_meanings import ColumnMeanings

__all__ = ["BEFORE_NUMBERS", "SIGNS", "MeaningWords"]

SIGNS = ("=", "<>", "!=", "<", "<=", ">", ">=", "LIKE", "IN", "BETWEEN")
BEFORE_NUMBERS = ("+", "-", "*", "/", "<", "<=", ">", ">=")


class MeaningWords:
    """The words of one vocabulary that a comparison is read from, and what they mean to one question."""

    def __init__(self, constraint: ShortConstraint, meanings: ColumnMeanings) -> None:
        self.meanings = meanings
        self._words = constraint.vocabulary.words
        fixed = [i for i, word in enumerate(self._words) if word.kind in ("keyword", "operator", "function")]
        self.text: Mapping[int, str] = {i: self._words[i].text for i in fixed}
        """The texts of keywords, operators and functions."""
        self.number = {self._words[i].text: i for i in reversed(fixed)}

    @cached_property
    def signs(self) -> Mapping[int, str]:
        """The words of comparisons."""
        return {i: text for i, text in self.text.items() if text in SIGNS}

    @cached_property
    def of_numbers(self) -> frozenset[int]:
        """What a number, or what sorts, stands beside."""
        return frozenset(i for i, text in self.text.items() if text in BEFORE_NUMBERS or text in ("IS", "BETWEEN"))

    @cached_property
    def no_text(self) -> frozenset[int]:
        """What may stand behind = and is no text of the question: numbers, columns, a bracket."""
        kinds = {"column", "constant"}
        return frozenset(
            i
            for i, word in enumerate(self._words)
            if word.kind in kinds or (word.kind == "slot" and word.terminal == "WHOLE") or word.text == "("
        )
