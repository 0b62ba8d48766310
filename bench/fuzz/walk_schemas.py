"""The schemas that walks go on: the public sets', the plant's, and random ones, each by its number."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from random_schemas import can_be_key, random_schema
from sqlglot import exp
from walk_results import ROOT

from querent.data.schema import Column, Schema, Table
from querent.data.schema_readers import read_schema

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


def narrowed(rng: random.Random, schema: Schema) -> Schema:
    """Return a schema of one to three of the tables: rare things meet more often where there is little else."""
    kept = rng.sample(schema.tables, min(rng.randint(1, 3), len(schema.tables)))
    names = {table.name for table in kept}
    linked = (replace(t, foreign_keys=tuple(k for k in t.foreign_keys if k.table in names)) for t in kept)
    return replace(schema, tables=tuple(linked))


def schema_at(number: int, rng: random.Random, dialect: str, *, schema: str | None, data: Path | None) -> Schema:
    """Return the schema of a number: the one that is given, or else a fixed or a random one."""
    if schema is not None:
        return read_schema(schema, dialect)
    fixed = fixed_schemas(dialect, data)
    return fixed[number % AGAIN] if number % AGAIN < len(fixed) else random_schema(rng, dialect)


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
