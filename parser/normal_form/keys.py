"""Which ON the foreign keys of a schema imply for a table that joins others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...data.schema import Schema, Table
from ...grammar import Grammar

__all__ = ["Keys", "Use", "Words"]

Words = tuple[tuple[str, str], ...]
"""Words with their terminals, as `Grammar.spell` takes them."""


@dataclass(frozen=True)
class Use:
    """One source of a FROM: its name as it is written, and the table it is a use of."""

    name: str
    table: str


class Keys:
    """The foreign keys of one schema, both ways."""

    def __init__(self, grammar: Grammar) -> None:
        self._write = grammar.quoting.write
        self._terminals = {
            grammar.tables.texts[terminal]: terminal
            for terminal in grammar.terminals
            if terminal in grammar.tables.texts
        }
        self._pairs: dict[tuple[str, str], list[tuple[tuple[str, str], ...]]] = {}
        for one, other, columns in _links(grammar.schema):
            self._pairs.setdefault((one, other), []).append(columns)

    def implied(self, earlier: Sequence[Use], new: Use) -> Words:
        """Return the words from ON on that a new source joins earlier ones with, none if no key links it.

        Of several keys the first counts: by the place of the earlier source, the latest first, then as the schema
        lists them.
        """
        for use in reversed(earlier):
            links = self._pairs.get((use.table, new.table))
            if links:
                return tuple(self._condition(use, new, links[0]))
        return ()

    def _condition(self, use: Use, new: Use, columns: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        for number, (one, other) in enumerate(columns):
            yield self._fixed("AND" if number else "ON")
            yield f"{use.name}.{self._write(one)}", "QCOLUMN"
            yield self._fixed("=")
            yield f"{new.name}.{self._write(other)}", "QCOLUMN"

    def _fixed(self, text: str) -> tuple[str, str]:
        return text, self._terminals[text]


def _links(schema: Schema) -> Iterator[tuple[str, str, tuple[tuple[str, str], ...]]]:
    """Yield each key as «table, table, pairs of columns», both ways round, those of what is not there left out."""
    tables = {table.name.lower(): table for table in schema.tables}
    for table in schema.tables:
        for key in table.foreign_keys:
            other = tables.get(key.table.lower())
            if other is None:
                continue
            mine = _spelled(table, key.columns)
            theirs = _spelled(other, key.references or other.primary_key)
            if mine and len(mine) == len(theirs):
                yield table.name, other.name, _in_order(table, mine, theirs)
                yield other.name, table.name, _in_order(other, theirs, mine)


def _spelled(table: Table, columns: Sequence[str]) -> list[str]:
    """Return columns as the schema spells them, none if one is not there."""
    known = {column.name.lower(): column.name for column in table.columns}
    return [known[name.lower()] for name in columns] if all(name.lower() in known for name in columns) else []


def _in_order(table: Table, mine: Sequence[str], theirs: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return pairs of columns as the normal form orders equalities: by the earlier table's column."""
    ranks = {column.name: rank for rank, column in enumerate(table.columns)}
    return tuple(sorted(zip(mine, theirs, strict=True), key=lambda pair: ranks[pair[0]]))
