"""Schemas as a folder laid out as Spider's has them beside its databases."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from querent.data.schema.schema import Schema

__all__ = ["described", "quote", "without_keys", "write_json"]


def described(schema: Schema, db_id: str) -> dict[str, Any]:
    """Return a schema as ``tables.json`` has it."""
    columns = [(n, column) for n, table in enumerate(schema.tables) for column in table.columns]
    tables = {table.name: n for n, table in enumerate(schema.tables)}
    place = {(n, column.name.lower()): i for i, (n, column) in enumerate(columns, start=1)}
    keys = [(n, key) for n, table in enumerate(schema.tables) for key in table.foreign_keys]
    return {
        "db_id": db_id,
        "table_names": [table.description or table.name for table in schema.tables],
        "table_names_original": [table.name for table in schema.tables],
        "column_names": [[-1, "*"], *([n, column.description or column.name] for n, column in columns)],
        "column_names_original": [[-1, "*"], *([n, column.name] for n, column in columns)],
        "column_types": ["text", *(column.type for _, column in columns)],
        "primary_keys": [place[n, c.lower()] for n, table in enumerate(schema.tables) for c in table.primary_key],
        "foreign_keys": [
            [place[n, one.lower()], place[tables[key.table], other.lower()]]
            for n, key in keys
            for one, other in zip(key.columns, key.references, strict=False)
        ],
    }


def without_keys(schema: Schema) -> Schema:
    """Return a schema as if none of its keys were declared."""
    tables = (replace(table, primary_key=(), unique=(), foreign_keys=()) for table in schema.tables)
    return replace(schema, tables=tuple(tables))


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def write_json(file: Path, content: Any) -> None:
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
