"""What PostgreSQL's catalogue knows and SQLAlchemy does not tell: types that people made, and parts of tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .enumerations import enumeration

__all__ = ["PostgresCatalogue"]

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
_PARTS = """
SELECT s.nspname, c.relname FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
WHERE (c.relispartition OR (
    EXISTS (SELECT 1 FROM pg_inherits i WHERE i.inhrelid = c.oid)
    AND NOT EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        AND a.attinhcount = 0)))
"""

_PARENTS = """
SELECT DISTINCT s.nspname, c.relname FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
JOIN pg_inherits i ON i.inhparent = c.oid WHERE c.relkind = 'r'
"""


@dataclass(frozen=True)
class PostgresCatalogue:
    """What is told of all schemas.

    Attributes:
        types: of columns whose types somebody has made, by schema, table and column: ``mood enum('calm','busy')``;
            with their schema before them those of which nothing is known, so that they are taken for none of the
            engine's own.
        parts: tables whose rows are their parents' as well, and that show nothing more: partitions, and children in the
            way of inheritance that have no column of their own.
        parents: tables that show their children's rows, too, for which their keys do not hold.
    """

    types: Mapping[tuple[str, str, str], str]
    parts: frozenset[tuple[str, str]]
    parents: frozenset[tuple[str, str]]

    @classmethod
    def read(cls, connection: Any) -> PostgresCatalogue:
        """Read the catalogue over a connection of SQLAlchemy's."""
        rows, parts, parents = (connection.exec_driver_sql(query).fetchall() for query in (_TYPES, _PARTS, _PARENTS))
        types = {(schema, table, column): _written(*told) for schema, table, column, *told in rows}
        return cls(types, frozenset((s, t) for s, t in parts), frozenset((s, t) for s, t in parents))


def _written(kind: str, category: str, shown: str, qualified: str, labels: list[str]) -> str:
    if kind == "e":
        return enumeration(shown, labels)
    return shown if category == "A" and kind != "d" else qualified
