"""How alike what somebody wrote and a word of the vocabulary are spelled."""

from __future__ import annotations

import re
from collections.abc import Collection

from rapidfuzz.fuzz import ratio

from ..grammar import Word

__all__ = ["alike", "likeness"]

_PART = 0.9
"""Of a name's likeness if one of its parts is meant: ``price`` for ``unit_price``."""

_BEGINNING = 0.8
"""The likeness of ``pop`` and ``population``."""

_LEAST = {"function": 0.75, "constant": 0.75}


def alike(text: str, word: Word) -> bool:
    """Say whether somebody may have meant a word."""
    return likeness(text, word) >= _LEAST.get(word.kind, 0.6)


def likeness(text: str, word: Word, tables: Collection[str] = ()) -> float:
    """Return how alike a text and a word are, about 0 to 1.

    Of names with an owner it is their last parts; owners, and whether there is one, decide between equals, and so does
    whether the word is of one of some ``tables``, given in lower case.
    """
    if word.kind == "constant":
        same = float(text.strip("'") == word.text.strip("'"))
        return same or (ratio(text.lower(), word.text.lower()) / 100 if text[:1] == word.text[:1] == "'" else 0.0)
    if word.kind in {"keyword", "function"}:
        return ratio(text.upper(), word.text) / 100
    if word.kind == "operator":
        return 0.0
    owner, _, last = text.lower().rpartition(".")
    of, _, _ = word.text.lower().rpartition(".")
    written, meant = last.strip('"`[]'), (word.column or word.table or word.text).lower()
    hints = 0.04 * (owner == of) + 0.02 * ratio(owner, of) / 100 + 0.02 * (bool(owner) == bool(of))
    hints += 0.02 * any(table.lower() in tables for table in word.tables)
    return _names(written, meant) + hints + 0.01 * ratio(written, meant) / 100


def _names(written: str, meant: str) -> float:
    parts = [part for part in re.split(r"[\W_]+", meant) if part != meant]
    likest = max((ratio(written, part) for part in parts), default=0.0) * _PART
    begun = len(written) > 2 and meant.startswith(written)
    return max(ratio(written, meant) / 100, likest / 100, _BEGINNING if begun else 0.0)
