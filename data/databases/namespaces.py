"""Where the tables of a live database are: its schemas, and which tables are found by their names alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .left_out import LeftOut

__all__ = ["KnownRelation", "TablePlace", "known_relations", "places_of"]

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


class KnownRelation(NamedTuple):
    """A table or view.

    Attributes:
        namespace: the schema that it is in.
        name: its own.
        is_view: whether a query makes its rows.
        visible: whether its name alone finds it.
        readable: whether the user may read some column of it, as far as the catalogue tells.
        part: whether its rows are its parents' as well, and it shows nothing more: a partition, or a child in the way
            of inheritance that has no column of its own.
        parent: whether it shows its children's rows, too, for which its keys do not hold.
    """

    namespace: str
    name: str
    is_view: bool
    visible: bool
    readable: bool
    part: bool
    parent: bool


def known_relations(ask: Callable[[str], Sequence[Sequence[Any]]], dialect: str) -> list[KnownRelation]:
    """Return all tables and views of a database, of PostgreSQL all but the server's own.

    Args:
        ask: runs a query of ours and returns its rows.
        dialect: postgres or mysql.
    """
    return [KnownRelation(str(schema), str(name), *map(bool, told)) for schema, name, *told in ask(_RELATIONS[dialect])]


@dataclass(frozen=True)
class TablePlace:
    """Where a table is; `Table` says what its parts mean."""

    namespace: str
    own_name: str
    name: str
    qualified: bool
    known: KnownRelation


def places_of(known: Sequence[KnownRelation], left_out: LeftOut) -> list[TablePlace]:
    """Return the places of what the user may read and is no part of another, those first that the search path finds.

    A table whose name has a dot in it that makes it another one's is left out.
    """
    there = [one for one in known if one.readable and not one.part]
    times = Counter(one.name for one in there)
    made = [
        TablePlace(one.namespace, one.name, one.name, times[one.name] > 1, one) if one.visible
        else TablePlace(one.namespace, one.name, f"{one.namespace}.{one.name}", qualified=True, known=one)
        for one in sorted(there, key=lambda one: not one.visible)
    ]  # fmt: skip
    places = {place.name: place for place in reversed(made)}
    left_out.told += [f"{place.name}: another table is called so" for place in made if places[place.name] != place]
    return [place for place in made if places[place.name] == place]
