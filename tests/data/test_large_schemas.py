"""Opening a database takes steps in proportion to its tables: four times as many tables, about four times the steps.

Steps are instructions of the interpreter, which are the same on every machine; what runs within C is not counted.
"""

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

from querent.data.databases.schema_readers import read_schema
from querent.data.records import Record
from querent.data.schema.ddl_writer import merged
from querent.data.schema.later_uses import ReferredTables
from querent.data.schema.likely_keys import key_name, with_likely_keys
from querent.data.schema.schema import Column, ForeignKey, Schema, Table
from querent.grammar.reading.access import Access
from querent.meaning import keys as keys_by_cells
from querent.meaning.cell_sample import CellSample
from querent.meaning.description.described import DescribedTable, described_schema
from querent.meaning.keys import Containment, key_profiles, with_keys_by_cells
from querent.meaning.profile import DatabaseProfile
from querent.meaning.samples import TableSample
from querent.parser.normal_form.shorthand import links
from querent.parser.normal_form.words import twice
from querent.parser.reader.context import linked, with_content_types, with_found_keys
from querent.parser.reader.items import SchemaItems

FEW, MANY = 40, 160
MOST = 1.2 * MANY / FEW


def steps(work: Callable[[], object]) -> int:
    """Return how many instructions some work takes, that of all functions it calls counted."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    key_name.cache_clear()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def growth(work: Callable[[int], Callable[[], object]]) -> float:
    """Return how many times as many steps many tables take as few."""
    return steps(work(MANY)) / steps(work(FEW))


def word(number: int) -> str:
    """Return a word of letters alone, whose length is the same for all."""
    return "".join(chr(ord("a") + number // 17**place % 17) + "o" for place in range(3))


def own_keys(number: int) -> Table:
    """Return a table with a key of its own and two columns that name the keys of others."""
    columns = (f"{word(number)}_id", f"{word(number // 2)}_id", f"main_{word(number // 3)}_id", "name", "parent_id")
    return Table(word(number), tuple(Column(name, "int") for name in dict.fromkeys(columns)))


def same_keys(number: int) -> Table:
    """Return a table whose key is called as those of all others are."""
    columns = (Column("entity_id", "int"), Column("order_id", "int"), Column(f"{word(number)}_code", "text"))
    return Table(f"{word(number)}_order", columns, ("entity_id",))


def one_owner(number: int) -> Table:
    """Return the first of all tables, to which all others refer by name and by a declared key."""
    columns = (Column("hub_id", "int"), Column("main_hub_id", "int"))
    keys = (ForeignKey(("hub_id",), "hub", ("hub_id",)),)
    return Table(f"{word(number)}", columns, ("hub_id",), keys) if number else Table("hub", columns, ("hub_id",))


def declared(number: int) -> Table:
    """Return a table that refers to the one before it, and to itself."""
    columns = tuple(Column(name, "int") for name in ("id", "before_id", "chief_id", "name"))
    keys = (
        ForeignKey(("before_id",), word(max(number - 1, 0)), ("id",)),
        ForeignKey(("chief_id",), word(number), ("id",)),
    )
    return Table(word(number), columns, ("id",), keys)


def schema_of(table: Callable[[int], Table], tables: int) -> Schema:
    return Schema(tuple(table(number) for number in range(tables)), "large")


@pytest.mark.parametrize("table", [own_keys, same_keys, one_owner, declared])
def test_likely_keys(table: Callable[[int], Table]) -> None:
    assert growth(lambda tables: lambda: with_likely_keys(schema_of(table, tables))) < MOST


def named(schema: Schema) -> list[Table]:
    return [schema.table(table.name.upper()) for table in schema.tables]


def told_twice(schema: Schema) -> Schema:
    return merged(schema, Schema(schema.tables[::-1]))


def narrowed(schema: Schema) -> Schema:
    return Access(columns={table.name: ("id", "before_id") for table in schema.tables}).narrowed(schema)


def in_the_reader(schema: Schema) -> Schema:
    profile = DatabaseProfile(keys=key_profiles(schema, schema, {}))
    return with_content_types(linked(schema, with_found_keys(schema, profile)), profile)


def described(schema: Schema) -> Schema:
    """Say of each table what one of its columns refers to."""
    told = {"columns": {"name": {"refers": f"{schema.tables[0].name}.id"}}}
    entries = [DescribedTable.of(Record(told, Path("told.toml")), table.name, schema) for table in schema.tables]
    return described_schema(schema, entries)


def parts(schema: Schema) -> Schema:
    return schema.part({table.name: {"id", "chief_id"} for table in schema.tables})


def read(schema: Schema) -> SchemaItems:
    return SchemaItems(schema, lambda *_: ("cell",))


@pytest.mark.parametrize(
    "work",
    [
        *(named, told_twice, narrowed, in_the_reader, described, parts, read, ReferredTables.of, twice),
        *(Schema.to_json, lambda schema: Schema.from_json(schema.to_json()), lambda schema: [*links(schema)]),
    ],
)
def test_what_is_made_of_a_schema(work: Callable[[Schema], object]) -> None:
    def prepared(tables: int) -> Callable[[], object]:
        schema = schema_of(declared, tables)
        return lambda: work(schema)

    assert growth(prepared) < MOST


def test_keys_by_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tables have the same words as keys, and a column of them."""
    monkeypatch.setattr(keys_by_cells, "_COMMON", 10)
    cells = [word(number) for number in range(8)]

    def prepared(tables: int) -> Callable[[], object]:
        columns = (Column("code"), Column("kind"))
        schema = schema_of(lambda number: Table(word(number), columns, ("code",)), tables)
        samples = {
            table.name: TableSample(
                table, {c.name: CellSample.of(table, c, "sqlite", cells) for c in columns}, len(cells), True, len(cells)
            )
            for table in schema.tables
        }
        containment: Any = Containment(SimpleNamespace(dialect="sqlite"), samples)  # pyright: ignore[reportArgumentType]
        return lambda: with_keys_by_cells(schema, containment)

    assert growth(prepared) < MOST


def test_a_file(tmp_path: Path) -> None:
    """A third of its tables are virtual, each with others in which it keeps its data."""

    def prepared(tables: int) -> Callable[[], object]:
        file = tmp_path / f"{tables}.sqlite"
        with closing(sqlite3.connect(file)) as writer:
            for name in map(word, range(0, tables, 3)):
                writer.execute(f"CREATE VIRTUAL TABLE {name}_text USING fts4 (body)")
                writer.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, {name}_text TEXT)")
                writer.execute(f"CREATE TABLE {name}_log (id INTEGER REFERENCES {name}, at TEXT UNIQUE)")
        return lambda: read_schema(file)

    assert growth(prepared) < MOST
