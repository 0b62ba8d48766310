"""What PostgreSQL's catalogue knows and SQLAlchemy does not tell: which relations can be read, and made types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..schema.enumerations import enumeration

__all__ = ["PostgresRelation", "made_types", "postgres_relations"]

_RELATIONS = """
    SELECT n.nspname, c.relname, pg_catalog.pg_table_is_visible(c.oid),
        pg_catalog.has_any_column_privilege(c.oid, 'SELECT'),
        c.relispartition OR (
            EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid)
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_attribute a
                WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attinhcount = 0)),
        c.relkind = 'r' AND EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid)
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
"""


class PostgresRelation(NamedTuple):
    """A table or view.

    Attributes:
        namespace: the schema that it is in.
        name: its own.
        visible: whether its name alone finds it.
        readable: whether the user may read some column of it.
        part: whether its rows are its parents' as well, and it shows nothing more: a partition, or a child in the way
            of inheritance that has no column of its own.
        parent: whether it shows its children's rows, too, for which its keys do not hold.
    """

    namespace: str
    name: str
    visible: bool
    readable: bool
    part: bool
    parent: bool


def postgres_relations(ask: Callable[[str], Sequence[Sequence[Any]]]) -> list[PostgresRelation]:
    """Return all tables and views but the server's own.

    Args:
        ask: runs a query of ours and returns its rows.
    """
    return [PostgresRelation(*row) for row in ask(_RELATIONS)]


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
