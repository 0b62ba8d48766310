"""All tables of one database, of which a question needs few: makes what a parser works with for any set of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from ...data.profiles.database_profile import DatabaseProfile
from ...data.schema.schema import Schema
from ...grammar import Access
from ...ner.index import FoundValue, ValueIndex
from ..normal_form.keyed_columns import KeyedColumns
from .context import DatabaseContext, OtherNames, with_found_keys
from .schema.schema_pruning import MAX_COLUMNS

__all__ = ["TableCatalogue"]


@dataclass(frozen=True)
class TableCatalogue:
    """What is known of a whole database; no grammar is made of it until somebody says of which tables.

    Attributes:
        schema: as declared, with names in words.
        index: its values, None if there is no database.
        profile: what its columns hold, None where nobody has looked.
        access: what may be read of it, all if None.
        uses: how often a query may use a table, see `vocabulary`.
        dialect, language, now, constants, fiscal_month, called: as those of `DatabaseContext`.
    """

    schema: Schema
    index: ValueIndex | None
    dialect: str
    language: str
    profile: DatabaseProfile | None = None
    access: Access | None = None
    now: datetime | None = None
    constants: tuple[FoundValue, ...] = ()
    uses: Mapping[str, int] = field(default_factory=dict[str, int])
    fiscal_month: int = 1
    called: OtherNames = field(default_factory=dict[tuple[str, str | None], tuple[str, ...]])

    @cached_property
    def keyed(self) -> Schema:
        """Return the schema with the foreign keys that its names tell beside those declared."""
        return with_found_keys(self.schema, self.profile or DatabaseProfile())

    @cached_property
    def readable(self) -> Schema:
        """Return what of the schema, with its likely keys, may be read."""
        return self.keyed if self.access is None else self.access.narrowed(self.keyed)

    @cached_property
    def keyed_columns(self) -> KeyedColumns:
        """Return the columns of all keys."""
        return KeyedColumns(self.readable)

    @property
    def is_large(self) -> bool:
        """Say whether it has several tables with more columns together than are read at once."""
        tables = self.readable.tables
        return len(tables) > 1 and sum(len(table.columns) for table in tables) > MAX_COLUMNS

    @cached_property
    def whole(self) -> DatabaseContext:
        """Return the context of all tables."""
        return self._made(self.schema, self.keyed, self.index, self.access)

    def over(self, tables: Collection[str]) -> DatabaseContext:
        """Return the context of some tables, as the schema spells them.

        Raises:
            InputError: nothing of them may be read.
        """
        schema, keyed = self.schema.only(tables), self.keyed.only(tables)
        access = None if self.access is None else self.access.only(tables, self.schema)
        readable = schema if access is None else access.narrowed(schema)
        names = (name for (table, _), several in self.called.items() if table in tables for name in several)
        return self._made(schema, keyed, self.index and self.index.over(readable, names), access)

    def _made(self, schema: Schema, keyed: Schema, index: ValueIndex | None, access: Access | None) -> DatabaseContext:
        readable = schema if access is None else access.narrowed(schema)
        tables = {table.name for table in schema.tables}
        made = DatabaseContext.of(
            schema,
            index,
            dialect=self.dialect,
            language=self.language,
            now=self.now,
            constants=tuple(kept for one in self.constants if (kept := one.within(readable) if one.columns else one)),
            uses={name: count for name, count in self.uses.items() if name in tables},
            access=access,
            profile=self.profile and self.profile.only(schema),
            keyed=keyed,
        )
        return replace(made, fiscal_month=self.fiscal_month, called=self.called, keyed_columns=self.keyed_columns)
