"""Copies of databases in which a table has a key into itself, since few databases that come with questions have one."""

import random
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..data.databases.database import Database
from ..data.databases.sqlite_session import quoted
from ..data.schema.schema import Column, ForeignKey, Schema, Table
from ..meaning.profile import DatabaseProfile
from .facts.facts import TableFacts
from .frame import Language, SamplingFrame

_PERSONS: Mapping[str, Sequence[str]] = {
    "en": ("manager", "supervisor", "boss", "mentor", "leader", "head", "coordinator", "trainer", "sponsor", "deputy",
           "referrer", "advisor", "partner", "successor"),
    "zh": ("经理", "主管", "上级", "导师", "推荐人", "介绍人", "师傅", "组长", "负责人", "搭档"),
}  # fmt: skip
_THINGS: Mapping[str, Sequence[str]] = {
    "en": ("parent", "parent", "predecessor", "successor", "prerequisite", "original", "main", "replacement", "base",
           "previous"),
    "zh": ("上级", "上级", "父级", "前身", "替代品", "来源"),
}  # fmt: skip
_LEAST, _MOST = 5, 20_000
"""Rows of a table that gets a key."""
_ALONE = 0.15
"""Share of the rows that refer to none."""


def with_self_key(
    file: Path, schema: Schema, language: Language, *, out: Path, seed: int, profile: DatabaseProfile | None = None
) -> Schema | None:
    """Write a copy of a SQLite database whose rows of one table refer to others of it, and return its schema.

    Args:
        out: file of the copy.
        seed: draws the table, what the key is called, and who refers to whom.

    Returns:
        None if no table has names and a primary key of one column, and nothing is written.
    """
    rng = random.Random(f"{seed}:{schema.name}:{file.name}")
    with Database.open(file) as database:
        frame = SamplingFrame.of(schema, database, language, profile)
        counts = {one.table.name: _count(database, one) for one in frame.tables if _fits(one)}
    tables = [one for one in frame.tables if _LEAST <= counts.get(one.table.name, 0) <= _MOST]
    if not tables:
        return None
    one = rng.choice(tables)
    column = _column(one, language, rng)
    if column.name.lower() in {other.name.lower() for other in one.table.columns}:
        return None
    shutil.copyfile(file, out)
    _fill(out, one.table, column, rng)
    key = ForeignKey((column.name,), one.table.name, one.table.primary_key)
    with_key = replace(one.table, columns=(*one.table.columns, column), foreign_keys=(*one.table.foreign_keys, key))
    return replace(schema, tables=tuple(with_key if t.name == with_key.name else t for t in schema.tables))


def _fits(one: TableFacts) -> bool:
    own = any(key.refers_to(one.table) for key in one.table.foreign_keys)
    return bool(one.names) and len(one.table.primary_key) == 1 and not own


def _count(database: Database, one: TableFacts) -> int:
    return int(database.fetch(f"SELECT COUNT(*) FROM {quoted(one.table.name)}").rows[0][0])


def _column(one: TableFacts, language: Language, rng: random.Random) -> Column:
    """Return a key called as the table's other columns are: ``manager_id``, ``managerId``, 上级编号."""
    target = one.table.column(one.table.primary_key[0])
    noun = rng.choice((_PERSONS if one.noun.person else _THINGS)[language])
    if not target.name.isascii() or (language == "zh" and not one.table.name.isascii()):
        return Column(noun + rng.choice(("编号", "ID", "")), target.type)
    if not noun.isascii():  # of a Chinese question over English names
        noun = rng.choice((_PERSONS if one.noun.person else _THINGS)["en"])
    word = "code" if target.name.lower().endswith("code") else "id"
    parts = [noun, *([one.table.name.lower()] if rng.random() < 0.3 else []), word]
    if "_" not in target.name and target.name[-2:] in ("Id", "ID") and len(target.name) > 2:
        return Column("".join(part.capitalize() for part in parts), target.type)
    return Column("_".join(parts), target.type)


def _fill(file: Path, table: Table, column: Column, rng: random.Random) -> None:
    name, key, own = quoted(table.name), quoted(table.primary_key[0]), quoted(column.name)
    connection = sqlite3.connect(file)
    try:
        connection.execute(f"ALTER TABLE {name} ADD COLUMN {own} {column.type}")
        rows = [row[0] for row in connection.execute(f"SELECT {key} FROM {name} WHERE {key} IS NOT NULL")]
        heads = rng.sample(rows, max(2, len(rows) // 3))
        referring = [(rng.choice(heads), row) for row in rows if rng.random() > _ALONE]
        pairs = [(head, row) for head, row in referring if head != row]
        connection.executemany(f"UPDATE {name} SET {own} = ? WHERE {key} = ?", pairs)
        connection.commit()
    finally:
        connection.close()
