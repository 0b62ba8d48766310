"""Which ON the foreign keys of a schema imply for a table that joins others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ...data.schema.later_uses import used_again
from ...data.schema.schema import Schema, Table
from ...grammar import Grammar

__all__ = ["JoinKey", "Keys", "Use", "Words", "links"]

Words = tuple[tuple[str, str], ...]
"""Words with their terminals, as `Grammar.spell` takes them."""


@dataclass(frozen=True)
class Use:
    """One source of a FROM: its name as it is written, and the table it is a use of, empty for a derived table."""

    name: str
    table: str


@dataclass(frozen=True)
class JoinKey:
    """A foreign key as it links an earlier source to a new one: pairs of columns, and which side refers."""

    columns: tuple[tuple[str, str], ...]
    earlier_refers: bool


_Link = tuple[Use, JoinKey]
"""What a new source is joined with: an earlier one by a key."""

_Reference = tuple[str, str, tuple[str, ...]]
"""A use whose row refers, the table to which, and the columns that say so."""


class Keys:
    """The foreign keys of one schema, both ways."""

    def __init__(self, grammar: Grammar) -> None:
        self._write = grammar.quoting.write
        self._terminals = {
            grammar.tables.texts[terminal]: terminal
            for terminal in grammar.terminals
            if terminal in grammar.tables.texts
        }
        self._keys: dict[tuple[str, str], list[JoinKey]] = {}
        for one, other, key in links(grammar.schema):
            self._keys.setdefault((one, other), []).append(key)
        self._referred = {
            self._write(name): use.key.columns[0].lower()
            for name, use in used_again(grammar.schema).items()
            if use.key is not None
        }
        """The columns by which rows refer to later uses of their table, where that has several keys into itself."""

    def implied(self, earlier: Sequence[Use], new: Use) -> Words:
        """Return the words from ON on that a new source joins earlier ones with, none if no key links it.

        Of several keys the first counts: by the place of the earlier source, the latest first, then as the schema
        lists them. Where tables are used again, a key is followed from each row once: the second use of an airport is
        where the flight goes to if the first is where it comes from. So of several uses of an earlier table the first
        counts whose key leads nowhere yet. A later use that belongs to one of its table's keys is referred to by that.
        """
        followed: set[_Reference] = set()
        for place, use in enumerate(earlier):
            if link := self._link(earlier[:place], use, followed):
                followed.add(_reference(link, use))
        link = self._link(earlier, new, followed)
        return tuple(self._condition(link, new)) if link else ()

    def _link(self, earlier: Sequence[Use], new: Use, followed: Collection[_Reference]) -> _Link | None:
        links = [(use, key) for use in _nearest(earlier) for key in self._between(use, new)]
        free = (link for link in links if _reference(link, new) not in followed)
        return next(free, links[0] if links else None)

    def _between(self, use: Use, new: Use) -> Sequence[JoinKey]:
        keys, column = self._keys.get((use.table, new.table), ()), self._referred.get(new.name)
        if use.table != new.table or column is None:
            return keys
        return [key for key in keys if key.earlier_refers and [one.lower() for one, _ in key.columns] == [column]]

    def _condition(self, link: _Link, new: Use) -> Iterator[tuple[str, str]]:
        use, key = link
        for number, (one, other) in enumerate(key.columns):
            yield self._fixed("AND" if number else "ON")
            yield f"{use.name}.{self._write(one)}", "QCOLUMN"
            yield self._fixed("=")
            yield f"{new.name}.{self._write(other)}", "QCOLUMN"

    def _fixed(self, text: str) -> tuple[str, str]:
        return text, self._terminals[text]


def _nearest(sources: Sequence[Use]) -> list[Use]:
    """Return sources by their tables, the table used last first, and the uses of one table in order."""
    latest = {use.table: place for place, use in enumerate(sources)}
    return sorted(sources, key=lambda use: -latest[use.table])


def _reference(link: _Link, new: Use) -> _Reference:
    """Return what refers along a link."""
    use, key = link
    if key.earlier_refers:
        return use.name, new.table, tuple(one for one, _ in key.columns)
    return new.name, use.table, tuple(other for _, other in key.columns)


def links(schema: Schema) -> Iterator[tuple[str, str, JoinKey]]:
    """Yield each key with its tables, both ways round, those of what is not there left out."""
    for table in schema.tables:
        for key in table.foreign_keys:
            other = schema.by_name.get(key.table)
            if other is None:
                continue
            mine = _spelled(table, key.columns)
            theirs = _spelled(other, key.references or other.primary_key)
            if mine and len(mine) == len(theirs):
                yield table.name, other.name, JoinKey(_in_order(table, mine, theirs), earlier_refers=True)
                yield other.name, table.name, JoinKey(_in_order(other, theirs, mine), earlier_refers=False)


def _spelled(table: Table, columns: Sequence[str]) -> list[str]:
    """Return columns as the schema spells them, none if one is not there."""
    known = [table.by_name.get(name) for name in columns]
    return [column.name for column in known if column is not None] if None not in known else []


def _in_order(table: Table, mine: Sequence[str], theirs: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return pairs of columns as the normal form orders equalities: by the earlier table's column."""
    ranks = {column.name: rank for rank, column in enumerate(table.columns)}
    return tuple(sorted(zip(mine, theirs, strict=True), key=lambda pair: ranks[pair[0]]))
