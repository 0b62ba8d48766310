"""What a model is told of the values that a question names: where they stand, and how the database writes them."""

from __future__ import annotations

from collections.abc import Iterable

from ..ner.index import FoundValue, ValueIndex
from ..ner.masking import apart

__all__ = ["NamedValues", "values_text"]

_LEAST = 0.35
"""Score from which a value is told: below it are short cells within words."""

_PLACES = 3
"""Columns of one value that are told, at most."""


class NamedValues:
    """Finds the values that questions name, as text for a prompt (value linking: Lin et al. 2020, BRIDGE).

    Args:
        index: of the database's values.
        language: of the questions.
    """

    def __init__(self, index: ValueIndex, language: str) -> None:
        self._index, self._language = index, language

    def __call__(self, question: str) -> str:
        """Return the values of a question, empty if it names none; see `values_text`."""
        return values_text(self._index.find(question, language=self._language))


def values_text(found: Iterable[FoundValue]) -> str:
    """Return cells that a question names: ``Canada = 'CA' in author.country; Dune in book.title``.

    Args:
        found: the surest first; of those that overlap the first is told.
    """
    held = [value for value in found if value.columns and value.score >= _LEAST]
    return "; ".join(_told(value) for value in apart(held))


def _told(value: FoundValue) -> str:
    places = ", ".join(f"{table}.{column}" for table, column in value.columns[:_PLACES])
    written = value.value.replace("'", "''")
    said = value.text if value.text == value.value else f"{value.text} = '{written}'"
    return f"{said} in {places}"
