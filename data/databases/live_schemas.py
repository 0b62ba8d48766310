"""Schemas of live databases, by their URL."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import DatabaseError, SchemaError
from ..packages import needs
from ..schema.schema import Column, ForeignKey, Schema, Table
from ..schema.views import with_origins
from .database import FoundTables
from .readable import TablePlace
from .rights import LeftOut
from .sqlite_session import quoted

if TYPE_CHECKING:
    from .live_relations import Relations
    from .reflected import ReflectedTable
    from .remote import ServerSession

__all__ = ["from_url"]

_ALL_ROWS = 10**9

_TIMES = re.compile(r"(?:date|timestamp)\b(?!.*\[)", re.IGNORECASE)
_NEAR = "BETWEEN DATE '4000-01-01 BC' AND DATE '20999-12-31'"
"""Times that stay times when they are shifted by some hundred years, and lie less than ten million days apart."""

_TIME_SECONDS = 2.0
"""How long the rows of one table may take; where they take longer, its times may be any."""


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
    with needs("SQLAlchemy", "engines", field="database"):  # files need it not
        from sqlalchemy import inspect

        from .live_relations import SECONDS, Relations
        from .remote import ServerSession, told

    with closing(ServerSession(url, timeout=SECONDS, max_rows=_ALL_ROWS)) as session:
        left_out, found = LeftOut(partial(told, session=session)), FoundTables.of(url)
        try:
            with session.connected() as connection:
                alone = connection.execution_options(isolation_level="AUTOCOMMIT")  # what fails costs no other
                relations = Relations.read(session, alone, left_out, found)
                tables = _tables(inspect(alone), relations, session.dialect, left_out)
        except DatabaseError as error:
            raise DatabaseError(f"{session.name}: cannot read the schema: {told(error, session)}") from error
        if session.dialect == "postgres":
            tables = [t if t.name in relations.views else _with_far_times(t, session, left_out, found) for t in tables]
    left_out.told += [f"{table.name}: it has no columns" for table in tables if not table.columns]
    tables = [table for table in tables if table.columns]
    if not tables:
        raise SchemaError(f"{session.name}: the database has no tables", hint="; ".join(left_out.told) or None)
    kept = with_origins(
        tables, {t.name: relations.views[t.name] for t in tables if t.name in relations.views}, session.dialect
    )
    return Schema(kept, session.database, left_out=tuple(left_out.told))


def _tables(inspector: Any, relations: Relations, dialect: str, left_out: LeftOut) -> list[Table]:
    """Return the tables and views as far as they may be read, as SQLAlchemy or else the catalogue tells of them."""
    from .reflected import reflected

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Did not recognize type")  # the server says what it is
        warnings.filterwarnings("ignore", message="Skipped unsupported reflection")  # an index of expressions
        # SQLAlchemy reads MySQL's by a statement that takes a right of its own
        bare = {p for p in relations.places if dialect == "mysql" and (p.is_view or p in relations.partial)}
        known = reflected(inspector, [place for place in relations.places if place not in bare], left_out)
        read = {
            place: left_out.tried(place.name, None, _catalogue_table, place, relations)
            if place in bare
            else left_out.tried(place.name, None, _live_table, inspector, place, relations, known[place])
            for place in relations.places
            if place in bare or place in known
        }
    tables = {place: table for place, table in read.items() if table is not None}
    kept = {t.name: [c.name for c in t.columns] for t in tables.values()}
    for place in (place for place in tables if place in relations.partial):
        readable = relations.readable(place)
        hidden = [name for name in kept[place.name] if name not in readable]
        kept[place.name] = [*readable]
        named = f": {', '.join(hidden)}" if hidden else ""
        left_out.told.append(f"{place.name}: columns that the user may not read are left out{named}")
    return [*Schema(tuple(tables.values())).part(kept).tables]


def _catalogue_table(place: TablePlace, relations: Relations) -> Table:
    columns = (Column(column, kind) for column, kind in relations.readable(place).items())
    return Table(place.name, tuple(columns), namespace=place.namespace, partial=place in relations.partial)


def _with_far_times(table: Table, session: ServerSession, left_out: LeftOut, found: FoundTables) -> Table:
    """Return a table whose times are `Column.computed`, of any size, where some of them are far off or infinite."""
    times = [column.name for column in table.columns if _TIMES.match(column.type)]
    far = ", ".join(f"bool_or({quoted(name)} NOT {_NEAR})" for name in times)

    def asked() -> set[str]:
        if (late := found.late.get(table.name)) is not None:
            raise late
        row = session.send(f"SELECT {far} FROM {'.'.join(map(quoted, table.path))}", 1, timeout=_TIME_SECONDS).rows[0]
        return {name for name, is_far in zip(times, row, strict=True) if is_far}

    held = left_out.tried(f"arithmetic with the times of {table.name}", {*times}, asked) if times else ()
    return replace(table, columns=tuple(replace(c, computed=c.name in held) for c in table.columns))


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
        () if place.parent else tuple(told.primary_key["constrained_columns"]),
        tuple(
            ForeignKey(tuple(k["constrained_columns"]), other, tuple(k["referred_columns"]))
            for k in told.foreign_keys
            if (other := relations.name(k["referred_schema"], k["referred_table"])) is not None
        ),
        told.comment["text"] or "",
        () if place.parent else _unique(told),
        place.namespace,
        place.qualified,
        partial=place in relations.partial,
    )


def _unique(told: ReflectedTable) -> tuple[str, ...]:
    """Return the columns that are unique by themselves: those of indexes over all rows, as every constraint has one."""
    keys: list[Sequence[str]] = []
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
