"""What a whole database holds: its columns, its tables' rows, and the keys between them with how many rows meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..schema.schema import Schema, Table
from .column_profile import ColumnProfile

__all__ = ["DatabaseProfile", "KeyProfile"]

_UNKNOWN = "~"
"""Sorts behind every time."""


@dataclass(frozen=True)
class KeyProfile:
    """A foreign key, declared or found.

    Attributes:
        table, columns: that refer.
        other, references: that are referred to.
        declared: whether the database declares it; else names, types and cells tell.
        many: may a row that is referred to have several rows that refer to it?
        optional: do some rows refer to nothing?
        left_over: are some rows referred to by none?
    """

    table: str
    columns: tuple[str, ...]
    other: str
    references: tuple[str, ...]
    declared: bool = True
    many: bool = True
    optional: bool = False
    left_over: bool = True


@dataclass(frozen=True)
class DatabaseProfile:
    """What a database holds.

    Attributes:
        columns: profiles by (table, column), as the schema spells them.
        rows: how many rows each table has, as far as the engine tells cheaply.
        keys: foreign keys, those that are declared first.
        primary_keys: of tables that declare none, the column that tells rows apart, as names and cells say.
    """

    columns: Mapping[tuple[str, str], ColumnProfile] = field(default_factory=dict[tuple[str, str], ColumnProfile])
    rows: Mapping[str, int] = field(default_factory=dict[str, int])
    keys: tuple[KeyProfile, ...] = ()
    primary_keys: Mapping[str, str] = field(default_factory=dict[str, str])

    def __bool__(self) -> bool:
        """Say whether anything is known."""
        return bool(self.columns)

    def column(self, table: str | None, column: str | None) -> ColumnProfile | None:
        """Return the profile of a column, None of one that nobody has looked at."""
        return None if table is None or column is None else self.columns.get((table, column))

    def keys_from(self, table: str) -> Sequence[KeyProfile]:
        """Return the foreign keys of a table; however many there are in all, in the same time."""
        return self._keys_from.get(table, ())

    @cached_property
    def _keys_from(self) -> Mapping[str, Sequence[KeyProfile]]:
        found: dict[str, list[KeyProfile]] = {}
        for key in self.keys:
            found.setdefault(key.table, []).append(key)
        return found

    def is_empty(self, table: Table) -> bool:
        """Say whether a table was looked at and has no cells; how many rows it has is an estimate on servers."""
        seen = [one for column in table.columns if (one := self.columns.get((table.name, column.name))) is not None]
        return bool(seen) and all(one.kind == "empty" for one in seen)

    def only(self, schema: Schema) -> DatabaseProfile:
        """Return what is known of the tables of a schema, and of the keys between them."""
        tables = {table.name for table in schema.tables}
        places = ((table.name, column.name) for table, column in schema.columns())
        columns = {place: self.columns[place] for place in places if place in self.columns}
        rows = {name: count for name, count in self.rows.items() if name in tables}
        keys = tuple(key for key in self.keys if {key.table, key.other} <= tables)
        return DatabaseProfile(columns, rows, keys, {t: c for t, c in self.primary_keys.items() if t in tables})

    def first_time(self, table: str) -> str | None:
        """Return the column of a table whose times begin before all others', as far as the sample tells.

        That is the time of «orders in May», which are ordered, shipped and paid at some time; None of a table whose
        columns hold no times.
        """
        times = self._times.get(table, {})
        return min(times, key=lambda column: times[column], default=None)

    @cached_property
    def _times(self) -> Mapping[str, Mapping[str, tuple[str, str]]]:
        """Return the first and the last time of each column that holds times, by table."""
        found: dict[str, dict[str, tuple[str, str]]] = {}
        for (table, column), one in self.columns.items():
            if one.time is not None:
                found.setdefault(table, {})[column] = (one.time.first or _UNKNOWN, one.time.last or _UNKNOWN)
        return found
