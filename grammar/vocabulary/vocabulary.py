"""The words of one domain, each with its terminal, and those that an `Access` leaves."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from ...data.errors import QueryError, did_you_mean
from ...data.schema.schema import Schema
from ..reading.grammar import Grammar
from ..reading.lexer import ANY_SYSTEM_COLUMN
from ..reading.tokenizer import Token
from .word import Word, collect, split_name

__all__ = ["BOS", "EOS", "PAD", "Vocabulary"]


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


PAD, BOS, EOS = 0, 1, 2

_SPECIAL = (Word("<pad>", "", "special"), Word("<bos>", "", "special"), Word("<eos>", "$END", "special"))


class Vocabulary:
    """Words by number: 0 padding, 1 beginning, 2 end of query, then SQL; none of what the grammar lets nobody read.

    Args:
        grammar: what queries are read with.
        words: of the schema, all of them.
        beyond: words behind them that name nothing of the schema, so that no `Access` is about them.
    """

    def __init__(self, grammar: Grammar, words: Sequence[Word], beyond: Sequence[Word] = ()) -> None:
        self.grammar = grammar
        self.words = (*(words if grammar.access is None else permitted(words, grammar)), *beyond)
        self._index = {(w.text, w.terminal): i for i, w in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    @classmethod
    def build(
        cls,
        grammar: Grammar,
        slotted_queries: Iterable[str],
        *,
        slots: Iterable[str] = (),
        functions: Literal["seen", "all"] = "seen",
    ) -> Vocabulary:
        """Collect the words of a domain.

        Keywords, operators and tables all come in. Columns come in for each way of writing them that
        the queries use (bare, by table, by alias of their table), every column in each; without
        queries, bare and by table. Slots come in with every index seen for their type, in every form
        seen for their type (``'{x0}'``, ``'%{x0}%'``, ``{x0}``).

        Args:
            grammar: what the queries are read with.
            slotted_queries: queries with slots in braces.
            slots: names of slots that questions may bind beside those in the queries.
            functions: those in the queries, or all of the dialect; all if there are no queries.

        Raises:
            QueryError: a query is outside the grammar.
        """
        return cls(grammar, (*_SPECIAL, *collect(grammar, slotted_queries, slots, functions=functions)))

    def index(self, text: str, terminal: str) -> int:
        """Return the number of a word.

        Raises:
            KeyError: there is no such word.
        """
        return self._index[text, terminal]

    @functools.cached_property
    def slots(self) -> Mapping[str, tuple[int, ...]]:
        """Return the words in which each slot stands."""
        found: dict[str, list[int]] = {}
        for i, word in enumerate(self.words):
            for slot in word.slots:
                found.setdefault(slot, []).append(i)
        return {slot: tuple(ids) for slot, ids in found.items()}

    def encode(self, sql: str) -> list[int]:
        """Return the words of a query, beginning and end left out.

        Raises:
            QueryError: the query is outside the grammar, or has a word that is not here.
        """
        return [self._find(token) for token in self.grammar.tokenize(sql)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the query that words spell, slots still in braces; special words are passed over."""
        words = [self.words[i] for i in ids]
        return self.grammar.spell((word.text, word.terminal) for word in words if word.kind != "special")

    def _find(self, token: Token) -> int:
        found = self._index.get((token.text, token.terminal))
        if found is None:
            same = [w.text for w in self.words if w.terminal == token.terminal]
            hint = did_you_mean(token.text, same) or "build the vocabulary from queries that use it"
            problem = f"{token.text!r} at {token.start} is not in the vocabulary"
            raise QueryError(problem, position=token.start, hint=hint)
        return found
