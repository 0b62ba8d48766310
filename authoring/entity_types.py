"""Which columns of a database hold names of things, and of which type: the entities of a new domain."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..data.databases.database import Database
from ..data.domains.aligner import slot_type
from ..data.domains.domain import Entity
from ..data.schema.schema import Column, Schema, Table
from ..data.values.numerals import value_of

_MOST = 2000  # values of a column that are listed; the value index finds the others in the database by itself
_LONGEST = 60  # characters of a value that people would say
_SAME = 0.8  # share of a column's values inside another's from which both hold the same kind of thing
_TEXT = re.compile(r"char|text|string|enum|clob|uuid", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")

Place = tuple[str, str]
"""A column: names of its table and of itself."""


@dataclass(frozen=True)
class EntityTypes:
    """The entities of a database.

    Attributes:
        entities: by type, each in order.
        columns: the type of a column, of each column that has one.
        own: the column that a type was made for; others of the type may hold a part of its entities.
    """

    entities: Mapping[str, tuple[Entity, ...]]
    columns: Mapping[Place, str]
    own: Mapping[str, Place]


def entities_of(schema: Schema, database: Database) -> EntityTypes:
    """Return the values of text columns as entities; those that nobody would say are left out one by one.

    A column whose values are mostly those of another one, as a foreign key's are, adds no type of its own but the
    values that are missing there.
    """
    refers = {
        (table.name, column): (key.table, other)
        for table in schema.tables
        for key in table.foreign_keys
        for column, other in zip(key.columns, key.references, strict=False)
    }
    values: dict[str, dict[str, str]] = {}
    columns: dict[Place, str] = {}
    own: dict[str, Place] = {}
    for table, column in _by_standing(schema):
        place, said = (table.name, column.name), _said(database, table, column.name)
        if not said:
            continue

        def alike(name: str, place: Place = place, said: Mapping[str, str] = said) -> bool:
            least = _SAME / 2 if place[1].lower() == own[name][1].lower() else _SAME
            return len(said.keys() & values[name].keys()) >= least * len(said)

        name = next((one for one in own if refers.get(place) == own[one]), None) or next(filter(alike, own), None)
        if name is None:
            name = slot_type(column.name)
            while name in own:  # two columns of one name that hold different things
                name = slot_type(f"{table.name}_{name}")
            own[name] = place
        values[name] = said | values.get(name, {})
        columns[place] = name
    entities = {name: tuple(Entity(one, name) for one in sorted(some.values())) for name, some in values.items()}
    return EntityTypes(entities, columns, own)


def _said(database: Database, table: Table, column: str) -> dict[str, str]:
    """Return the first values of a column that people would say, by their lower case."""
    cells = database.distinct(table, column, 2 * _MOST)  # twice as many, since some of them are not said
    values = [value for value in (str(cell).strip() for cell in cells) if _sayable(value)]
    return {value.lower(): value for value in values[:_MOST]}


def _sayable(value: str) -> bool:
    """Say whether a value is a name, and no number, date or text to be read."""
    return 0 < len(value) <= _LONGEST and "\n" not in value and value_of(value) is None and not _DATE.match(value)


def _by_standing(schema: Schema) -> Iterator[tuple[Table, Column]]:
    """Yield text columns: keys first, since other columns repeat their values, foreign keys last."""
    foreign = {(t.name, c) for t in schema.tables for key in t.foreign_keys for c in key.columns}
    columns = [(t, c) for t, c in schema.columns() if _TEXT.search(c.type or "text")]
    yield from sorted(columns, key=lambda tc: ((tc[0].name, tc[1].name) in foreign, tc[0].primary_key != (tc[1].name,)))
