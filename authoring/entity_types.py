"""Finds the columns of a database that hold names of things, and their types: the entities of a new domain."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest

from ..data.databases.database import Database
from ..data.domains.aligner import slot_type
from ..data.domains.domain import Entity
from ..data.schema.schema import Schema, Table
from ..data.values.numerals import value_of

_MOST = 2000  # the values of a column that are listed; the value index finds the others in the database
_LONGEST = 60  # the characters of a value that people would say
_SAME = 0.8  # the share of a column's values that another one has, from which both have the same type
_TEXT = re.compile(r"char|text|string|enum|clob|uuid", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")

Place = tuple[str, str]
"""A column: the names of its table and of itself."""


@dataclass(frozen=True)
class EntityTypes:
    """The entities of a database.

    Attributes:
        entities: the entities of each type, in order.
        columns: the type of each column that has one.
        own: the column that each type was made for; other columns of the type may hold a part of its entities.
    """

    entities: Mapping[str, tuple[Entity, ...]]
    columns: Mapping[Place, str]
    own: Mapping[str, Place]


def entities_of(schema: Schema, database: Database) -> EntityTypes:
    """Return the values of text columns as entities, without the values that nobody would say.

    A column whose values are mostly those of another one, for instance a foreign key, has the type of that column.
    """
    refers = {
        (table.name, column): (key.table, other)
        for table in schema.tables
        for key in table.foreign_keys
        for column, other in zip_longest(key.columns, key.references)
    }
    values: dict[str, dict[str, str]] = {}
    columns: dict[Place, str] = {}
    own: dict[str, Place] = {}
    texts = [(table, column) for table, column in schema.columns() if _TEXT.search(column.type or "text")]
    # keys first, as other columns repeat their values, and foreign keys last
    texts.sort(key=lambda one: ((one[0].name, one[1].name) in refers, one[0].primary_key != (one[1].name,)))
    for table, column in texts:
        place, names = (table.name, column.name), _names(database, table, column.name)
        if not names:
            continue

        def alike(kind: str, place: Place = place, names: Mapping[str, str] = names) -> bool:
            least = _SAME / 2 if place[1].lower() == own[kind][1].lower() else _SAME
            return len(names.keys() & values[kind].keys()) >= least * len(names)

        kind = next((one for one in own if refers.get(place) == own[one]), None) or next(filter(alike, own), None)
        if kind is None:
            kind = slot_type(column.name)
            while kind in own:  # two columns of the same name with different values
                kind = slot_type(f"{table.name}_{kind}")
            own[kind] = place
        values[kind] = names | values.get(kind, {})
        columns[place] = kind
    entities = {kind: tuple(Entity(one, kind) for one in sorted(some.values())) for kind, some in values.items()}
    return EntityTypes(entities, columns, own)


def _names(database: Database, table: Table, column: str) -> dict[str, str]:
    """Return the first values of a column that are names, and no numbers, dates or long texts, by their lower case."""
    values = [str(cell).strip() for cell in database.distinct(table, column, 2 * _MOST)]
    names = [
        value
        for value in values
        if 0 < len(value) <= _LONGEST and "\n" not in value and value_of(value) is None and not _DATE.match(value)
    ]
    return {name.lower(): name for name in names[:_MOST]}
