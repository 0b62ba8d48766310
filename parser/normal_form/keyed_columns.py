"""Joins that lead astray: a column of one key held against a column of another.

nomination.festival_id refers to festival.id, yet JOIN museum ON nomination.festival_id = museum.museum_id: a network
that reads the wrong tables of a large database joins them somehow.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from ...data.schema.schema import Schema
from .keys import links
from .sources import conjuncts, is_column

__all__ = ["KeyedColumns"]

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
        for one in conjuncts(join.args.get("on")):
            if isinstance(one, exp.EQ) and is_column(one.this) and is_column(one.expression):
                yield one.this, one.expression
    for within in query.find_all(exp.In):
        inner = within.args.get("query")
        shown = inner.this.expressions if inner is not None and isinstance(inner.this, exp.Select) else []
        if is_column(within.this) and len(shown) == 1 and is_column(shown[0]):
            yield within.this, shown[0]
