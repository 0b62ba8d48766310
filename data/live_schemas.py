"""Schemas of live databases, by their URL."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .errors import DatabaseError, SchemaError
from .schema import Column, ForeignKey, Schema, Table
from .views import with_origins

__all__ = ["from_url"]

_TYPE_NAMES = {
    "mysql": ("data_type", "DATABASE()"),
    "mariadb": ("data_type", "DATABASE()"),
    "postgresql": ("udt_name", "current_schema()"),
}
"""Where each server says what a column's type is called, and which schema is the connection's own."""

_SQLGLOT = {"postgresql": "postgres", "mariadb": "mysql"}
"""What sqlglot calls a dialect otherwise than SQLAlchemy."""


def from_url(url: str) -> Schema:
    """Read the tables and views of the default schema of a live database; comments become descriptions.

    What the user may not read, or nobody can, is left out, and `Schema.left_out` tells of it; so are, untold, the
    partitions of a table.

    Args:
        url: a SQLAlchemy URL, ``dialect+driver://user@host/database``.

    Raises:
        DatabaseError: it cannot be reached, or the driver is not installed.
        SchemaError: it has no tables.
    """
    from sqlalchemy import inspect  # it takes a while to import; files need it not
    from sqlalchemy.exc import SQLAlchemyError

    from .live_relations import Relations, mysql_view
    from .remote import engine_of, told

    engine = engine_of(url)
    name = engine.url.render_as_string(hide_password=True)
    try:
        inspector = inspect(engine)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Did not recognize type")  # the server says what it is
            warnings.filterwarnings("ignore", message="Skipped unsupported reflection")  # an index of expressions
            relations = Relations.read(inspector)
            told_views = relations.views if engine.dialect.name in {"mysql", "mariadb"} else {}
            read = (
                mysql_view(inspector, table) if table in told_views else _live_table(inspector, table, relations.types)
                for table in relations.names
            )
            tables = tuple(replace(t, primary_key=(), unique=()) if t.name in relations.unkeyed else t for t in read)
    except (SQLAlchemyError, TypeError) as error:
        problem = told(getattr(error, "orig", None) or error)
        raise DatabaseError(f"{name}: cannot read the schema: {problem}") from error
    finally:
        engine.dispose()
    if not tables:
        raise SchemaError(f"{name}: the database has no tables")
    tables = with_origins(tables, relations.views, _SQLGLOT.get(engine.dialect.name, engine.dialect.name))
    return Schema(tables, engine.url.database or "", left_out=relations.left_out)


def _live_table(inspector: Any, name: str, types: Mapping[tuple[str, str], str]) -> Table:
    try:
        comment = inspector.get_table_comment(name)["text"]
    except NotImplementedError:  # the dialect has no comments
        comment = None
    return Table(
        name,
        tuple(
            Column(
                c["name"],
                types.get((name, c["name"]))
                or _live_type(c["type"], inspector.dialect)
                or _told_type(inspector, name, c["name"]),
                c.get("comment") or "",
            )
            for c in inspector.get_columns(name)
        ),
        tuple(inspector.get_pk_constraint(name)["constrained_columns"]),
        tuple(
            ForeignKey(tuple(k["constrained_columns"]), k["referred_table"], tuple(k["referred_columns"]))
            for k in inspector.get_foreign_keys(name)
        ),
        comment or "",
        _unique(inspector, name),
    )


def _unique(inspector: Any, table: str) -> tuple[str, ...]:
    """Return the columns that are unique by themselves: of constraints, and of indexes over all rows."""
    keys = [key["column_names"] for key in inspector.get_unique_constraints(table)]
    for index in inspector.get_indexes(table):
        partial = any(option.endswith("_where") for option in index.get("dialect_options", {}))
        if index["unique"] and not partial and not index.get("expressions"):
            keys.append(index["column_names"])
    return tuple(dict.fromkeys(columns[0] for columns in keys if len(columns) == 1))


def _live_type(kind: Any, dialect: Any) -> str:
    """Return a type as its server writes it; nothing if SQLAlchemy knows it not."""
    from sqlalchemy.types import NullType

    if isinstance(kind, NullType):
        return ""
    if hasattr(kind, "data_type"):  # a domain
        return _live_type(kind.data_type, dialect)
    for noise in ("collation", "charset"):
        if getattr(kind, noise, None):
            setattr(kind, noise, None)
    written: str = kind.compile(dialect=dialect)
    return written if "'" in written else written.lower().replace(" without time zone", "")


def _told_type(inspector: Any, table: str, column: str) -> str:
    """Return what the server calls a column's type; SQLite has columns without."""
    from sqlalchemy import text

    if inspector.dialect.name not in _TYPE_NAMES:
        return "text"
    called, own = _TYPE_NAMES[inspector.dialect.name]
    query = f"SELECT {called} FROM information_schema.columns WHERE table_schema = {own}"
    with inspector.engine.connect() as connection:
        found = connection.execute(
            text(f"{query} AND table_name = :table AND column_name = :column"), {"table": table, "column": column}
        )
        return str(found.scalar_one())
