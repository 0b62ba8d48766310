"""The words of a query so far, the last first: where the next one stands."""

from __future__ import annotations

from typing import Self

from .meaning_words import BEFORE_NUMBERS, MeaningWords

__all__ = ["LinkedWords"]

_OPENING = ("WHERE", "AND", "OR", "NOT", "HAVING", "ON", "WHEN", "(")
_AGGREGATES = ("SUM", "AVG", "MIN", "MAX", "TOTAL")
_CLAUSES = ("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT")


class LinkedWords:
    """The words of a query so far; never changes.

    Args:
        of: the words.
        back: those before the last, None at the beginning.
        word: the last.
    """

    __slots__ = ("back", "of", "word")

    def __init__(self, of: MeaningWords, back: Self | None, word: int) -> None:
        self.of, self.back, self.word = of, back, word

    def comparison(self) -> tuple[Self, int, str, bool] | None:
        """Return the prefix before a comparison, its column and sign, and whether it is denied; None if there is none.

        The sign was written last.
        """
        sign, column, denied = self.of.signs.get(self.word), self.back, False
        if sign is None or column is None:
            return None
        if self.of.text.get(column.word) == "NOT" and column.back is not None:
            column, denied = column.back, True
        before = column.back
        if before is None or self.of.text.get(before.word) not in _OPENING:
            return None
        if sign in ("<>", "!="):
            sign, denied = "=", True
        return before, column.word, sign, denied

    def reckons(self) -> bool:
        """Does what comes next have to sort or add up: in an aggregate, in ORDER BY, beside a sign of numbers?"""
        text = self.of.text.get(self.word, "")
        if text in BEFORE_NUMBERS:
            return True
        if text in ("(", "DISTINCT"):
            return self.within(*_AGGREGATES)
        return text in ("BY", ",") and self._clause() == "ORDER"

    def within(self, *names: str) -> bool:
        """Does what comes next stand in one of these aggregates? Its bracket, or DISTINCT, was written last."""
        before = self.back
        if before is not None and self.of.text.get(self.word) == "DISTINCT":
            before = before.back
        return before is not None and self.of.text.get(before.word) in names

    def _clause(self) -> str:
        """Return the clause that stands open, "" within brackets of its own."""
        depth, state = 0, self
        while state.back is not None:
            text = self.of.text.get(state.word, "")
            depth += (text == ")") - (text == "(")
            if depth < 0:
                return ""
            if not depth and text in _CLAUSES:
                return text
            state = state.back
        return ""
