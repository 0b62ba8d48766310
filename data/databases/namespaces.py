"""Where the tables of a live database are: its schemas, and which tables are found by their names alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .left_out import LeftOut

__all__ = ["TablePlace", "places_of", "relations_of"]

_RELATIONS = {
    "postgres": """
        SELECT n.nspname, c.relname, c.relkind IN ('v', 'm'), pg_catalog.pg_table_is_visible(c.oid),
            pg_catalog.has_any_column_privilege(c.oid, 'SELECT'),
            c.relispartition OR (
                EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid)
                AND NOT EXISTS (
                    SELECT FROM pg_catalog.pg_attribute a
                    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attinhcount = 0)),
            c.relkind = 'r' AND EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid)
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
            AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
        ORDER BY array_position(current_schemas(false), n.nspname), n.nspname,
            array_position('{f,v,m}', c.relkind) NULLS FIRST, c.oid
    """,
    "mysql": """
        SELECT table_schema, table_name, table_type = 'VIEW', 1, 1, 0, 0 FROM information_schema.tables
        WHERE table_schema = DATABASE() AND table_type IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED')
        ORDER BY table_type = 'VIEW', table_name
        LIMIT 1000000 -- a session's own limit of rows is for queries without one
    """,
}
"""The tables of each schema, then its views; on PostgreSQL those of the search path first, in its order."""


@dataclass(frozen=True)
class TablePlace:
    """A table or view as a server's catalogue tells of it.

    Attributes:
        namespace: the schema that it is in.
        own_name: its name there.
        is_view: whether a query makes its rows.
        visible: whether its own name alone finds it.
        readable: whether the user may read some column of it, as far as the catalogue tells.
        part: whether its rows are its parents' as well, and it shows nothing more: a partition, or a child in the way
            of inheritance that has no column of its own.
        parent: whether it shows its children's rows, too, for which its keys do not hold.
        name, qualified: as of `Table`.
    """

    namespace: str
    own_name: str
    is_view: bool
    visible: bool
    readable: bool
    part: bool
    parent: bool
    name: str = ""
    qualified: bool = True


def relations_of(ask: Callable[[str], Sequence[Sequence[Any]]], dialect: str) -> list[TablePlace]:
    """Return all tables and views of a database, of PostgreSQL all but the server's own.

    Args:
        ask: runs a query of ours and returns its rows.
        dialect: postgres or mysql.
    """
    return [TablePlace(*row) for row in ask(_RELATIONS[dialect])]


def places_of(relations: Sequence[TablePlace], left_out: LeftOut) -> list[TablePlace]:
    """Return what the user may read and is no part of another, with its name, those first that the search path finds.

    A table whose name has a dot in it that makes it another one's is left out.
    """
    there = [one for one in relations if one.readable and not one.part]
    times = Counter(one.own_name for one in there)
    made = [
        replace(one, name=one.own_name, qualified=times[one.own_name] > 1) if one.visible
        else replace(one, name=f"{one.namespace}.{one.own_name}")
        for one in sorted(there, key=lambda one: not one.visible)
    ]  # fmt: skip
    places = {place.name: place for place in reversed(made)}
    left_out.told += [f"{place.name}: another table is called so" for place in made if places[place.name] != place]
    return [place for place in made if places[place.name] == place]
