"""Which tables a FROM may join where it joins along foreign keys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from ...data.schema import Schema

__all__ = ["links"]


def links(schema: Schema) -> Mapping[str, frozenset[str]]:
    """Return the tables that each table can be joined to, in lower case; none at all if the schema has no keys.

    A foreign key links two tables. Tables that refer to the same columns of a third are linked, too, and so are two
    rows of one table that has a foreign key.
    """
    found: dict[str, set[str]] = defaultdict(set)
    referring: dict[object, set[str]] = defaultdict(set)
    for table in schema.tables:
        for key in table.foreign_keys:
            own, other = table.name.lower(), key.table.lower()
            found[own].add(other)
            found[other].add(own)
            referring[other, tuple(c.lower() for c in key.references)].add(own)
    for tables in referring.values():
        for table in tables:
            found[table] |= tables
    return {table: frozenset(others) for table, others in found.items()}
