"""What rows of a table refer to in the same table: what it is called, and that it stands beside the table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from cases import rows

from querent.data.schema.later_uses import ReferredTables, referred_noun
from querent.data.schema.schema import Column, ForeignKey, Schema, Table

CASES = Path(__file__).with_suffix(".toml")


def table(name: str, *columns: str, **keys: str) -> Table:
    """Return a table whose keys refer to its own ``id`` or to that of another: ``boss="crew"``."""
    own = tuple(ForeignKey((column,), other, ("id",)) for column, other in keys.items())
    return Table(name, tuple(Column(column) for column in ("id", *columns, *keys)), ("id",), own)


@rows(CASES, "what_a_key_refers_to")
def test_what_a_key_refers_to(key: str, row: str, noun: str) -> None:
    assert referred_noun(key, row) == noun


def test_the_table_stands_there_twice() -> None:
    schema = Schema((table("crew", "name", boss_id="crew", ship_id="ship"), table("ship", "name")), "harbour")
    found = ReferredTables.of(schema)
    assert [one.name for one in found.schema.tables] == ["crew", "ship", "crew_2"]
    crew, _, again = found.schema.tables
    assert [key.table for key in crew.foreign_keys] == ["crew_2", "ship"]
    assert (again.description, again.columns, again.foreign_keys) == ("boss", crew.columns, ())
    assert dict(found.again) == {"crew": ("crew_2",)}


def test_each_key_has_a_table_of_its_own_in_the_order_of_the_columns() -> None:
    crew = table("crew", "name", boss_id="crew", mentor_id="crew")
    found = ReferredTables.of(Schema((replace(crew, foreign_keys=crew.foreign_keys[::-1]),)))
    assert [(one.name, one.description) for one in found.schema.tables[1:]] == [
        ("crew_2", "boss"),
        ("crew_3", "mentor"),
    ]
    assert [(key.columns, key.table) for key in found.schema.tables[0].foreign_keys] == [
        (("mentor_id",), "crew_3"),
        (("boss_id",), "crew_2"),
    ]
    assert dict(found.again) == {"crew": ("crew_2", "crew_3")}


def test_a_key_that_says_nothing_beside_one_that_does() -> None:
    found = ReferredTables.of(Schema((table("node", "label", node_id="node", origin_id="node"),)))
    assert [(one.name, one.description) for one in found.schema.tables[1:]] == [("node_3", "origin")]
    assert [key.table for key in found.schema.tables[0].foreign_keys] == ["node", "node_3"]
    assert dict(found.again) == {"node": ("node", "node_3")}


def test_keys_beyond_the_names_of_uses_have_none() -> None:
    keys = {f"friend_{chr(97 + n)}{chr(97 + n)}_id": "crew" for n in range(22)}
    found = ReferredTables.of(Schema((table("crew", "name", **keys),)))
    assert [one.name for one in found.schema.tables] == ["crew", *(f"crew_{number}" for number in range(2, 21))]
    assert [key.table for key in found.schema.tables[0].foreign_keys[18:]] == ["crew_20", "crew", "crew", "crew"]


@pytest.mark.parametrize(
    "tables",
    [
        (table("crew", "name", ship_id="ship"), table("ship", "name")),
        (table("actor", "name", musical_id="actor"), table("musical", "title")),  # called after another table
        (table("node", "label", node_id="node"),),  # says nothing but id
    ],
)
def test_elsewhere_nothing_changes(tables: tuple[Table, ...]) -> None:
    found = ReferredTables.of(Schema(tables))
    assert (found.schema.tables, dict(found.again)) == (tables, {})


def test_a_name_that_is_taken() -> None:
    schema = Schema((table("crew", "name", boss_id="crew"), table("crew_2", "name")))
    assert [one.name for one in ReferredTables.of(schema).schema.tables] == ["crew", "crew_2", "crew_3"]
