"""The keywords and operators that tell where in a query a prefix stands, as words of one vocabulary."""

from __future__ import annotations

from functools import cached_property

from ....grammar import EOS, Vocabulary

__all__ = ["SqlMarks"]

_CLAUSES = ("SELECT", "FROM", "WHERE", "HAVING", "BY", "ON", "(")
_LISTS = ("SELECT", "DISTINCT", ",")
_BEHIND = ("HAVING", "ORDER", "LIMIT", "UNION", "INTERSECT", "EXCEPT")


class SqlMarks:
    """Numbers of words.

    Args:
        vocabulary: that they are of.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._words = vocabulary.words
        self._fixed = {word.text: i for i, word in enumerate(self._words) if word.kind in {"keyword", "operator"}}

    def __getitem__(self, text: str) -> int:
        return self._fixed[text]

    def several(self, *texts: str) -> tuple[int, ...]:
        """Return the words of several texts, as ``GROUP BY``."""
        return tuple(self._fixed[text] for text in texts)

    def operators(self, text: str) -> frozenset[int]:
        """Return all words of an operator's text."""
        return frozenset(i for i, word in enumerate(self._words) if word.text == text and word.kind == "operator")

    @cached_property
    def means(self) -> frozenset[int]:
        """The functions that add rows up."""
        words = enumerate(self._words)
        return frozenset(i for i, word in words if word.kind == "function" and word.text in ("SUM", "AVG"))

    @cached_property
    def lists(self) -> frozenset[int]:
        """What an output of a SELECT may follow."""
        return frozenset(self._fixed[text] for text in _LISTS if text in self._fixed)

    @cached_property
    def clauses(self) -> dict[int, str]:
        """What begins a clause, with its text."""
        return {self._fixed[text]: text for text in _CLAUSES if text in self._fixed}

    @cached_property
    def behind_groups(self) -> frozenset[int]:
        """What may follow GROUP BY, the end among it."""
        return frozenset({self._fixed[text] for text in _BEHIND if text in self._fixed} | {EOS})
