"""The tables and views of a PostgreSQL server, as its catalogue has them: all that is asked of them, in one query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

__all__ = ["PostgresRelation", "postgres_relations"]

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
