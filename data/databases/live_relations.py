"""Which tables and views of a live database can be read, and what its catalogue says of them beyond SQLAlchemy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy import text

from ..schema.schema import Column, Table
from .left_out import LeftOut
from .namespaces import TablePlace, postgres_places, postgres_schemas
from .postgres_catalogue import PostgresRelation, made_types, postgres_relations
from .remote import is_locked
from .sqlite_session import quoted

__all__ = ["Relations"]

_MYSQL_VIEW = """
SELECT REPLACE(view_definition, CONCAT('`', REPLACE(DATABASE(), '`', '``'), '`.'), '') FROM information_schema.views
WHERE table_schema = DATABASE() AND table_name = :view
"""
"""Names have their database before them: what is left in it, stands for another's tables."""

_CALLED = {
    "postgresql": """
        SELECT n.nspname, c.relname, a.attname, t.typname FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE a.attnum > 0
    """,
    "mysql": """
        SELECT table_schema, table_name, column_name, column_type FROM information_schema.columns
        WHERE table_schema = DATABASE() ORDER BY ordinal_position
    """,
}
"""Where a server says what the types of columns are called."""

_MARIADB_JSON = """
SELECT constraint_schema, table_name, constraint_name FROM information_schema.check_constraints
WHERE constraint_schema = DATABASE() AND level = 'Column'
AND check_clause = CONCAT('json_valid(`', REPLACE(constraint_name, '`', '``'), '`)')
"""
"""The columns that were declared as JSON: MariaDB tells them as texts with this check, and knows them from texts."""


@dataclass(frozen=True)
class Relations:
    """What can be read of a live database.

    Attributes:
        places: of tables and views.
        views: the definition of each view by the name of its place, empty where the user may not see it.
        types: of columns by schema, table and column, where the catalogue says more than SQLAlchemy.
        called: what the server calls the types of columns.
        unkeyed: tables that may hold a key twice.
    """

    places: Sequence[TablePlace]
    views: Mapping[str, str]
    types: Mapping[tuple[str, str, str], str]
    called: Mapping[tuple[str, str, str], str]
    unkeyed: frozenset[str]

    def mysql_view(self, place: TablePlace) -> Table:
        """Return a view of MySQL's, which SQLAlchemy reads by a statement that takes a right of its own."""
        where = (place.namespace, place.own_name)
        columns = (Column(column, kind) for (*table, column), kind in self.called.items() if (*table,) == where)
        return Table(place.name, tuple(columns), namespace=place.namespace)

    @cached_property
    def _by_names(self) -> dict[tuple[str | None, str], str]:
        found: dict[tuple[str | None, str], str] = {(p.namespace, p.own_name): p.name for p in self.places}
        # a reference says no schema where the search path finds the table
        return found | {(None, p.own_name): p.name for p in self.places if p.name == p.own_name}

    def name(self, schema: str | None, own: str) -> str | None:
        """Return the name of the table that a foreign key refers to, None where it is not read."""
        return self._by_names.get((schema, own))

    @classmethod
    def read(cls, inspector: Any, left_out: LeftOut) -> Relations:
        """Ask an inspector of SQLAlchemy's for all there is, and try each."""
        postgres = inspector.dialect.name == "postgresql"
        schemas: list[str] = [inspector.default_schema_name or ""]  # of MariaDB and MySQL the database of the URL
        known: list[PostgresRelation] = []
        with inspector.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            if postgres:
                known = postgres_relations(lambda sql: connection.exec_driver_sql(sql).fetchall())
                schemas = postgres_schemas(connection)
            types = left_out.tried("types", {}, made_types if postgres else _json, connection)
            named = _CALLED["postgresql" if postgres else "mysql"]
            called = left_out.tried("names of types", [], lambda: connection.exec_driver_sql(named).fetchall())
            tables = {schema: _tables(inspector, schema or None, postgres=postgres) for schema in schemas}
            views = {schema: dict.fromkeys(_views(inspector, schema or None, postgres=postgres)) for schema in schemas}
            parts = {(r.namespace, r.name) for r in known if r.part}
            there = {schema: [*tables[schema], *views[schema]] for schema in schemas}
            wanted = {s: [own for own in names if (s, own) not in parts] for s, names in there.items()}
            plain = [TablePlace(schema, own, own, qualified=False) for schema in schemas for own in wanted[schema]]
            places = postgres_places(wanted, known, left_out) if postgres else plain
            able = [place for place in places if left_out.tried(place.name, False, _try, connection, place)]
        parents = {(r.namespace, r.name) for r in known if r.parent}
        shown = [place for place in able if place.own_name in views[place.namespace]]
        told = {p.name: left_out.tried(f"definition of {p.name}", "", _definition, inspector, p) for p in shown}
        names = {(str(schema), str(table), str(column)): str(kind) for schema, table, column, kind in called}
        return cls(able, told, types, names, frozenset(p.name for p in able if (p.namespace, p.own_name) in parents))


def _json(connection: Any) -> dict[tuple[str, str, str], str]:
    """Return the type of the columns of JSON that a MariaDB tells as texts."""
    if not getattr(connection.dialect, "is_mariadb", False):
        return {}
    rows = connection.execute(text(_MARIADB_JSON)).fetchall()
    return {(str(schema), str(table), str(column)): "json" for schema, table, column in rows}


def _tables(inspector: Any, schema: str | None, *, postgres: bool) -> list[str]:
    foreign = inspector.get_foreign_table_names(schema) if postgres else ()
    return [*inspector.get_table_names(schema), *foreign]


def _views(inspector: Any, schema: str | None, *, postgres: bool) -> list[str]:
    kept = inspector.get_materialized_view_names(schema) if postgres else ()
    return [*inspector.get_view_names(schema), *kept]


def _try(connection: Any, place: TablePlace) -> bool:
    """Read no row of a table or view; that fails without a right to it, or where its definition is out of date.

    One that another session has locked is there: its columns are read, and queries wait for it or tell of the lock.
    """
    mark = connection.dialect.identifier_preparer.initial_quote
    whole = ".".join(quoted(part, mark) for part in (place.namespace, place.own_name) if part)
    try:
        connection.exec_driver_sql(f"SELECT * FROM {whole} LIMIT 0", execution_options={"no_parameters": True})
    except Exception as error:
        if not is_locked(error):
            raise
    return True


def _definition(inspector: Any, view: TablePlace) -> str:
    """Return the SELECT of a view, empty where the user may not see it."""
    if inspector.dialect.name in {"mysql", "mariadb"}:
        with inspector.engine.connect() as connection:
            return str(connection.execute(text(_MYSQL_VIEW), {"view": view.own_name}).scalar() or "")
    return str(inspector.get_view_definition(view.own_name, view.namespace or None) or "")
