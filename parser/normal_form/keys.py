"""Which ON the foreign keys of a schema imply, and joins that hold a column of one key against a column of another.

nomination.festival_id refers to festival.id, yet JOIN museum ON nomination.festival_id = museum.museum_id: a network
that reads the wrong tables of a large database joins them somehow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ...data.schema.later_uses import used_again
from ...data.schema.schema import Schema, Table
from ...data.sql.sources import conjuncts, is_column
from ...grammar import Grammar
from .joins import linked

__all__ = ["JoinKey", "KeyedColumns", "Keys", "Use", "Words", "links"]

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


_Place = tuple[str, str]
"""A table and a column in lower case."""


class KeyedColumns:
    """The columns of a schema's keys, by what they are keys of.

    Args:
        schema: with all keys that joins go along.
    """

    def __init__(self, schema: Schema) -> None:
        self._same: dict[_Place, _Place] = {}
        for one, other, key in links(schema):
            for pair in key.columns:
                ends = [(table.lower(), name.lower()) for table, name in zip((one, other), pair, strict=True)]
                self._same[self._root(ends[0])] = self._root(ends[1])
        self._keyed = {place: self._root(place) for place in (*self._same, *self._same.values())}

    def lead_astray(self, query: exp.Expr) -> bool:
        """Are columns of different keys joined, which are not called alike either?

        Of 17,006 gold queries of Spider, BIRD and CHASE eight do so, most of them mistaken.

        Args:
            query: in normal form.
        """
        tables = {table.alias_or_name.lower(): table.name.lower() for table in query.find_all(exp.Table)}
        return any(self._differ(one, other, tables) for one, other in _joined(query))

    def _differ(self, one: exp.Column, other: exp.Column, tables: dict[str, str]) -> bool:
        places = [(tables.get(end.table.lower(), ""), end.name.lower()) for end in (one, other)]
        keys = [self._keyed.get(place) for place in places]
        return places[0][1] != places[1][1] and None not in keys and keys[0] != keys[1]

    def _root(self, place: _Place) -> _Place:
        while (above := self._same.get(place, place)) != place:
            place = above
        return place


def _joined(query: exp.Expr) -> Iterator[tuple[exp.Column, exp.Column]]:
    """Yield pairs of columns that ON makes equal, or of which one is IN what a subquery shows of the other."""
    for join in query.find_all(exp.Join):
        yield from filter(None, map(linked, conjuncts(join.args.get("on"))))
    for within in query.find_all(exp.In):
        inner = within.args.get("query")
        shown = inner.this.expressions if inner is not None and isinstance(inner.this, exp.Select) else []
        if is_column(within.this) and len(shown) == 1 and is_column(shown[0]):
            yield within.this, shown[0]
