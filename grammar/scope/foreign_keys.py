"""Which tables a FROM may join where it joins along foreign keys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from ...data.schema import Schema

__all__ = ["links"]


def links(schema: Schema, called: Callable[[str], str]) -> Mapping[str, frozenset[str]]:
    """Return the tables that each table can be joined to, by what ``called`` makes of names; none without any keys.

    A foreign key links two tables. Tables that refer to the same columns of a third are linked, too, and so are two
    rows of one table that has a foreign key.
    """
    found: dict[str, set[str]] = defaultdict(set)
    referring: dict[object, set[str]] = defaultdict(set)
    for table in schema.tables:
        for key in table.foreign_keys:
            own, other = called(table.name), called(key.table)
            found[own].add(other)
            found[other].add(own)
            referring[other, tuple(map(called, key.references))].add(own)
    for tables in referring.values():
        for table in tables:
            found[table] |= tables
    return {table: frozenset(others) for table, others in found.items()}
