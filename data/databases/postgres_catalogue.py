"""The types that people have made, which SQLAlchemy does not tell of PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..schema.enumerations import enumeration

__all__ = ["made_types"]

_TYPES = """
WITH RECURSIVE up AS (
    SELECT oid, oid AS base, typtype, typbasetype FROM pg_type
    UNION ALL SELECT up.oid, b.oid, b.typtype, b.typbasetype FROM up JOIN pg_type b ON b.oid = up.typbasetype
)
SELECT s.nspname, c.relname, a.attname, t.typtype::text, t.typcategory::text, format_type(t.oid, NULL),
    quote_ident(n.nspname) || '.' || quote_ident(t.typname),
    ARRAY(SELECT e.enumlabel::text FROM pg_enum e WHERE e.enumtypid = t.oid ORDER BY e.enumsortorder)
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace s ON s.oid = c.relnamespace
JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace n ON n.oid = t.typnamespace
JOIN up ON up.oid = t.oid AND up.typtype <> 'd'
JOIN pg_type b ON b.oid = up.base JOIN pg_namespace o ON o.oid = b.typnamespace
WHERE s.nspname !~ '^pg_' AND a.attnum > 0 AND NOT a.attisdropped
    AND (o.nspname <> 'pg_catalog' OR b.typname IN ('char', 'name')) AND b.typname <> 'citext'
"""


def made_types(connection: Any) -> Mapping[tuple[str, str, str], str]:
    """Return the types of columns that somebody has made, by schema, table and column: ``mood enum('calm','busy')``.

    Those of which nothing is known have their schema before them, so that they are taken for none of the engine's own.

    Args:
        connection: of SQLAlchemy's.
    """
    rows = connection.exec_driver_sql(_TYPES).fetchall()
    return {(schema, table, column): _written(*told) for schema, table, column, *told in rows}


def _written(kind: str, category: str, shown: str, qualified: str, labels: list[str]) -> str:
    if kind == "e":
        return enumeration(shown, labels)
    return shown if category == "A" and kind != "d" else qualified
