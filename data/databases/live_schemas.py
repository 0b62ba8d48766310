"""Schemas of live databases, by their URL: SQLAlchemy reflects tables, the server's catalogue says what it does not."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

from sqlalchemy import Connection, bindparam, inspect, text
from sqlalchemy.engine.reflection import ObjectKind, ObjectScope
from sqlalchemy.types import NullType

from ..errors import DatabaseError, LockedError, SchemaError
from ..schema.enumerations import enumeration
from ..schema.schema import Column, ForeignKey, Schema, Table
from ..schema.views import with_origins
from .catalogue import catalogue
from .database import FoundTables
from .readable import TablePlace, places_of, relations_of
from .remote import ServerSession, is_waiting, message_of
from .rights import LeftOut
from .sqlite_session import quoted

__all__ = ["schema_of_server"]

_SECONDS, _LOCK_SECONDS = 30.0, 1.0
"""How long one read of the catalogue may take, and how long it may wait for a lock."""

_AT_ONCE = 100
"""Tables that one query tries."""

_PATIENCE, _HASTE = 3.0, 0.5
"""Seconds that a table may take to begin with, and that each has once another session has locked one."""

_ALL_ROWS = 10**9

_TIMES = re.compile(r"(?:date|timestamp)\b(?!.*\[)", re.IGNORECASE)
_NEAR = "BETWEEN DATE '4000-01-01 BC' AND DATE '20999-12-31'"
"""Times that stay times when they are shifted by some hundred years, and lie less than ten million days apart."""

_TIME_SECONDS = 2.0
"""How long the rows of one table may take; where they take longer, its times may be any."""

_ColumnPlace: TypeAlias = tuple[str, str, str]
"""The schema, the table and the name of a column."""


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
                alone = connection.execution_options(isolation_level="AUTOCOMMIT")  # what fails costs no other
                relations = _Relations.read(session, alone, left_out, found)
                tables = _tables(inspect(alone), relations, session.dialect, left_out)
        except DatabaseError as error:
            raise DatabaseError(f"{session.name}: cannot read the schema: {message_of(error, session)}") from error
        if session.dialect == "postgres":
            tables = [t if t.name in relations.views else _with_far_times(t, session, left_out, found) for t in tables]
    left_out.reasons += [f"{table.name}: it has no columns" for table in tables if not table.columns]
    tables = [table for table in tables if table.columns]
    if not tables:
        raise SchemaError(f"{session.name}: the database has no tables", hint="; ".join(left_out.reasons) or None)
    views = {table.name: relations.views[table.name] for table in tables if table.name in relations.views}
    return Schema(with_origins(tables, views, session.dialect), session.database, left_out=tuple(left_out.reasons))


@dataclass(frozen=True)
class _Relations:
    """What can be read of a live database, and what its catalogue says beyond SQLAlchemy.

    Attributes:
        places: of tables and views.
        partial: those of which the user may read some columns alone.
        views: the definition of each view by the name of its place, empty where the user may not see it.
        types: of columns, where the catalogue says more than SQLAlchemy.
        called: what the server calls the types of the columns that may be read.
    """

    places: Sequence[TablePlace]
    partial: Collection[TablePlace]
    views: Mapping[str, str]
    types: Mapping[_ColumnPlace, str]
    called: Mapping[_ColumnPlace, str]

    def readable(self, place: TablePlace) -> dict[str, str]:
        """Return the columns of a table or view that may be read, and what the server calls their types."""
        where = (place.namespace, place.own_name)
        return {column: kind for (*table, column), kind in self.called.items() if (*table,) == where}

    @cached_property
    def names(self) -> dict[tuple[str | None, str], str]:
        """Return the names of tables by schema and own name; a reference has no schema where the search path has it."""
        found: dict[tuple[str | None, str], str] = {(p.namespace, p.own_name): p.name for p in self.places}
        return found | {(None, p.own_name): p.name for p in self.places if p.name == p.own_name}

    @classmethod
    def read(cls, session: ServerSession, connection: Connection, left_out: LeftOut, found: FoundTables) -> _Relations:
        """Ask a server for all there is, and try each; what another session has locked is noted in ``found``."""
        dialect = session.dialect

        def ask(sql: str) -> Sequence[Any]:
            return connection.exec_driver_sql(sql, execution_options={"no_parameters": True}).fetchall()

        session.limit(connection, _SECONDS, _LOCK_SECONDS)
        places = places_of(relations_of(ask, dialect), left_out)
        made = dialect == "postgres" or getattr(connection.dialect, "is_mariadb", False)
        types = left_out.attempt("types", [], ask, catalogue(dialect)["made_types"]) if made else []
        called = left_out.attempt("names of types", [], ask, catalogue(dialect)["column_types"])
        trial = _Trial(session, connection, found)
        whole: dict[TablePlace, bool] = {}
        for start in range(0, len(places), _AT_ONCE):
            some = {place: place.name for place in places[start : start + _AT_ONCE]}
            whole |= left_out.attempt_all(some, trial)
        session.limit(connection, _SECONDS, _LOCK_SECONDS)
        # PostgreSQL waits for what a view reads to tell its definition, which its columns do not hang on
        views = {p: f"definition of {p.name}" for p in whole if p.is_view and p.name not in found.late}
        definitions = left_out.attempt_all(views, partial(_definitions, connection, dialect))
        return cls(
            [*whole],
            {place for place, is_whole in whole.items() if not is_whole},
            {p.name: definitions.get((p.namespace, p.own_name)) or "" for p in whole if p.is_view},
            {(s, t, c): _type_name(*kind) if dialect == "postgres" else kind[0] for s, t, c, *kind in types},
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
            self._read(catalogue(self._session.dialect)["whole_row"], places)
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


def _type_name(kind: str, category: str, shown: str, qualified: str, labels: Sequence[str]) -> str:
    """Return the type of a column that somebody has made on PostgreSQL: ``mood enum('calm','busy')``.

    One of which nothing is known has its schema before it, so that it is taken for none of the engine's own.
    """
    if kind == "e":
        return enumeration(shown, labels)
    return shown if category == "A" and kind != "d" else qualified


def _definitions(connection: Connection, dialect: str, views: Sequence[TablePlace]) -> dict[tuple[str, str], str]:
    """Return the SELECT of each view, empty where the user may not see it."""
    wanted = text(catalogue(dialect)["definitions"]).bindparams(bindparam("names", expanding=True))
    rows = connection.execute(wanted, {"names": [view.own_name for view in views]})
    return {(str(schema), str(name)): str(definition or "") for schema, name, definition in rows}


def _tables(inspector: Any, relations: _Relations, dialect: str, left_out: LeftOut) -> list[Table]:
    """Return the tables and views as far as they may be read, as SQLAlchemy or else the catalogue tells of them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Did not recognize type")  # the server says what it is
        warnings.filterwarnings("ignore", message="Skipped unsupported reflection")  # an index of expressions
        # SQLAlchemy reads MySQL's by a statement that takes a right of its own
        bare = {p for p in relations.places if dialect == "mysql" and (p.is_view or p in relations.partial)}
        known = _reflected(inspector, [place for place in relations.places if place not in bare], left_out)
        read = {
            place: left_out.attempt(place.name, None, _catalogue_table, place, relations)
            if place in bare
            else left_out.attempt(place.name, None, _live_table, inspector, place, relations, known[place])
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
        left_out.reasons.append(f"{place.name}: columns that the user may not read are left out{named}")
    return [*Schema(tuple(tables.values())).part(kept).tables]


_Reflection: TypeAlias = Mapping[str, Any]
"""Each of `_PARTS` of one table, as SQLAlchemy's inspector returns it."""

_PARTS = ("columns", "pk_constraint", "foreign_keys", "indexes", "table_comment")  # what is unique has an index
_NAMED = ("name", "constrained_columns", "referred_columns", "column_names")


def _reflected(inspector: Any, places: Sequence[TablePlace], left_out: LeftOut) -> dict[TablePlace, _Reflection]:
    """Ask SQLAlchemy's inspector for the tables and views at some places.

    A table at a time takes eight queries each, half a minute for hundreds of tables; they are only asked so where one
    of them makes the question about all fail. One that was dropped meanwhile is left out.
    """
    found: dict[TablePlace, _Reflection] = {}
    clean: Callable[[Any], Any] = _spelled if inspector.dialect.name in {"mysql", "mariadb"} else lambda told: told
    for schema in dict.fromkeys(place.namespace for place in places):
        here = {place.own_name: place for place in places if place.namespace == schema}
        which: dict[str, Any] = {"schema": schema or None, "kind": ObjectKind.ANY, "scope": ObjectScope.ANY}
        parts: dict[str, Mapping[Any, Any]] = {}
        for part in _PARTS:
            ask = partial(getattr(inspector, f"get_multi_{part}"), **which)
            whose = {own: f"{part.replace('_', ' ')} of {place.name}" for own, place in here.items()}
            parts[part] = left_out.attempt_all(whose, lambda owns, ask=ask: ask(filter_names=owns))
        for own, place in here.items():
            if (where := (schema or None, own)) in parts["columns"]:
                found[place] = {part: clean(told[where]) for part, told in parts.items() if where in told}
    return found


def _spelled(told: Any) -> Any:
    """Return what SQLAlchemy tells with the names as they are: it leaves a backtick in those of MySQL's doubled."""
    if isinstance(told, list):
        return [_spelled(one) for one in told]
    if isinstance(told, dict):
        return {key: _spelled(value) if key in _NAMED else value for key, value in told.items()}
    return told.replace("``", "`") if isinstance(told, str) else told


def _catalogue_table(place: TablePlace, relations: _Relations) -> Table:
    columns = (Column(column, kind) for column, kind in relations.readable(place).items())
    return Table(place.name, tuple(columns), namespace=place.namespace, partial=place in relations.partial)


def _live_table(inspector: Any, place: TablePlace, relations: _Relations, reflection: _Reflection) -> Table:
    here = (place.namespace, place.own_name)
    columns = (
        Column(
            c["name"],
            relations.types.get((*here, c["name"]))
            or _live_type(c["type"], inspector.dialect)
            or relations.called.get((*here, c["name"]), ""),
            c.get("comment") or "",
        )
        for c in reflection["columns"]
    )
    foreign = (
        ForeignKey(tuple(k["constrained_columns"]), other, tuple(k["referred_columns"]))
        for k in reflection.get("foreign_keys", ())
        if (other := relations.names.get((k["referred_schema"], k["referred_table"]))) is not None
    )
    return Table(
        place.name,
        tuple(columns),
        () if place.parent else tuple(reflection.get("pk_constraint", {}).get("constrained_columns", ())),
        tuple(foreign),
        reflection.get("table_comment", {}).get("text") or "",
        () if place.parent else _unique(reflection.get("indexes", ())),
        place.namespace,
        place.qualified,
        partial=place in relations.partial,
    )


def _unique(indexes: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the columns that are unique by themselves: those of indexes over all rows, as every constraint has one."""
    keys: list[Sequence[str]] = []
    for index in indexes:
        some = any(option.endswith("_where") for option in index.get("dialect_options", {}))
        if index["unique"] and not some and not index.get("expressions"):
            keys.append(index["column_names"])
    return tuple(dict.fromkeys(columns[0] for columns in keys if len(columns) == 1))


def _live_type(kind: Any, dialect: Any) -> str:
    """Return a type as its server writes it; nothing if SQLAlchemy does not know it."""
    if isinstance(kind, NullType):
        return ""
    if hasattr(kind, "data_type"):  # a domain
        return _live_type(kind.data_type, dialect)
    for noise in ("collation", "charset"):
        if getattr(kind, noise, None):
            setattr(kind, noise, None)
    written: str = kind.compile(dialect=dialect)
    return written if "'" in written else written.lower().replace(" without time zone", "")


def _with_far_times(table: Table, session: ServerSession, left_out: LeftOut, found: FoundTables) -> Table:
    """Return a table whose times are `Column.computed`, of any size, where some of them are far off or infinite."""
    times = [column.name for column in table.columns if _TIMES.match(column.type)]
    far = ", ".join(f"bool_or({quoted(name)} NOT {_NEAR})" for name in times)

    def asked() -> set[str]:
        if (late := found.late.get(table.name)) is not None:
            raise late
        row = session.send(f"SELECT {far} FROM {'.'.join(map(quoted, table.path))}", 1, timeout=_TIME_SECONDS).rows[0]
        return {name for name, is_far in zip(times, row, strict=True) if is_far}

    held = left_out.attempt(f"arithmetic with the times of {table.name}", {*times}, asked) if times else ()
    return replace(table, columns=tuple(replace(c, computed=c.name in held) for c in table.columns))
