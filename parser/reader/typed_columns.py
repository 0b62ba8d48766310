"""The words of columns with a semantic type: a time, a flag, a number in texts."""

from __future__ import annotations

from dataclasses import dataclass

from ...grammar import Vocabulary
from ...meaning.profile import ColumnProfile, DatabaseProfile

__all__ = ["TypedColumn", "no_amounts", "typed_columns"]


@dataclass(frozen=True)
class TypedColumn:
    """A column with a semantic type.

    Attributes:
        word: the word of the column's first use, which expressions contain.
        table, column: the names of its table and of the column.
        text: the SQL of the first use.
    """

    word: int
    table: str
    column: str
    text: str
    profile: ColumnProfile


def typed_columns(vocabulary: Vocabulary, profiles: DatabaseProfile) -> dict[int, TypedColumn]:
    """Return the words of columns with a semantic type, including those of a table's further uses."""
    first: dict[tuple[str | None, str | None], TypedColumn] = {}
    columns: dict[int, TypedColumn] = {}
    for i, word in enumerate(vocabulary.words):
        profile = profiles.column(word.table, word.column) if word.kind == "column" else None
        if profile is not None and (profile.time or profile.flag or profile.number or profile.kind == "amount"):
            place = (word.table, word.column)
            first.setdefault(place, TypedColumn(i, str(word.table), str(word.column), word.text, profile))
            columns[i] = first[place]
    return columns


def no_amounts(vocabulary: Vocabulary, profiles: DatabaseProfile) -> frozenset[int]:
    """Return the words of columns without a mean: keys, times other than years, texts without numbers."""
    words: set[int] = set()
    for i, word in enumerate(vocabulary.words):
        profile = profiles.column(word.table, word.column) if word.kind == "column" else None
        if profile is None or profile.number is not None:
            continue
        time = profile.time is not None and profile.time.form != "year"
        if time or profile.kind == "key" or (profile.kind in ("name", "text", "code") and not profile.flag):
            words.add(i)
    return frozenset(words)
