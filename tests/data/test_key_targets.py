"""What a column refers to: looked up, it is what the rules find that hold the column against every table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from draws import draws
from hypothesis import given, settings
from hypothesis import strategies as st

from querent.data.domains.spider import from_spider
from querent.data.schema.key_targets import KeyTarget, KeyTargets, comparable, joined, key_name
from querent.data.schema.likely_keys import with_likely_keys, with_likely_primary_keys
from querent.data.schema.schema import Column, ForeignKey, Schema, Table

NOUNS = ("order", "Orders", "city", "to", "客户", "城市")
ENDS = ("id", "code", "no", "name", "编号", "id_2")
REFERRING = {"id", "编号", "code", "key", "代码"}


def ends(name: str, end: str) -> bool:
    stem = end.rpartition(" ")[0] or end
    han = "\u3400" <= end[:1] <= "\u9fff" and len(stem) > 1
    return name != end and (name.endswith(f" {end}") or (han and name.endswith(end)))


def is_short(name: str, t: KeyTarget) -> bool:
    stem, _, word = name.rpartition(" ")
    return t.refers and word == t.word and stem != "" and ends(t.own, stem)


RULES = (
    lambda name, t: joined(name) == joined(t.key) and t.is_telling(),
    lambda name, t: name == t.referred and t.refers,
    is_short,
    lambda name, t: t.owner and t.word in REFERRING and ends(name, t.key),
    lambda name, t: t.refers and ends(name, t.referred),
    lambda name, t: t.is_coded() and name == t.own,
    lambda name, t: t.word == "code" and name.partition(" ")[2] == t.own,
)


def held_against_all(table: Table, column: Column, targets: Sequence[KeyTarget]) -> str | None:
    """Return the table that a column refers to by the rules, each of which is asked of every table."""
    name = key_name(column.name)
    names = {name, re.sub(r" ?\d+$", "", name)}
    fitting = [t for t in targets if t.table != table and comparable(column, t.column) and not t.is_linked(table)]
    if table.primary_key == (column.name,):
        own = KeyTarget(table)
        told = own.owner or name == own.referred
        fitting = [] if told else [t for t in fitting if t.owner or name == t.referred]
    for rule in RULES:
        found = [t for t in fitting if any(rule(n, t) for n in names)]
        found = [t for t in found if t.owner] if len(found) > 1 else found
        if found:
            return found[0].table.name if len(found) == 1 else None
    return None


def wrong(schema: Schema) -> list[tuple[str, str, str | None, str | None]]:
    """Return the columns for which both ways differ, with what either finds."""
    targets = KeyTargets(schema.tables)
    every = [KeyTarget(table) for table in schema.tables if len(table.primary_key) == 1]
    found: list[tuple[str, str, str | None, str | None]] = []
    for table, column in schema.columns():
        target, due = targets.likely(table, column), held_against_all(table, column, every)
        told = None if target is None else target.table.name
        if told != due:
            found.append((table.name, column.name, told, due))
    return found


def names(most: int, ends: Sequence[str] = ()) -> st.SearchStrategy[str]:
    """Draw names of some nouns, and perhaps an end."""
    nouns = st.lists(st.sampled_from(NOUNS), min_size=1, max_size=most)
    parts = st.tuples(nouns, st.sampled_from(ends)).map(lambda told: [*told[0], told[1]]) if ends else nouns
    return st.builds(lambda between, words: between.join(words), st.sampled_from(("_", "_", "")), parts)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """Draw tables of which most have keys, many of them alike, and some refer to others."""
    types = st.sampled_from(("int", "int", "text", ""))
    columns = st.one_of(names(2, ENDS), names(2), st.sampled_from(ENDS))
    tables: list[Table] = []
    for name in draw(st.lists(names(2), min_size=4, max_size=14, unique_by=str.lower)):
        told = [
            draw(st.one_of(st.sampled_from(("id", "code", f"{name}_id")), columns)),
            *draw(st.lists(columns, max_size=4)),
        ]
        own = tuple(Column(one, draw(types)) for one in dict.fromkeys(told))
        key = draw(st.sampled_from((own[0].name, own[0].name, own[-1].name, "")))
        tables.append(Table(name, own, (key,) if key else ()))
    linked = (
        _linked(table, draw(st.sampled_from(tables))) if draw(st.integers(0, 3)) == 0 else table for table in tables
    )
    return Schema(tuple(linked))


def _linked(table: Table, other: Table) -> Table:
    key = ForeignKey((table.columns[0].name,), other.name, (other.columns[0].name,))
    return Table(table.name, table.columns, table.primary_key, (key,))


@settings(max_examples=draws(100), deadline=None)
@given(schemas())
def test_what_is_looked_up_is_what_the_rules_find(schema: Schema) -> None:
    assert wrong(schema) == []
    assert wrong(with_likely_primary_keys(schema)) == []


def spider(folder: Path) -> Iterable[Schema]:
    file = folder / "tables.json"
    for row in json.loads(file.read_text("utf-8")):
        yield from_spider(file, row["db_id"])


@pytest.mark.parametrize("name", ["spider-train", "bird-train", "chase-train", "sesql-part"])
def test_what_is_looked_up_is_what_the_rules_find_in_public_sets(shared_data: Path, name: str) -> None:
    if not (shared_data / "multi" / name).is_dir():
        pytest.skip(f"{name} is not at ../shared/data/multi")
    for schema in spider(shared_data / "multi" / name):
        assert wrong(with_likely_primary_keys(schema)) == []


def test_where_none_of_several_tables_tells_of_a_key_a_rule_that_is_less_sure_decides() -> None:
    student = Table("student", (Column("id", "int"),), ("id",))
    alike = [Table(name, (Column("student_id", "int"),), ("student_id",)) for name in ("passport", "locker")]
    asking = Table("grade", (Column("student_id", "int"), Column("mark", "int")))
    found = with_likely_keys(Schema((student, *alike, asking))).tables[-1].foreign_keys
    assert found == (ForeignKey(("student_id",), "student", ("id",)),)


def test_of_many_tables_with_the_same_key_the_one_that_it_tells_of_is_meant() -> None:
    owner = Table("city", (Column("city_id", "int"),), ("city_id",))
    others = [Table(f"day{number}", (Column("city_id", "int"),), ("city_id",)) for number in range(5)]
    asking = Table("hall", (Column("city_id", "int"), Column("seats", "int")))
    keyed = with_likely_keys(Schema((*others, owner, asking)))
    assert {key.table for table in keyed.tables for key in table.foreign_keys} == {"city"}
    assert all(table.foreign_keys for table in keyed.tables if table.name != "city")
    without = with_likely_keys(Schema((*others, asking)))
    assert not any(table.foreign_keys for table in without.tables)
