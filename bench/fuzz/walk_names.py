"""Schemas of PostgreSQL as people make them: names in mixed case, names that differ in case alone, several schemas."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace

from querent.data.schema.schema import Column, ForeignKey, Schema, Table

__all__ = ["respelled"]

NAMESPACES = ("Sales", "order", "a.b", "shop", "größe", "Ü")
FOUND = "public"

_Place = tuple[str, str]
"""A schema, and a table's own name in it."""


def respelled(rng: random.Random, schema: Schema) -> Schema:
    """Return a schema with some names spelled otherwise, some columns twice but for case, some tables elsewhere."""
    places: dict[str, _Place] = {}
    columns = {table.name: _spelled_columns(rng, table) for table in schema.tables}
    for table in schema.tables:
        places[table.name] = _place(rng, table.name, places.values())
    several = Counter(own for _, own in places.values())
    names = {name: own if namespace == FOUND else f"{namespace}.{own}" for name, (namespace, own) in places.items()}
    return replace(
        schema,
        tables=tuple(
            replace(
                _linked(table, names, columns),
                namespace=places[table.name][0],
                qualified=several[places[table.name][1]] > 1 or places[table.name][0] != FOUND,
            )
            for table in schema.tables
        ),
    )


def _spelled_columns(rng: random.Random, table: Table) -> dict[str, tuple[Column, ...]]:
    """Return for each column what it is called now, and a twin of it that differs in case, for some."""
    taken = {column.name for column in table.columns}
    found: dict[str, tuple[Column, ...]] = {}
    for column in table.columns:
        name = _spelled(rng, column.name, taken)
        twin = name.swapcase()
        twins = (twin,) if rng.random() < 0.15 and twin not in taken | {name} and len(twin.encode()) < 64 else ()
        taken |= {name, *twins}
        found[column.name] = tuple(replace(column, name=one) for one in (name, *twins))
    return found


def _spelled(rng: random.Random, name: str, taken: Collection[str]) -> str:
    made = rng.choice([str, str, str.upper, str.title, str.swapcase, _camel])(name)
    return name if made in taken or len(made.encode()) > 63 else made


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest) if first and rest else f"{name}Id"


def _place(rng: random.Random, name: str, taken: Collection[_Place]) -> _Place:
    """Return where a table is: in any schema, perhaps called as one that is elsewhere."""
    namespace = rng.choice([FOUND, FOUND, FOUND, *NAMESPACES[:4], rng.choice(NAMESPACES)])
    others = [own for other, own in taken if (namespace, own) not in taken]
    own = rng.choice(others) if others and rng.random() < 0.3 else _spelled(rng, name, {own for _, own in taken})
    while (namespace, own) in taken:
        own += "Again"
    return namespace, own


def _linked(table: Table, names: Mapping[str, str], columns: Mapping[str, Mapping[str, tuple[Column, ...]]]) -> Table:
    """Return a table with its new names, in its keys, too."""
    own = columns[table.name]

    def spelled(keys: tuple[str, ...], of: Mapping[str, tuple[Column, ...]]) -> tuple[str, ...]:
        return tuple(of[key][0].name for key in keys)

    keys = (
        ForeignKey(spelled(key.columns, own), names[key.table], spelled(key.references, columns[key.table]))
        for key in table.foreign_keys
    )
    return replace(
        table,
        name=names[table.name],
        columns=tuple(column for several in own.values() for column in several),
        primary_key=spelled(table.primary_key, own),
        foreign_keys=tuple(keys),
        unique=spelled(table.unique, own),
    )
