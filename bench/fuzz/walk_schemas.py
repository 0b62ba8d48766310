"""The schemas that walks go on, each by its number: the public sets', the plant's, and random ones.

Random ones have odd names, reserved words, Unicode, composite keys, no keys, every column type. On PostgreSQL two of
three have names in mixed case and several schemas, too.
"""

from __future__ import annotations

import random
import tomllib
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from sqlglot import exp
from walk_names import respelled
from walk_results import ROOT

from querent.data.databases.schema_readers import read_schema
from querent.data.schema.schema import Column, ForeignKey, Schema, Table

PLANT = ROOT / "data" / "plant" / "schema.sql"
SETS = (
    "text2sql/geography-schema.csv",
    "text2sql/restaurants-schema.csv",
    "text2sql/academic-schema.csv",
    "text2sql/atis-schema.csv",
    "css-yibao/yibao.sql",
)
AGAIN = 60
"""After so many schemas the fixed ones come again, with other rows and words."""

_KEY_LENGTH = 3072 // 4
"""Most characters of a key of MySQL's."""

_TOLD = tomllib.loads(Path(__file__).with_name("walks.toml").read_text("utf-8"))
_NAMES: dict[str, list[str]] = _TOLD["names"]
_TYPES: dict[str, dict[str, list[str]]] = _TOLD["types"]

_UNKEYED = (
    *("TEXT", "BLOB", "BYTEA", "CLOB", "JSON", "FLOAT", "REAL", "DOUBLE", "[]", "BINARY", "BYTE", "XML"),
    *("TO MONTH", "POINT", "GEOMETRY", "POLYGON", "LINESTRING", "BOX", "CIRCLE"),
)


def narrowed(rng: random.Random, schema: Schema, most: int = 3) -> Schema:
    """Return a schema of one to ``most`` of the tables: rare things meet more often where there is little else."""
    kept = rng.sample(schema.tables, min(rng.randint(1, most), len(schema.tables)))
    names = {table.name for table in kept}
    linked = (replace(t, foreign_keys=tuple(k for k in t.foreign_keys if k.table in names)) for t in kept)
    return replace(schema, tables=tuple(linked))


def schema_at(number: int, rng: random.Random, dialect: str, *, schema: str | None, data: Path | None) -> Schema:
    """Return the schema of a number: the one that is given, or else a fixed or a random one."""
    if schema is not None:
        return read_schema(schema, dialect)
    fixed = fixed_schemas(dialect, data)
    found = fixed[number % AGAIN] if number % AGAIN < len(fixed) else random_schema(rng, dialect)
    return respelled(rng, found) if dialect == "postgres" and number % 3 else found


@lru_cache
def fixed_schemas(dialect: str, data: Path | None) -> tuple[Schema, ...]:
    """Return the public sets' schemas, where there are any, and the plant's, with the types of a dialect."""
    found = [data / name for name in SETS] if data is not None else []
    schemas = [_in_dialect(read_schema(file, "mysql"), "mysql", dialect) for file in found]
    return (*schemas, _in_dialect(read_schema(PLANT, "sqlite"), "sqlite", dialect))


def _in_dialect(schema: Schema, source: str, dialect: str) -> Schema:
    return replace(schema, tables=tuple(_table(table, source, dialect) for table in schema.tables))


def _table(table: Table, source: str, dialect: str) -> Table:
    table = replace(table, columns=tuple(replace(c, type=_type(c, source, dialect)) for c in table.columns))
    if dialect != "mysql":
        return table
    keys = [table.column(name) for name in table.primary_key]
    fits = all(can_be_key(key) for key in keys) and sum(_length(key) for key in keys) <= _KEY_LENGTH
    return table if fits else replace(table, primary_key=())


def _type(column: Column, source: str, dialect: str) -> str:
    """Return a column's type in another dialect; SQLite takes any, and times have no zone."""
    if dialect == "sqlite":
        return column.type
    kind = exp.DataType.build(column.type, dialect=source)
    if kind.this in {exp.DType.TIMESTAMP, exp.DType.TIMESTAMPTZ}:
        kind.set("this", exp.DType.DATETIME)
    if kind.this in exp.DataType.INTEGER_TYPES:
        kind.set("expressions", None)
    return kind.sql(dialect=dialect).lower()


def _length(column: Column) -> int:
    kind = exp.DataType.build(column.type, dialect="mysql")
    return int(kind.expressions[0].name) if kind.expressions and "char" in column.type.lower() else 8


def random_schema(rng: random.Random, dialect: str, tables: int | None = None) -> Schema:
    """Return a schema of so many tables, or of 1 to 40."""
    count = tables or rng.choice([1, 2, 2, 3, 3, 4, 5, 6, 9, 15, 40])
    made: list[Table] = []
    for number in range(count):
        name = _name(rng, {t.name.lower() for t in made}, number)
        columns: list[Column] = []
        for place in range(rng.randint(1, 9)):
            column = _name(rng, {c.name.lower() for c in columns}, place)
            columns.append(Column(column, _random_type(rng, dialect)))
        made.append(_keyed(rng, Table(name, tuple(columns)), made))
    return Schema(tuple(made), "random")


def can_be_key(column: Column) -> bool:
    """Say whether an engine takes a column for a key without more ado, and equal values are equal in Python."""
    return not any(part in column.type.upper() for part in _UNKEYED)


def _random_type(rng: random.Random, dialect: str) -> str:
    kind = rng.choice(_TYPES[dialect]["usual" if rng.random() < 0.6 else "other"])
    return kind.lower() if rng.random() < 0.5 and "'" not in kind else kind


def _name(rng: random.Random, taken: set[str], number: int) -> str:
    name = rng.choice(_NAMES["odd" if rng.random() < 0.25 else "plain"])
    return name if name.lower() not in taken else f"{name}_{number}"


def _keyed(rng: random.Random, table: Table, before: list[Table]) -> Table:
    """Give a table no key, a key, or a composite one, and perhaps references to tables before it."""
    able = [column.name for column in table.columns if can_be_key(column)]
    key = tuple(able[: rng.choice([0, 1, 1, 2])])
    foreign: list[ForeignKey] = []
    for target in rng.sample(before, min(2, len(before))):
        width = len(target.primary_key)
        if 0 < width <= len(table.columns) and rng.random() < 0.6:
            columns = tuple(column.name for column in rng.sample(table.columns, width))
            foreign.append(ForeignKey(columns, target.name, target.primary_key))
    return Table(table.name, table.columns, key, tuple(foreign))
