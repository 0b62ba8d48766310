"""What a query calls a table that it uses again: employee_2 beside employee.

Where a table has several keys into itself, each has a later use of its own, in the order of the columns: beside a
horse with a sire_id and a dam_id, horse_2 is the sire and horse_3 the dam; horse_4 is a sire again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import count, cycle, islice

from .schema import ForeignKey, Schema, Table

__all__ = ["LaterUse", "later_uses", "names_in", "referred_uses", "used_again"]

_MOST = 20


@dataclass(frozen=True)
class LaterUse:
    """A use of a table from the second on.

    Attributes:
        number: 2 for the second.
        key: what rows refer to it by, where the table has several keys into itself.
    """

    table: str
    number: int
    key: ForeignKey | None = None


def names_in(schema: Schema) -> frozenset[str]:
    """Return the lower-cased names that no source of a normal form may take."""
    tables = (name.lower() for table in schema.tables for name in {table.name, table.own_name})
    return frozenset(tables) | {column.name.lower() for _, column in schema.columns()}


def later_uses(table: str, known: Collection[str]) -> Iterator[str]:
    """Yield the names of a table's uses from the second on; ``known`` are lower-cased names of the schema."""
    names = (f"{table}_{number}" for number in count(2))
    return (name for name in names if name.lower() not in known)


def referred_uses(table: Table, known: Collection[str]) -> dict[str, ForeignKey]:
    """Return what a table is called as what its rows refer to by each key; of keys beyond the 19th it has no name."""
    return dict(zip(islice(later_uses(table.name, known), _MOST - 1), table.self_keys, strict=False))


def used_again(schema: Schema) -> dict[str, LaterUse]:
    """Return the tables' uses from the second to the twentieth on by their names."""
    known = names_in(schema)
    found: dict[str, LaterUse] = {}
    for table in schema.tables:
        keys = list(referred_uses(table, known).values())
        turns = cycle(keys if len(keys) > 1 else [None])
        names = islice(later_uses(table.name, known), _MOST - 1)
        found |= {name: LaterUse(table.name, number, next(turns)) for number, name in enumerate(names, 2)}
    return found
