"""The words of a vocabulary under an `Access`: those of what may not be read are gone, others mean less."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..grammar import Grammar
from ..reading.identifiers import SYSTEM_COLUMNS
from .build import last_part
from .word import Word

__all__ = ["permitted"]


def permitted(words: Iterable[Word], grammar: Grammar) -> Iterator[Word]:
    """Yield the words that queries on what may be read are made of, each for the tables alone that it may be read of.

    A name that means nothing but what may not be read is gone as an alias, too. So are bare names that an engine may
    take for a column that tables have beside their own: ``SELECT name AS rowid FROM t GROUP BY rowid``.
    """
    permits = _Permits(grammar)
    for word in words:
        if word.kind not in {"table", "column", "alias"}:
            yield word
        elif (left := permits.left(word)) is not None:
            yield left


class _Permits:
    def __init__(self, grammar: Grammar) -> None:
        assert grammar.access is not None
        partial = grammar.access.partial(grammar.schema)
        self._readable = {t.name.lower(): {c.name.lower() for c in t.columns} for t in grammar.readable.tables}
        self._whole = self._readable.keys() - partial.keys()
        known = {name.lower() for t in grammar.schema.tables for name in (t.name, *(c.name for c in t.columns))}
        self._hidden = known - self._readable.keys() - set[str]().union(*self._readable.values())

    def left(self, word: Word) -> Word | None:
        """Return what is left of a name, None if nothing is."""
        owner, own = "", word.text
        if word.terminal in {"QCOLUMN", "QSTAR"}:
            own = last_part(word.text)
            owner = word.text[: -len(own) - 1]
        names = {_plain(owner), _plain(own)}
        system = not owner and word.kind != "table" and _plain(own) in SYSTEM_COLUMNS
        if system or not names.isdisjoint(self._hidden):
            return None
        tables = tuple(table for table in word.tables if self._may(word, table.lower()))
        if tables == word.tables:
            return word
        return replace(word, tables=tables, table=tables[0] if len(tables) == 1 else None) if tables else None

    def _may(self, word: Word, table: str) -> bool:
        if word.terminal == "QSTAR":
            return table in self._whole
        if word.kind == "column":
            return (word.column or "").lower() in self._readable.get(table, ())
        return table in self._readable


def _plain(name: str) -> str:
    """Return a name in lower case and without quotes."""
    mark = name[:1]
    plain = name[1:-1].replace(mark * 2, mark) if mark in {'"', "`"} else name
    return plain.lower()
