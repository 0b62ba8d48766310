"""Keys between tables, declared or inferred from names or cells (inclusion dependencies), and their cardinality.

border.neighbour -> state.name      each neighbour is a state, which is rarely so by chance
visit.patient -> person.ssn         long numbers rarely match by chance, unlike 1, 2 and 3
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from ..data.databases.database import Database
from ..data.databases.row_counts import text_literal
from ..data.databases.rows import comparable
from ..data.errors import DatabaseError, TimeLimitError
from ..data.schema.schema import ForeignKey, Schema, Table
from .profile import KeyProfile
from .samples import TableSample

_LOOKED_UP = 200  # the number of cells that are looked up in a table which was sampled in part
_LARGEST = 500_000
"""The number of rows beyond which a column without an index is not searched: hundreds of columns may need it."""

_TELLING = 20  # the number of rows from which distinct cells are evidence of a key
_LONG = 10_000  # the least number that may identify something: smaller ones count, measure, or are years


class Containment:
    """Tests inclusion dependencies: whether the cells of one column occur in another."""

    def __init__(self, database: Database, samples: Mapping[str, TableSample]) -> None:
        self._database, self._samples = database, samples
        self._cells, self._once = cache(self._distinct), cache(self._has_each_once)
        self._slow: set[tuple[str, str]] = set()
        """The columns in which a look-up took too long, and which are not searched again."""

    def share(self, table: Table, column: str, other: Table, reference: str) -> float | None:
        """Return the inclusion ratio: the share of a column's distinct cells that occur in another; None if unknown."""
        cells, target = self._cells(table.name, column), self._samples.get(other.name)
        if not cells or target is None or reference not in target.cells or target.rows == 0:
            return None
        unseen = cells - self._cells(other.name, reference)
        if target.whole or not unseen:
            return 1 - len(unseen) / len(cells)
        sample = sorted(unseen, key=str)[:_LOOKED_UP]
        there = self._looked_up(target, reference, sample)
        return None if there is None else 1 - len({*sample} - there.keys()) / len(sample) * len(unseen) / len(cells)

    def identifies(self, table: Table, column: str) -> bool | None:
        """Is each cell of a column unique? It is None if unknown: all cells are the same, or there is only one."""
        return self._once(table.name, column)

    def telling(self, table: Table, column: str) -> set[Any]:
        """Return the distinct cells of a column that rarely match by chance: words and long numbers."""
        return {cell for cell in self._cells(table.name, column) if _tells(cell)}

    def _has_each_once(self, table: str, column: str) -> bool | None:
        sample = self._samples.get(table)
        cells = sample.cells.get(column) if sample else None
        if sample is None or cells is None or len(cells.counts) <= 1:
            return None
        once = not cells.nulls and max(cells.counts.values()) == 1
        if sample.whole or not once:
            return once
        there = self._looked_up(sample, column, sorted(self._cells(table, column), key=str)[:_LOOKED_UP])
        return None if there is None else max(there.values(), default=1) == 1

    def _distinct(self, table: str, column: str) -> frozenset[Any]:
        sample = self._samples.get(table)
        cells = sample.cells.get(column) if sample else None
        return frozenset(map(_same, cells.counts)) if cells else frozenset()

    def _looked_up(self, sample: TableSample, column: str, cells: list[Any]) -> Mapping[Any, int] | None:
        """Return the frequency of each of some cells in a column, None where they cannot be looked up.

        A large table is not searched by a column without an index, which would take too long.
        """
        table, place = sample.table, (sample.table.name, column)
        plain = [cell for cell in cells if isinstance(cell, int | float | str)]
        if not plain:
            return {}
        indexed = column in table.unique or table.primary_key == (column,)  # as declared
        if place in self._slow or (not indexed and (sample.count or 0) > _LARGEST):
            return None
        source, dialect = self._database.source(table), self._database.dialect
        listed = ", ".join(text_literal(cell, dialect) if isinstance(cell, str) else str(cell) for cell in plain)
        cell = f"{source}.{self._database.quote(column)}"
        counted = f"SELECT {cell}, COUNT(*) FROM {source} WHERE {cell} IN ({listed}) GROUP BY {cell}"
        try:
            return {_same(row[0]): row[1] for row in self._database.fetch(counted).rows}
        except DatabaseError as error:  # the cells have another type, or the query takes too long
            if isinstance(error, TimeLimitError):
                self._slow.add(place)
            return None


def _tells(cell: Any) -> bool:
    if isinstance(cell, str):
        return any(map(str.isalpha, cell))
    return isinstance(cell, int) and cell >= _LONG


def key_profiles(schema: Schema, keyed: Schema, samples: Mapping[str, TableSample]) -> tuple[KeyProfile, ...]:
    """Return the keys of a schema, those declared first.

    Args:
        schema: the declared schema.
        keyed: the same tables, with declared and likely keys.
        samples: the samples of tables by name; empty if there are none.
    """
    profiles: list[KeyProfile] = []
    for declared in (True, False):
        for before, table in zip(schema.tables, keyed.tables, strict=True):
            keys = before.foreign_keys if declared else [k for k in table.foreign_keys if k not in before.foreign_keys]
            profiles += [made for key in keys if (made := _profile(keyed, table, key, samples, declared=declared))]
    return tuple(profiles)


def _profile(
    schema: Schema, table: Table, key: ForeignKey, samples: Mapping[str, TableSample], *, declared: bool
) -> KeyProfile | None:
    target = schema.by_name.get(key.table)
    references = key.references or (target.primary_key if target else ())
    if target is None or len(references) != len(key.columns):
        return None  # the key refers to a table that may not be read
    columns: tuple[str, ...] = tuple(column.name for name in key.columns if (column := table.by_name.get(name)))
    named: tuple[str, ...] = tuple(column.name for name in references if (column := target.by_name.get(name)))
    if len(columns) != len(key.columns) or len(named) != len(columns):
        return None
    return KeyProfile(table.name, columns, target.name, named, declared, not _one_each(table, columns, samples))


def _one_each(table: Table, columns: tuple[str, ...], samples: Mapping[str, TableSample]) -> bool:
    """Is each row referred to by at most one row?"""
    if set(table.primary_key) == set(columns) or set(columns) <= set(table.unique):
        return True
    sample = samples.get(table.name)
    if sample is None or not sample.whole:
        return False
    seen = [cells for column in columns if (cells := sample.cells.get(column))]
    return len(seen) == len(columns) == 1 and seen[0].rows >= _TELLING and max(seen[0].counts.values()) == 1


def _same(cell: Any) -> Any:
    """Return a cell in a form that compares across columns: the text 7 equals the number 7."""
    plain = comparable(cell)
    return int(plain) if isinstance(plain, str) and plain.isdecimal() and str(int(plain)) == plain else plain


_FEWEST = 5  # the least number of distinct words or long numbers that both columns must share
_LIKELIEST = 3  # the number of keys in which a column's cells are looked up: those whose sampled rows hold most of them
_COMMON = 100  # the number of keys with the same cell from which the cell does not distinguish them, and is ignored

_Place = tuple[Table, str]


def with_keys_by_cells(schema: Schema, containment: Containment) -> Schema:
    """Return a schema with additional foreign keys that are inferred from cells alone.

    No key is inferred where the cells of a column identify rows of two tables equally well.
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
        replace(table, foreign_keys=(*table.foreign_keys, *_inferred_keys(table, keys, holding, containment)))
        for table in schema.tables
    )
    return replace(schema, tables=tuple(tables))


def _inferred_keys(
    table: Table, keys: Sequence[_Place], holding: Mapping[str, Sequence[int]], containment: Containment
) -> Iterator[ForeignKey]:
    """Yield the keys of a table that are inferred from cells.

    Args:
        keys: columns that identify rows.
        holding: the numbers of the keys that hold each sampled cell.
    """
    taken = _referring(table) | _own_keys(table)
    for name in (column.name for column in table.columns if column.name not in taken):
        cells = containment.telling(table, name)
        if len(cells) >= _FEWEST:
            holders = (holding.get(cell, ()) for cell in cells)
            seen = Counter(n for ids in holders if len(ids) < _COMMON for n in ids if keys[n][0] is not table)
            likeliest = (keys[n] for n, _ in seen.most_common(_LIKELIEST))
            there = [place for place in likeliest if containment.share(table, name, *place) == 1.0]
            if len(there) == 1:
                target, key = there[0]
                yield ForeignKey((name,), target.name, (key,))


def _referring(table: Table) -> set[str]:
    return {column for key in table.foreign_keys for column in key.columns}


def _identifying(table: Table, containment: Containment) -> set[str]:
    """Return the columns that are keys, or else the first column if its cells confirm it."""
    keys, first = _own_keys(table), table.columns[0].name
    return keys or ({first} if containment.identifies(table, first) else set())


def _own_keys(table: Table) -> set[str]:
    return {*table.unique, *(table.primary_key if len(table.primary_key) == 1 else ())}
