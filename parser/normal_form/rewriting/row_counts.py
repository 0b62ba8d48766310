"""How many rows of one table meet a row of another, by keys: what is found from data, else what is declared."""

from __future__ import annotations

from collections.abc import Collection

from ....data.profiles.database_profile import DatabaseProfile, KeyProfile
from ....data.schema.schema import Schema, Table
from ..keys import JoinKey, links

__all__ = ["RowCounts"]


class RowCounts:
    """The keys of a schema, with what a profile has found of them.

    Args:
        schema: its foreign keys may be guesses; primary keys and unique columns are declared.
        profile: None if nobody has looked at the data. Then a column that refers may be NULL unless it is of the
            primary key, and some rows are referred to by none.
    """

    def __init__(self, schema: Schema, profile: DatabaseProfile | None = None) -> None:
        self._profile = profile
        self._tables = {table.name: table for table in schema.tables}
        found = profile.keys if profile is not None else ()
        self._found = {(key.table, key.columns, key.other, key.references): key for key in found}
        self._links: dict[tuple[str, str], list[JoinKey]] = {}
        self._referred = {(key.other, tuple(sorted(key.references))) for key in found}
        for table, other, link in links(schema):
            if link.earlier_refers:
                self._links.setdefault((table, other), []).append(link)
                self._referred.add((other, tuple(sorted(theirs for _, theirs in link.columns))))

    def one(self, table: str, columns: Collection[str]) -> bool:
        """Have no two rows of a table the same cells in these columns?"""
        told = self._tables[table]
        if told.primary_key and _names(told, told.primary_key) <= set(columns):
            return True
        if any(name in columns for name in told.unique):
            return True
        some = tuple(sorted(columns))
        for key in self._found.values():
            if key.table == table and not key.many and set(key.columns) <= set(columns):
                return True
        profiles = [self._profile.column(table, name) for name in some] if self._profile else []
        looked = [profile.unique for profile in profiles if profile is not None]
        return (table, some) in self._referred and (len(some) > 1 or not looked or looked[0])

    def refers(self, table: str, columns: tuple[str, ...], other: str, references: tuple[str, ...]) -> bool:
        """Are these the columns of a foreign key?"""
        pairs = set(zip(columns, references, strict=True))
        declared = any(set(link.columns) == pairs for link in self._links.get((table, other), ()))
        return declared or self._key(table, columns, other, references) is not None

    def left_over(self, table: str, columns: tuple[str, ...], other: str, references: tuple[str, ...]) -> bool:
        """May a row of ``other`` have none of ``table`` that refers to it?"""
        key = self._key(table, columns, other, references)
        return key is None or key.left_over

    def nullable(self, table: str, column: str) -> bool:
        """May a column hold NULL?"""
        told = self._tables[table]
        if column in _names(told, told.primary_key):
            return False
        profile = self._profile.column(table, column) if self._profile is not None else None
        return profile is None or profile.nulls > 0

    def missing(self, table: str, column: str) -> bool:
        """Has a column cells, as far as anybody has seen, that are NULL or say nothing?"""
        profile = self._profile.column(table, column) if self._profile is not None else None
        return profile is not None and (profile.nulls > 0 or bool(profile.number and profile.number.nothing))

    def row_key(self, table: str) -> str | None:
        """Return a column that tells the rows of a table apart and is never NULL, None if there is none.

        Of columns that are declared to be nothing only keys count: others may be unique by chance.
        """
        told = self._tables[table]
        if len(told.primary_key) == 1:
            return told.column(told.primary_key[0]).name
        for column in told.columns:
            profile = self._profile.column(table, column.name) if self._profile is not None else None
            key = column.name in told.unique or (profile is not None and profile.kind == "key" and profile.unique)
            if key and not self.nullable(table, column.name):
                return column.name
        return None

    def names_row(self, table: str, column: str) -> bool:
        """Does a column tell the rows of a table apart, as a key or a name does?"""
        profile = self._profile.column(table, column) if self._profile is not None else None
        named = profile is not None and profile.kind == "name"
        return self.one(table, (column,)) or named

    def _key(self, table: str, columns: tuple[str, ...], other: str, references: tuple[str, ...]) -> KeyProfile | None:
        pairs = set(zip(columns, references, strict=True))
        for key in self._found.values():
            if (key.table, key.other) == (table, other) and set(zip(key.columns, key.references, strict=True)) == pairs:
                return key
        return None


def _names(table: Table, columns: Collection[str]) -> set[str]:
    """Return columns as the schema spells them."""
    found = (table.by_name.get(name) for name in columns)
    return {column.name for column in found if column is not None}
