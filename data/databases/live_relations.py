"""Which tables and views of a live database can be read, and what its catalogue says of them beyond SQLAlchemy."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from sqlalchemy import Connection, bindparam, text

from ..errors import LockedError
from ..schema.enumerations import enumeration
from .database import FoundTables
from .readable import TablePlace, places_of, relations_of
from .remote import ServerSession, is_waiting
from .rights import LeftOut
from .sqlite_session import quoted

__all__ = ["SECONDS", "Relations"]

SECONDS, _LOCK_SECONDS = 30.0, 1.0
"""How long one read of the catalogue may take, and how long it may wait for a lock."""

_AT_ONCE = 100
"""Tables that one query tries."""

_PATIENCE, _HASTE = 3.0, 0.5
"""Seconds that a table may take to begin with, and that each has once another session has locked one."""

_WHOLE_ROW = {
    "postgres": "(SELECT row_tried FROM {} AS row_tried LIMIT 0)",
    "mysql": "(SELECT COUNT(*) FROM (SELECT * FROM {} LIMIT 0) AS row_tried)",
}
"""Reads all columns of no row."""

_DEFINITIONS = {
    "postgres": """
        SELECT n.nspname, c.relname, pg_catalog.pg_get_viewdef(c.oid)
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('v', 'm') AND c.relname IN :names
    """,
    "mysql": """
        SELECT table_schema, table_name, REPLACE(view_definition, CONCAT('`', REPLACE(DATABASE(), '`', '``'), '`.'), '')
        FROM information_schema.views WHERE table_schema = DATABASE() AND table_name IN :names
    """,
}
"""MySQL's names have their database before them: what is left in it, stands for another's tables."""

_CALLED = {
    "postgres": """
        SELECT n.nspname, c.relname, a.attname, t.typname FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE a.attnum > 0 AND n.nspname !~ '^pg_' AND has_column_privilege(c.oid, a.attnum, 'SELECT')
    """,
    "mysql": """
        SELECT table_schema, table_name, column_name, column_type FROM information_schema.columns
        WHERE table_schema = DATABASE() AND privileges LIKE '%select%' ORDER BY ordinal_position
    """,
}
"""Where a server says which columns may be read, and what their types are called."""

_MADE_TYPES = """
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
"""The columns of PostgreSQL whose types somebody has made."""

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
        partial: those of which the user may read some columns alone.
        views: the definition of each view by the name of its place, empty where the user may not see it.
        types: of columns by schema, table and column, where the catalogue says more than SQLAlchemy.
        called: what the server calls the types of the columns that may be read.
    """

    places: Sequence[TablePlace]
    partial: Collection[TablePlace]
    views: Mapping[str, str]
    types: Mapping[tuple[str, str, str], str]
    called: Mapping[tuple[str, str, str], str]

    def readable(self, place: TablePlace) -> dict[str, str]:
        """Return the columns of a table or view that may be read, and what the server calls their types."""
        where = (place.namespace, place.own_name)
        return {column: kind for (*table, column), kind in self.called.items() if (*table,) == where}

    @cached_property
    def _by_names(self) -> dict[tuple[str | None, str], str]:
        found: dict[tuple[str | None, str], str] = {(p.namespace, p.own_name): p.name for p in self.places}
        # a reference says no schema where the search path finds the table
        return found | {(None, p.own_name): p.name for p in self.places if p.name == p.own_name}

    def name(self, schema: str | None, own: str) -> str | None:
        """Return the name of the table that a foreign key refers to, None where it is not read."""
        return self._by_names.get((schema, own))

    @classmethod
    def read(cls, session: ServerSession, connection: Connection, left_out: LeftOut, found: FoundTables) -> Relations:
        """Ask a server for all there is, and try each; what another session has locked is noted in ``found``."""
        dialect = session.dialect

        def ask(sql: str) -> Sequence[Any]:
            return connection.exec_driver_sql(sql, execution_options={"no_parameters": True}).fetchall()

        session.limit(connection, SECONDS, _LOCK_SECONDS)
        places = places_of(relations_of(ask, dialect), left_out)
        types = left_out.tried("types", {}, _made_types if dialect == "postgres" else _json, connection)
        called = left_out.tried("names of types", [], ask, _CALLED[dialect])
        trial = _Trial(session, connection, found)
        whole: dict[TablePlace, bool] = {}
        for start in range(0, len(places), _AT_ONCE):
            some = {place: place.name for place in places[start : start + _AT_ONCE]}
            whole |= left_out.tried_at_once(some, trial)
        session.limit(connection, SECONDS, _LOCK_SECONDS)
        # PostgreSQL waits for what a view reads to tell its definition, which its columns do not hang on
        views = {p: f"definition of {p.name}" for p in whole if p.is_view and p.name not in found.late}
        told = left_out.tried_at_once(views, partial(_definitions, connection, dialect))
        return cls(
            [*whole],
            {place for place, is_whole in whole.items() if not is_whole},
            {p.name: told.get((p.namespace, p.own_name)) or "" for p in whole if p.is_view},
            types,
            {(str(schema), str(table), str(column)): str(kind) for schema, table, column, kind in called},
        )


class _Trial:
    """Reads no row of tables and views; that fails without a right to one, or where its definition is out of date.

    One that another session has locked is there: its columns are read, and queries wait for it or tell of the lock.
    """

    def __init__(self, session: ServerSession, connection: Connection, found: FoundTables) -> None:
        self._session, self._connection, self._late = session, connection, found.late

    def __call__(self, places: Sequence[TablePlace]) -> dict[TablePlace, bool]:
        """Return whether all columns of each may be read; a single one is waited for, until one is locked."""
        if len(places) == 1:
            self._session.limit(self._connection, _HASTE if self._late else _PATIENCE)
        try:
            self._read(_WHOLE_ROW[self._session.dialect], places)
        except Exception as error:
            if len(places) > 1:
                raise
            if not is_waiting(error):
                self._read("(SELECT 1 FROM {} LIMIT 0)", places)
                return dict.fromkeys(places, False)
            problem = f"{self._session.name}: another session has locked what the query reads"
            self._late[places[0].name] = LockedError(problem)
        return dict.fromkeys(places, True)

    def _read(self, what: str, places: Sequence[TablePlace]) -> None:
        mark = "`" if self._session.dialect == "mysql" else '"'
        named = (".".join(quoted(part, mark) for part in (p.namespace, p.own_name) if part) for p in places)
        sql = f"SELECT {', '.join(map(what.format, named))}"
        self._connection.exec_driver_sql(sql, execution_options={"no_parameters": True})


def _made_types(connection: Connection) -> Mapping[tuple[str, str, str], str]:
    """Return the types of columns that somebody has made: ``mood enum('calm','busy')``.

    Those of which nothing is known have their schema before them, so that they are taken for none of the engine's own.
    """
    rows = connection.exec_driver_sql(_MADE_TYPES).fetchall()
    return {(schema, table, column): _type_name(*told) for schema, table, column, *told in rows}


def _type_name(kind: str, category: str, shown: str, qualified: str, labels: list[str]) -> str:
    if kind == "e":
        return enumeration(shown, labels)
    return shown if category == "A" and kind != "d" else qualified


def _json(connection: Connection) -> dict[tuple[str, str, str], str]:
    """Return the type of the columns of JSON that a MariaDB tells as texts."""
    if not getattr(connection.dialect, "is_mariadb", False):
        return {}
    rows = connection.execute(text(_MARIADB_JSON)).fetchall()
    return {(str(schema), str(table), str(column)): "json" for schema, table, column in rows}


def _definitions(connection: Connection, dialect: str, views: Sequence[TablePlace]) -> dict[tuple[str, str], str]:
    """Return the SELECT of each view, empty where the user may not see it."""
    wanted = text(_DEFINITIONS[dialect]).bindparams(bindparam("names", expanding=True))
    rows = connection.execute(wanted, {"names": [view.own_name for view in views]})
    return {(str(schema), str(name)): str(told or "") for schema, name, told in rows}
