"""Which tables and views of a live database can be read, and what its catalogue says of them beyond SQLAlchemy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from .live_postgres import PostgresCatalogue
from .remote import told
from .schema import Column, Table

__all__ = ["Relations", "mysql_view"]

_MYSQL_VIEW = """
SELECT view_definition FROM information_schema.views WHERE table_schema = DATABASE() AND table_name = :view
"""

_MYSQL_COLUMNS = """
SELECT column_name, column_type, column_comment FROM information_schema.columns
WHERE table_schema = DATABASE() AND table_name = :view ORDER BY ordinal_position
"""


@dataclass(frozen=True)
class Relations:
    """What can be read of a live database.

    Attributes:
        names: of tables and views.
        views: the definition of each view, empty where the user may not see it.
        types: of columns, where the catalogue says more than SQLAlchemy.
        unkeyed: tables that may hold a key twice.
        left_out: as `Schema.left_out`.
    """

    names: tuple[str, ...]
    views: Mapping[str, str]
    types: Mapping[tuple[str, str], str]
    unkeyed: frozenset[str]
    left_out: tuple[str, ...]

    @classmethod
    def read(cls, inspector: Any) -> Relations:
        """Ask an inspector of SQLAlchemy's for all there is, and try each."""
        names, views = [*inspector.get_table_names()], [*inspector.get_view_names()]
        catalogue = PostgresCatalogue({}, frozenset(), frozenset())
        with inspector.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            if inspector.dialect.name == "postgresql":
                views += inspector.get_materialized_view_names()
                names += inspector.get_foreign_table_names()
                catalogue = PostgresCatalogue.read(connection)
            wanted = [name for name in (*names, *views) if name not in catalogue.parts]
            reasons = {name: _unreadable(connection, name) for name in wanted}
        return cls(
            tuple(name for name in wanted if not reasons[name]),
            {name: _definition(inspector, name) for name in views if not reasons[name]},
            catalogue.types,
            catalogue.parents,
            tuple(f"{name}: {reason}" for name, reason in reasons.items() if reason),
        )


def _unreadable(connection: Any, name: str) -> str:
    """Return why a table or view cannot be read, nothing if it can: no right to, or its definition is out of date."""
    try:
        quoted = connection.dialect.identifier_preparer.quote_identifier(name)
        connection.exec_driver_sql(f"SELECT * FROM {quoted} LIMIT 0", execution_options={"no_parameters": True})
    except SQLAlchemyError as error:
        return told(getattr(error, "orig", None) or error)
    return ""


def mysql_view(inspector: Any, name: str) -> Table:
    """Return a view of MySQL's, which SQLAlchemy reads by a statement that takes a right of its own."""
    with inspector.engine.connect() as connection:
        rows = connection.execute(text(_MYSQL_COLUMNS), {"view": name}).fetchall()
    return Table(name, tuple(Column(str(column), str(kind), str(comment or "")) for column, kind, comment in rows))


def _definition(inspector: Any, view: str) -> str:
    """Return the SELECT of a view, empty where the user may not see it."""
    if inspector.dialect.name in {"mysql", "mariadb"}:
        query = text(_MYSQL_VIEW)
        with inspector.engine.connect() as connection:
            return str(connection.execute(query, {"view": view}).scalar() or "")
    return str(inspector.get_view_definition(view) or "")
