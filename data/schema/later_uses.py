"""What a query calls a table that it uses again: employee_2 beside employee."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import count, islice

from .schema import Schema

__all__ = ["later_uses", "names_in", "used_again"]

_MOST = 20


def names_in(schema: Schema) -> frozenset[str]:
    """Return the lower-cased names that no source of a normal form may take."""
    tables = (name.lower() for table in schema.tables for name in {table.name, table.own_name})
    return frozenset(tables) | {column.name.lower() for _, column in schema.columns()}


def later_uses(table: str, known: Collection[str]) -> Iterator[str]:
    """Yield the names of a table's uses from the second on; ``known`` are lower-cased names of the schema."""
    names = (f"{table}_{number}" for number in count(2))
    return (name for name in names if name.lower() not in known)


def used_again(schema: Schema) -> dict[str, tuple[str, int]]:
    """Return the names of the tables' uses from the second to the twentieth on, each with its table and number."""
    known = names_in(schema)
    return {
        name: (table.name, number)
        for table in schema.tables
        for number, name in enumerate(islice(later_uses(table.name, known), _MOST - 1), 2)
    }
