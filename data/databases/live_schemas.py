"""Schemas of live databases, by their URL."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import DatabaseError, SchemaError
from ..packages import needs
from ..schema.schema import Column, ForeignKey, Schema, Table
from ..schema.views import with_origins
from .left_out import LeftOut
from .namespaces import TablePlace
from .urls import dialect_of, shown_url

if TYPE_CHECKING:
    from .live_relations import Relations
    from .reflected import ReflectedTable

__all__ = ["from_url"]

_SECONDS = 30.0
"""How long one read of the catalogue may take, and what a server does to begin with a view."""


def from_url(url: str) -> Schema:
    """Read the tables and views of a live database that its user may read; comments become descriptions.

    PostgreSQL's are those of all its schemas: see `Table.namespace`. What the user may not read, or nobody can, is left
    out, and `Schema.left_out` tells of it; so are, untold, the partitions of a table.

    Args:
        url: a SQLAlchemy URL, ``dialect+driver://user@host/database``.

    Raises:
        DatabaseError: it cannot be reached, or the driver is not installed.
        SchemaError: it has no tables.
    """
    with needs("SQLAlchemy", "querent[engines]", field="database"):  # files need it not
        from sqlalchemy import inspect

        from .live_relations import Relations
        from .postgres_times import with_far_times
        from .reflected import reflected
        from .remote import engine_of, limit_reading, told

    engine = engine_of(url)
    limit_reading(engine, _SECONDS)
    name = shown_url(url)
    left_out = LeftOut(partial(told, engine=engine))
    try:
        inspector = inspect(engine)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Did not recognize type")  # the server says what it is
            warnings.filterwarnings("ignore", message="Skipped unsupported reflection")  # an index of expressions
            relations = Relations.read(inspector, left_out)
            told_views = relations.views if engine.dialect.name in {"mysql", "mariadb"} else {}
            known = reflected(inspector, [p for p in relations.places if p.name not in told_views], left_out)
            read = [
                left_out.tried(place.name, None, relations.mysql_view, place)
                if place.name in told_views
                else left_out.tried(place.name, None, _live_table, inspector, place, relations, known[place])
                for place in relations.places
                if place.name in told_views or place in known
            ]
            tables = [replace(t, primary_key=(), unique=()) if t.name in relations.unkeyed else t for t in read if t]
            if engine.dialect.name == "postgresql":
                tables = [t if t.name in relations.views else with_far_times(t, engine, left_out) for t in tables]
    except Exception as error:  # drivers and dialects raise what they like
        raise DatabaseError(f"{name}: cannot read the schema: {told(error, engine)}") from error
    finally:
        engine.dispose()
    left_out.told += [f"{table.name}: it has no columns" for table in tables if not table.columns]
    tables = [table for table in tables if table.columns]
    if not tables:
        raise SchemaError(f"{name}: the database has no tables", hint="; ".join(left_out.told) or None)
    kept = with_origins(
        tables, {t.name: relations.views[t.name] for t in tables if t.name in relations.views}, dialect_of(url)
    )
    return Schema(kept, engine.url.database or "", left_out=tuple(left_out.told))


def _live_table(inspector: Any, place: TablePlace, relations: Relations, told: ReflectedTable) -> Table:
    return Table(
        place.name,
        tuple(
            Column(
                c["name"],
                relations.types.get((place.namespace, place.own_name, c["name"]))
                or _live_type(c["type"], inspector.dialect)
                or relations.called.get((place.namespace, place.own_name, c["name"]), ""),
                c.get("comment") or "",
            )
            for c in told.columns
        ),
        tuple(told.primary_key["constrained_columns"]),
        tuple(
            ForeignKey(tuple(k["constrained_columns"]), other, tuple(k["referred_columns"]))
            for k in told.foreign_keys
            if (other := relations.name(k["referred_schema"], k["referred_table"])) is not None
        ),
        told.comment["text"] or "",
        _unique(told),
        place.namespace,
        place.qualified,
    )


def _unique(told: ReflectedTable) -> tuple[str, ...]:
    """Return the columns that are unique by themselves: of constraints, and of indexes over all rows."""
    keys = [key["column_names"] for key in told.unique]
    for index in told.indexes:
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
