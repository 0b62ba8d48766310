"""The words of a schema's names, and the forms that a word may have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...data.schema.schema import Schema
from ..language.words import fold, is_cjk, words_of

__all__ = ["SchemaWords", "forms_of"]

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def forms_of(word: str) -> tuple[str, ...]:
    """Return the singulars and plurals that an English word may have.

    >>> forms_of("cities")
    ('city', 'citie')
    """
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return ()
    if word.endswith("ies") and len(word) > 4:
        return (f"{word[:-3]}y", word[:-1])
    if word.endswith("es") and len(word) > 4:
        return (word[:-1], word[:-2])
    if word.endswith("s") and not word.endswith("ss"):
        return (word[:-1],)
    if word.endswith("y"):
        return (f"{word[:-1]}ies", f"{word}s")
    return (f"{word}s", f"{word}es")


class SchemaWords:
    """The words of tables' and columns' names, which questions mostly say for the table or column itself.

    Args:
        others: names that the schema does not have.
    """

    def __init__(self, schema: Schema, others: Iterable[str] = ()) -> None:
        named = (one for table in schema.tables for one in (table, *table.columns))
        names = dict.fromkeys([*others, *(name for one in named for name in (one.name, one.description))])
        self._joined = " ".join(dict.fromkeys(fold(name) for name in names if is_cjk(name)))
        words = {word for name in names for word in words_of(_CAMEL.sub(" ", name))}
        self._words = words | {form for word in words for form in forms_of(word)}

    def hold(self, keys: Sequence[str]) -> bool:
        """Do names of the schema hold all these words?"""
        text = "".join(keys)
        return text in self._joined if is_cjk(text) else all(key in self._words for key in keys)
