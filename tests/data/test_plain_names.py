"""Names in plain words, and what a row refers to in its own table: how it is called, and that it stands there."""

from dataclasses import replace
from pathlib import Path

from cases import rows

from querent.data.schema.later_uses import ReferredTables, referred_noun
from querent.data.schema.plain_names import plain_name, spoken
from querent.data.schema.schema import Column, ForeignKey, Schema, Table

CASES = Path(__file__).with_suffix(".toml")


def table(name: str, columns: str) -> Table:
    """Return a table of columns, those with a colon with a key to the id of the table behind it."""
    told = [column.partition(":") for column in f"id {columns}".split()]
    keys = (ForeignKey((column,), other, ("id",)) for column, _, other in told if other)
    return Table(name, tuple(Column(column) for column, *_ in told), ("id",), tuple(keys))


@rows(CASES, "identifiers")
def test_identifiers(identifier: str, plain: str) -> None:
    assert plain_name(identifier) == plain


@rows(CASES, "descriptions_are_spoken_where_they_are_names")
def test_descriptions_are_spoken_where_they_are_names(description: str, said: str) -> None:
    assert spoken("apt_id", description) == said


@rows(CASES, "what_a_key_refers_to")
def test_what_a_key_refers_to(key: str, row: str, noun: str) -> None:
    assert referred_noun(key, row) == noun


@rows(CASES, "tables")
def test_tables_that_are_referred_to(
    name: str, tables: dict[str, str], keys: str, again: list[str], uses: list[str] | None
) -> None:
    made = tuple(table(*one) for one in tables.items())
    for order in (1, -1):  # keys stand in any order, their tables in that of the columns
        schema = Schema((replace(made[0], foreign_keys=made[0].foreign_keys[::order]), *made[1:]))
        found = ReferredTables.of(schema)
        assert [key.table for key in found.schema.tables[0].foreign_keys] == keys.split()[::order], name
        assert [f"{one.name} {one.description}" for one in found.schema.tables[len(made) :]] == again
        assert all(one.columns == made[0].columns and not one.foreign_keys for one in found.schema.tables[len(made) :])
        assert dict(found.again) == ({} if uses is None else {made[0].name: tuple(uses)})


def test_keys_beyond_the_names_of_uses_have_none() -> None:
    columns = " ".join(f"friend_{chr(97 + n)}{chr(97 + n)}_id:crew" for n in range(22))
    found = ReferredTables.of(Schema((table("crew", columns),)))
    assert [one.name for one in found.schema.tables] == ["crew", *(f"crew_{number}" for number in range(2, 21))]
    assert [key.table for key in found.schema.tables[0].foreign_keys[18:]] == ["crew_20", "crew", "crew", "crew"]
