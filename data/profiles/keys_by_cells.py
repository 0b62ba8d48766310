"""Keys that no name tells: a column of words that are all there in the column that identifies the rows of a table.

border.neighbour -> state.name      each neighbour is a state; that holds of few columns by chance
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ..schema.schema import ForeignKey, Schema, Table
from .key_profiles import Containment

__all__ = ["with_keys_by_cells"]

_FEWEST = 5
"""Different words that have to be there in both columns."""

_Place = tuple[Table, str]


def with_keys_by_cells(schema: Schema, containment: Containment) -> Schema:
    """Return a schema with foreign keys beside those that it has, where cells alone tell them.

    Where the words of a column identify rows of two tables alike, nobody can say to which it refers.
    """
    keys = [
        (table, name)
        for table in schema.tables
        for name in sorted(_own_keys(table) - _referring(table))
        if len(containment.words(table, name)) >= _FEWEST
    ]
    return replace(schema, tables=tuple(_with_keys(table, keys, containment) for table in schema.tables))


def _with_keys(table: Table, keys: Collection[_Place], containment: Containment) -> Table:
    known = _referring(table) | _own_keys(table)
    found: list[ForeignKey] = []
    for name in (column.name for column in table.columns if column.name not in known):
        if len(containment.words(table, name)) >= _FEWEST:
            others = [place for place in keys if place[0] is not table]
            there = [place for place in others if containment.share(table, name, *place) == 1.0]
            found += [ForeignKey((name,), other.name, (key,)) for other, key in there if len(there) == 1]
    return replace(table, foreign_keys=(*table.foreign_keys, *found))


def _referring(table: Table) -> set[str]:
    return {column for key in table.foreign_keys for column in key.columns}


def _own_keys(table: Table) -> set[str]:
    return {*table.unique, *(table.primary_key if len(table.primary_key) == 1 else ())}
