"""A schema with what its columns hold, as the page browses it."""

from __future__ import annotations

from typing import Any

from ..data.profiles.database_profile import DatabaseProfile
from ..data.profiles.stored_as import key_words, stored_as
from ..data.schema.schema import Column, Schema, Table

__all__ = ["schema_shown"]

_EXAMPLES = 5


def schema_shown(schema: Schema, profile: DatabaseProfile) -> dict[str, Any]:
    """Return tables and columns with kinds, keys, and a few cells, as plain dicts and lists.

    Args:
        schema: narrowed to what may be read.
        profile: of that part alone.
    """
    return {"tables": [_table(table, profile) for table in schema.tables]}


def _table(table: Table, profile: DatabaseProfile) -> dict[str, Any]:
    columns = [_column(table, column, profile) for column in table.columns]
    told = {"name": table.name, "description": table.description, "rows": profile.rows.get(table.name)}
    return {**told, "columns": columns}


def _column(table: Table, column: Column, profile: DatabaseProfile) -> dict[str, Any]:
    one = profile.column(table.name, column.name)
    primary = column.name in table.primary_key
    return {
        "name": column.name,
        "type": column.type,
        "description": column.description,
        "primary": primary,
        "keys": [key_words(key) for key in profile.keys_from(table.name) if column.name in key.columns],
        "kind": one.kind if one else None,
        "stored_as": stored_as(one) if one else "",
        "examples": list(one.examples[:_EXAMPLES]) if one else [],
        "doubt": one.doubt if one else "",
    }
