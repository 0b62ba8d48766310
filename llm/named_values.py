"""What a model is told of the values that a question names: where they stand, and how the database writes them."""

from __future__ import annotations

from collections.abc import Callable

from ..ner.index import FoundValue, ValueIndex
from ..ner.masking import apart

__all__ = ["named_values"]

_LEAST = 0.35
"""Score from which a value is told: below it are short cells within words."""

_PLACES = 3
"""Columns of one value that are told, at most."""


def named_values(index: ValueIndex, language: str) -> Callable[[str], str]:
    """Return what finds the values that questions of a language name (value linking: Lin et al. 2020, BRIDGE).

    It returns a text for a prompt, empty if a question names none: ``Canada = 'CA' in author.country; Dune in
    book.title``. Of values that overlap the surest is told.
    """

    def named(question: str) -> str:
        found = index.find(question, language=language)
        return "; ".join(map(_told, apart([value for value in found if value.columns and value.score >= _LEAST])))

    return named


def _told(value: FoundValue) -> str:
    places = ", ".join(f"{table}.{column}" for table, column in value.columns[:_PLACES])
    written = value.value.replace("'", "''")
    said = value.text if value.text == value.value else f"{value.text} = '{written}'"
    return f"{said} in {places}"
