"""Where the tables of a live database are: its schemas, and which tables are found by their names alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .left_out import LeftOut
from .postgres_catalogue import PostgresRelation

__all__ = ["TablePlace", "postgres_places", "postgres_schemas"]

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


def postgres_schemas(connection: Any) -> list[str]:
    """Ask a server for its schemas, over a connection of SQLAlchemy's."""
    return [str(row[0]) for row in connection.exec_driver_sql(_SCHEMAS)]


def postgres_places(
    names: Mapping[str, Iterable[str]], known: Sequence[PostgresRelation], left_out: LeftOut
) -> list[TablePlace]:
    """Return the places of what the user may read, those first that the search path finds.

    A table whose name has a dot in it that makes it another one's is left out.

    Args:
        names: of tables and views, by schema.
        known: what the catalogue says of them.
    """
    found = {(r.namespace, r.name) for r in known if r.visible}
    readable = {(r.namespace, r.name) for r in known if r.readable}
    there = [(schema, own) for schema, owns in names.items() for own in owns if (schema, own) in readable]
    times = Counter(own for _, own in there)
    made = [
        TablePlace(schema, own, own, times[own] > 1) if (schema, own) in found
        else TablePlace(schema, own, f"{schema}.{own}", qualified=True)
        for schema, own in sorted(there, key=lambda place: place not in found)
    ]  # fmt: skip
    places = {place.name: place for place in reversed(made)}
    left_out.told += [f"{place.name}: another table is called so" for place in made if places[place.name] != place]
    return [place for place in made if places[place.name] == place]
