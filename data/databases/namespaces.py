"""Where the tables of a live database are: its schemas, and which tables are found by their names alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..errors import SchemaError
from .postgres_catalogue import PostgresRelation

__all__ = ["Namespaces", "Places", "TablePlace"]

_SCHEMAS = """
SELECT nspname FROM pg_namespace
WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' AND has_schema_privilege(oid, 'USAGE')
ORDER BY array_position(current_schemas(false), nspname), nspname
"""
"""Those of the search path first, in its order."""


@dataclass(frozen=True)
class TablePlace:
    """Where a table is; `Table` says what its parts mean."""

    namespace: str
    own_name: str
    name: str
    qualified: bool


@dataclass(frozen=True)
class Namespaces:
    """The schemas of a live database.

    Attributes:
        schemas: to be read, by the names that SQLAlchemy takes.
        found: (schema, table) of what the search path finds; None where a database has one schema.
        readable: the same of what the user may read.
    """

    schemas: tuple[str, ...]
    found: frozenset[tuple[str, str]] | None = None
    readable: frozenset[tuple[str, str]] | None = None

    @classmethod
    def of_postgres(cls, connection: Any, relations: Sequence[PostgresRelation]) -> Namespaces:
        """Ask a server for its schemas, over a connection of SQLAlchemy's, given its tables and views."""
        schemas = tuple(str(row[0]) for row in connection.exec_driver_sql(_SCHEMAS))
        found = frozenset((r.namespace, r.name) for r in relations if r.visible)
        return cls(schemas, found, frozenset((r.namespace, r.name) for r in relations if r.readable))

    def places(self, tables: Mapping[str, Iterable[str]]) -> Places:
        """Return the places of what can be read, those first that the search path finds.

        Args:
            tables: the names in each schema.

        Raises:
            SchemaError: a table has a name with a dot in it that makes it another one's.
        """
        there = [(schema, own) for schema in self.schemas for own in tables[schema]]
        found = self.found
        if found is None or self.readable is None:
            return Places([TablePlace(schema, own, own, qualified=False) for schema, own in there])
        there = [place for place in there if place in self.readable]
        times = Counter(own for _, own in there)
        ordered = sorted(there, key=lambda place: place not in found)
        made = [_placed(*place, found=place in found, several=times[place[1]] > 1) for place in ordered]
        name, count = Counter(place.name for place in made).most_common(1)[0] if made else ("", 0)
        if count > 1:
            raise SchemaError(f"several tables are called {name!r}", hint="rename one that has a dot in its name")
        return Places(made)


def _placed(schema: str, own: str, *, found: bool, several: bool) -> TablePlace:
    return TablePlace(schema, own, own if found else f"{schema}.{own}", qualified=several or not found)


@dataclass(frozen=True)
class Places:
    """The tables of a live database, in order."""

    all: Sequence[TablePlace]

    @cached_property
    def _by_names(self) -> dict[tuple[str | None, str], str]:
        found: dict[tuple[str | None, str], str] = {(place.namespace, place.own_name): place.name for place in self.all}
        # a reference says no schema where the search path finds the table
        return found | {(None, place.own_name): place.name for place in self.all if place.name == place.own_name}

    def name(self, schema: str | None, own: str) -> str | None:
        """Return the name of the table that a foreign key refers to, None where it is not read."""
        return self._by_names.get((schema, own))
