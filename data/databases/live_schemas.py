"""Schemas of live databases, by their URL, as the catalogue of the server describes them."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

from sqlalchemy import Connection, bindparam, text

from ..errors import DatabaseError, LockedError, SchemaError
from ..schema.schema import Column, ForeignKey, Schema, Table, enumeration
from ..schema.views import with_origins
from .catalogue import Ask, LeftOut, TablePlace, catalogue, places_of, relations_of
from .database import FoundTables
from .remote import ServerSession, is_waiting, message_of
from .sqlite_session import quoted

_SECONDS, _LOCK_SECONDS = 30.0, 1.0  # how long one read of the catalogue may take, and how long it may wait for a lock
_AT_ONCE = 100  # tables that one query tries
_PATIENCE, _HASTE = 3.0, 0.5
"""Seconds that each table may take, and that each may take once another session has locked one."""

_ALL_ROWS = 10**9

_TIMES = re.compile(r"(?:date|timestamp)\b(?!.*\[)", re.IGNORECASE)
_NEAR = "BETWEEN DATE '4000-01-01 BC' AND DATE '20999-12-31'"
"""Times that stay valid when they are shifted by some hundred years, and lie less than ten million days apart."""

_TIME_SECONDS = 2.0  # the limit for the rows of one table; the times of a slower one are unknown

_Where: TypeAlias = tuple[str, str]
"""The schema and the own name of a table."""


def schema_of_server(url: str) -> Schema:
    """Read the tables and views of a live database that its user may read; comments become descriptions.

    Raises:
        DatabaseError: it cannot be reached, or the driver is not installed.
        SchemaError: it has no tables.
    """
    with closing(ServerSession(url, timeout=_SECONDS, max_rows=_ALL_ROWS)) as session:
        left_out, found = LeftOut(partial(message_of, session=session)), FoundTables.of(url)
        try:
            with session.connected() as connection:
                alone = connection.execution_options(isolation_level="AUTOCOMMIT")  # a failed statement aborts no other
                tables, views = _read(session, alone, left_out, found)
        except DatabaseError as error:
            raise DatabaseError(f"{session.name}: cannot read the schema: {message_of(error, session)}") from error
        if session.dialect == "postgres":
            tables = [t if t.name in views else _with_far_times(t, session, left_out, found) for t in tables]
    if not tables:
        raise SchemaError(f"{session.name}: the database has no tables", hint="; ".join(left_out.reasons) or None)
    views = {table.name: views[table.name] for table in tables if table.name in views}
    return Schema(with_origins(tables, views, session.dialect), session.database, left_out=tuple(left_out.reasons))


def _read(
    session: ServerSession, connection: Connection, left_out: LeftOut, found: FoundTables
) -> tuple[list[Table], dict[str, str]]:
    """Return the tables and views that can be read, and the SELECT of each view, empty where the user may not see it.

    Tables that another session has locked are noted in ``found``.
    """
    dialect = session.dialect

    def ask(sql: str) -> Sequence[Any]:
        return connection.exec_driver_sql(sql, execution_options={"no_parameters": True}).fetchall()

    session.limit(connection, _SECONDS, _LOCK_SECONDS)
    places = places_of(relations_of(ask, dialect), left_out)
    columns = _columns(ask, session, left_out)
    keys = left_out.attempt("keys", (), ask, catalogue(dialect)["keys"])
    whole: dict[TablePlace, bool] = {}
    for start in range(0, len(places), _AT_ONCE):
        whole |= left_out.attempt_all(
            {place: place.name for place in places[start : start + _AT_ONCE]},
            partial(_tried, session, connection, found),
        )
    session.limit(connection, _SECONDS, _LOCK_SECONDS)
    # PostgreSQL waits for the tables of a view before it returns its definition, which the columns do not need
    views = {p: f"definition of {p.name}" for p in whole if p.is_view and p.name not in found.late}
    definitions = left_out.attempt_all(views, partial(_definitions, connection, dialect))
    tables = _tables(whole, columns, keys, left_out)
    return tables, {p.name: definitions.get((p.namespace, p.own_name)) or "" for p in whole if p.is_view}


def _columns(ask: Ask, session: ServerSession, left_out: LeftOut) -> dict[_Where, dict[Column, bool]]:
    """Return the columns of all tables, each with whether the user may read it."""
    queries = catalogue(session.dialect)
    mariadb = "mariadb" in session.version.lower()
    json = {(*row,) for row in left_out.attempt("JSON", (), ask, queries["json_columns"])} if mariadb else set()
    found = defaultdict[_Where, dict[Column, bool]](dict)
    for schema, table, name, kind, comment, is_readable, labels in ask(queries["column_list"]):
        column_type = enumeration(kind, labels) if labels else "json" if (schema, table, name) in json else str(kind)
        found[schema, table][Column(name, column_type, comment)] = bool(is_readable)
    return found


def _tried(
    session: ServerSession, connection: Connection, found: FoundTables, places: Sequence[TablePlace]
) -> dict[TablePlace, bool]:
    """Try to read tables without rows, which fails without a right, or if a view is out of date.

    A single table is waited for, until one is locked. A table that another session has locked counts as readable:
    queries wait for it or report the lock.

    Returns:
        whether all columns of each table may be read.
    """
    mark = "`" if session.dialect == "mysql" else '"'
    names = [".".join(quoted(part, mark) for part in (p.namespace, p.own_name) if part) for p in places]

    def read(pattern: str) -> None:
        sql = f"SELECT {', '.join(map(pattern.format, names))}"
        connection.exec_driver_sql(sql, execution_options={"no_parameters": True})

    if len(places) == 1:
        session.limit(connection, _HASTE if found.late else _PATIENCE)
    try:
        read(catalogue(session.dialect)["whole_row"])
    except Exception as error:
        if len(places) > 1:
            raise
        if not is_waiting(error):
            read("(SELECT 1 FROM {} LIMIT 0)")
            return dict.fromkeys(places, False)
        problem = f"{session.name}: another session has locked what the query reads"
        found.late[places[0].name] = LockedError(problem)
    return dict.fromkeys(places, True)


def _definitions(connection: Connection, dialect: str, views: Sequence[TablePlace]) -> dict[_Where, str]:
    """Return the SELECT of each view, empty where the user may not see it."""
    wanted = text(catalogue(dialect)["definitions"]).bindparams(bindparam("names", expanding=True))
    rows = connection.execute(wanted, {"names": [view.own_name for view in views]})
    return {(str(schema), str(name)): str(definition or "") for schema, name, definition in rows}


def _tables(
    whole: Mapping[TablePlace, bool],
    columns: Mapping[_Where, Mapping[Column, bool]],
    keys: Sequence[Any],
    left_out: LeftOut,
) -> list[Table]:
    """Return the tables and views with the columns that may be read, and the keys between these.

    Args:
        whole: whether all columns of each may be read.
        keys: the rows of the catalogue.
    """
    names = {(place.namespace, place.own_name): place.name for place in whole}
    by_table = {where: [*rows] for where, rows in groupby(keys, itemgetter(0, 1))}
    tables: list[Table] = []
    for place, is_whole in whole.items():
        where = (place.namespace, place.own_name)
        own = columns.get(where, {})
        hidden = [column.name for column, is_readable in own.items() if not is_readable]
        table = Table(
            place.name,
            tuple(column for column, is_readable in own.items() if is_readable),
            description=place.comment,
            namespace=place.namespace,
            qualified=place.qualified,
            partial=not is_whole,
        )
        if not table.columns:
            left_out.reasons.append(f"{table.name}: it has no columns")
            continue
        tables.append(_with_keys(table, by_table.get(where, ()), names, own=not place.parent))
        if not is_whole:
            named = f": {', '.join(hidden)}" if hidden else ""
            left_out.reasons.append(f"{place.name}: columns that the user may not read are left out{named}")
    return [*Schema(tuple(tables)).part({t.name: [c.name for c in t.columns] for t in tables}).tables]


def _with_keys(table: Table, rows: Collection[Any], names: Mapping[_Where, str], *, own: bool) -> Table:
    """Return a table with its keys.

    Args:
        rows: the columns of its keys, each with the column that it refers to.
        names: the names of all tables.
        own: whether its primary key and its indexes make its rows unique.
    """
    for (kind, _), of_key in groupby(rows, itemgetter(2, 3)):
        parts = [*of_key]
        columns = tuple(part[4] for part in parts)
        other = names.get((parts[0][5], parts[0][6]))
        if kind == "f" and other is not None:
            key = ForeignKey(columns, other, tuple(part[7] for part in parts))
            table = replace(table, foreign_keys=(*table.foreign_keys, key))
        elif kind == "p" and own:
            table = replace(table, primary_key=columns)
        elif kind == "u" and own and len(columns) == 1 and columns[0] not in (None, *table.unique):
            table = replace(table, unique=(*table.unique, *columns))
    return table


def _with_far_times(table: Table, session: ServerSession, left_out: LeftOut, found: FoundTables) -> Table:
    """Return a table whose columns of times are `Column.computed` if they hold infinite or distant times."""
    times = [column.name for column in table.columns if _TIMES.match(column.type)]
    far = ", ".join(f"bool_or({quoted(name)} NOT {_NEAR})" for name in times)

    def far_columns() -> set[str]:
        if (late := found.late.get(table.name)) is not None:
            raise late
        row = session.send(f"SELECT {far} FROM {'.'.join(map(quoted, table.path))}", 1, timeout=_TIME_SECONDS).rows[0]
        return {name for name, is_far in zip(times, row, strict=True) if is_far}

    computed = left_out.attempt(f"arithmetic with the times of {table.name}", {*times}, far_columns) if times else ()
    return replace(table, columns=tuple(replace(c, computed=c.name in computed) for c in table.columns))
