"""The words of a vocabulary under an `Access`: those of what may not be read are gone, others mean less."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ...data.schema.schema import Schema
from ..grammar import Grammar
from ..reading.quoting import ANY_SYSTEM_COLUMN
from .build import split_name
from .word import Word

__all__ = ["permitted"]


def permitted(words: Iterable[Word], grammar: Grammar) -> Iterator[Word]:
    """Yield the words that queries on what may be read are made of, each for the tables alone that it may be read of.

    A name that means nothing but what may not be read is gone as an alias, too. So are bare names that an engine may
    take for a column that tables have beside their own: ``SELECT name AS rowid FROM t GROUP BY rowid``.
    """
    permits = _Permits(grammar)
    for word in words:
        if word.kind not in {"table", "column", "alias", "label"}:
            yield word
        elif (left := permits.left(word)) is not None:
            yield left


class _Permits:
    def __init__(self, grammar: Grammar) -> None:
        assert grammar.access is not None
        partial = grammar.access.partial(grammar.schema)
        self._named, self._key = grammar.types.names.named, grammar.quoting.key
        key = self._key
        self._readable = {t.name: {key(c.name) for c in t.columns} for t in grammar.readable.tables}
        self._whole = self._readable.keys() - partial.keys()
        self._hidden = _names(grammar.schema, key) - _names(grammar.readable, key)

    def left(self, word: Word) -> Word | None:
        """Return what is left of a name, None if nothing is."""
        owner, own = split_name(word.text) if word.terminal in {"QCOLUMN", "QSTAR"} else ("", word.text)
        names = {self._named(owner), self._named(own)}
        system = not owner and word.kind != "table" and self._named(own) in ANY_SYSTEM_COLUMN
        if system or not names.isdisjoint(self._hidden):
            return None
        tables = tuple(table for table in word.tables if self._may(word, table))
        if tables == word.tables:
            return word
        return replace(word, tables=tables, table=tables[0] if len(tables) == 1 else None) if tables else None

    def _may(self, word: Word, table: str) -> bool:
        if word.terminal == "QSTAR":
            return table in self._whole
        if word.kind == "column":
            return self._key(word.column or "") in self._readable.get(table, ())
        return table in self._readable


def _names(schema: Schema, key: Callable[[str], str]) -> set[str]:
    """Return the keys of all names of a schema."""
    return {key(name) for t in schema.tables for name in (t.name, *(c.name for c in t.columns))}
