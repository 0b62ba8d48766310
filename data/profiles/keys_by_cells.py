"""Keys that no name tells: a column of cells that are all there in the column that identifies the rows of a table.

border.neighbour -> state.name      each neighbour is a state; that holds of few columns by chance
visit.patient -> person.ssn         nor do long numbers meet by chance, as 1, 2 and 3 do
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..schema.schema import ForeignKey, Schema, Table
from .key_profiles import Containment

__all__ = ["with_keys_by_cells"]

_FEWEST = 5
"""Different words or long numbers that have to be there in both columns."""

_LIKELIEST = 3
"""Keys that a column's cells are looked up in: those among whose rows, as far as they were read, most of them are."""

_COMMON = 100
"""Keys that hold a cell from which on it tells none of them from the others, and is not looked up."""

_Place = tuple[Table, str]


def with_keys_by_cells(schema: Schema, containment: Containment) -> Schema:
    """Return a schema with foreign keys beside those that it has, where cells alone tell them.

    Where the cells of a column identify rows of two tables alike, nobody can say to which it refers.
    """
    keys = [
        (table, name)
        for table in schema.tables
        for name in sorted(_identifying(table, containment) - _referring(table))
        if len(containment.telling(table, name)) >= _FEWEST
    ]
    holding: dict[str, list[int]] = defaultdict(list)
    for number, place in enumerate(keys):
        for cell in containment.telling(*place):
            holding[cell].append(number)
    tables = (
        replace(table, foreign_keys=(*table.foreign_keys, *_told(table, keys, holding, containment)))
        for table in schema.tables
    )
    return replace(schema, tables=tuple(tables))


def _told(
    table: Table, keys: Sequence[_Place], holding: Mapping[str, Sequence[int]], containment: Containment
) -> Iterator[ForeignKey]:
    """Yield the keys of a table that cells tell.

    Args:
        keys: columns that identify rows.
        holding: their numbers, by the cells that were seen in them.
    """
    known = _referring(table) | _own_keys(table)
    for name in (column.name for column in table.columns if column.name not in known):
        cells = containment.telling(table, name)
        if len(cells) >= _FEWEST:
            told = (holding.get(cell, ()) for cell in cells)
            seen = Counter(n for several in told if len(several) < _COMMON for n in several if keys[n][0] is not table)
            likeliest = (keys[n] for n, _ in seen.most_common(_LIKELIEST))
            there = [place for place in likeliest if containment.share(table, name, *place) == 1.0]
            if len(there) == 1:
                other, key = there[0]
                yield ForeignKey((name,), other.name, (key,))


def _referring(table: Table) -> set[str]:
    return {column for key in table.foreign_keys for column in key.columns}


def _identifying(table: Table, containment: Containment) -> set[str]:
    """Return the columns that are keys, or else the first if its cells bear it out."""
    keys, first = _own_keys(table), table.columns[0].name
    return keys or ({first} if containment.identifies(table, first) else set())


def _own_keys(table: Table) -> set[str]:
    return {*table.unique, *(table.primary_key if len(table.primary_key) == 1 else ())}
