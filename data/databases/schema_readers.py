"""Schemas out of SQLite files, databases behind a URL, DDL scripts and the public sets' own files."""

import re
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from ..errors import SchemaError
from ..packages import needs
from ..records import read_json, read_text
from ..schema.ddl import from_ddl
from ..schema.schema import Column, ForeignKey, Schema, Table
from ..schema.text2sql import from_text2sql
from ..schema.views import with_origins
from .catalogue import LeftOut
from .sqlite_session import is_virtual, quoted, reading_url, sqlite_file

_SHADOWS = re.compile(
    r"_(?:content|segments|segdir|docsize|stat|data|idx|config|node|rowid|parent|vocab|info|rowids|chunks|auxiliary"
    r"|metadatachunks\d+|metadatatext\d+|vector_chunks\d+)"
)
"""The endings of the tables that store the data of a virtual table; SQLite lists those of its own modules alone."""

_CUT = re.compile("_")

_LOOKED_AT = 50  # the number of rows of a view from which the types of its columns are inferred
_PATIENCE = 1.0  # seconds to wait for them


def read_schema(path_or_url: str | Path, dialect: str = "sqlite") -> Schema:
    """Read a schema from a URL, a ``.sql`` script, a text2sql ``.csv``, a schema's ``.json``, or a SQLite file.

    Tables and views of a server are those that its user may read, PostgreSQL's of all its schemas (`Table.namespace`),
    and comments are descriptions. Unreadable tables are left out, with a note in `Schema.left_out`; partitions are left
    out without one.

    Args:
        path_or_url: where it is (``dialect+driver://user@host/database``); a file without a known ending is read as
            SQLite.
        dialect: of a ``.sql`` script.

    Raises:
        SchemaError: the file is missing or cannot be read.
        DatabaseError: the database behind a URL cannot be reached.
    """
    path = sqlite_file(path_or_url)
    if path is None:
        with needs("SQLAlchemy", "engines", field="database"):  # files do not need it
            from .live_schemas import schema_of_server
        return schema_of_server(str(path_or_url))
    if "://" in str(path_or_url):
        return from_sqlite(path)
    match path.suffix.lower():
        case ".sql":
            return from_ddl(read_text(path, SchemaError), dialect, name=path.stem, file=path)
        case ".csv":
            return from_text2sql(path)
        case ".json":
            return Schema.from_json(read_json(path, SchemaError))
        case _:
            return from_sqlite(path)


def from_sqlite(path: str | Path) -> Schema:
    """Read the tables and views of a SQLite file, which is opened for reading only.

    Descriptions come from its DDL's comments. Unreadable tables, such as a view of a dropped table or a virtual table
    whose module is missing, are left out, with a note in `Schema.left_out`.

    Raises:
        SchemaError: there is no such file, it is no SQLite database, or it has no tables.
    """
    path = Path(path)
    if not path.is_file():
        raise SchemaError("no such database file", file=path)
    try:
        with closing(sqlite3.connect(reading_url(path), uri=True)) as database:
            database.text_factory = lambda data: data.decode(
                "utf-8", "replace"
            )  # an undecodable name leaves out one table alone
            schema = _read(database, path.stem)
    except Exception as error:  # such as a UnicodeDecodeError of a broken schema
        raise SchemaError(f"cannot read the database: {error}", file=path) from error
    if not schema.tables:
        raise SchemaError("the database has no tables", file=path, hint="; ".join(schema.left_out) or None)
    return schema


def _read(database: sqlite3.Connection, name: str) -> Schema:
    rows: list[tuple[str, str, str]] = database.execute(
        "SELECT type, name, sql FROM sqlite_master "
        "WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ).fetchall()
    shadows = _shadows(database, [(called, ddl) for _, called, ddl in rows])
    left_out = LeftOut()
    read = [
        left_out.attempt(row[1], None, _read_table, database, left_out, *row) for row in rows if row[1] not in shadows
    ]
    tables = [table for table in read if table is not None]
    views = {called: ddl for kind, called, ddl in rows if kind == "view" and any(t.name == called for t in tables)}
    typed = tuple(_typed(database, table) for table in with_origins(tables, views, "sqlite"))
    return Schema(typed, name, left_out=tuple(left_out.reasons))


def _shadows(database: sqlite3.Connection, tables: Iterable[tuple[str, str]]) -> set[str]:
    """Return the tables that store the data of virtual tables."""
    pairs = [*tables]
    listed: list[tuple[str]] = database.execute("SELECT name FROM pragma_table_list WHERE type = 'shadow'").fetchall()
    owners = {name for name, ddl in pairs if is_virtual(ddl)}
    ours = {
        name
        for name, _ in pairs
        if any(name[: cut.start()] in owners and _SHADOWS.fullmatch(name, cut.start()) for cut in _CUT.finditer(name))
    }
    return ours | {name for (name,) in listed}


def _read_table(database: sqlite3.Connection, left_out: LeftOut, kind: str, name: str, ddl: str) -> Table:
    """Return a readable table or view, without its keys or comments if these are unreadable."""
    whole, virtual = quoted(name), is_virtual(ddl)  # a virtual one may look for its data at a row
    database.execute(f"SELECT * FROM {whole} LIMIT {int(virtual)}").fetchall()
    rows: list[tuple[Any, ...]] = database.execute(f"PRAGMA table_xinfo({whole})").fetchall()
    columns = [column for column in rows if column[6] != 1]  # 1 are a virtual table's own; 2 and 3 generated
    plain = kind == "table" and not virtual
    commented = (
        left_out.attempt(f"comments of {name}", None, from_ddl, ddl, "sqlite") if plain and "--" in ddl else None
    )
    comments = {c.name: c.description for c in commented.tables[0].columns} if commented else {}
    untyped = "" if kind == "view" else "text"
    return Table(
        name,
        tuple(Column(c[1], c[2].lower() or untyped, comments.get(c[1], "")) for c in columns),
        tuple(c[1] for c in sorted(columns, key=itemgetter(5)) if c[5]),
        left_out.attempt(f"foreign keys of {name}", (), _foreign_keys, database, name),
        unique=left_out.attempt(f"unique columns of {name}", (), _unique, database, name),
    )


def _foreign_keys(database: sqlite3.Connection, name: str) -> tuple[ForeignKey, ...]:
    keys: list[tuple[Any, ...]] = database.execute(f"PRAGMA foreign_key_list({quoted(name)})").fetchall()
    return tuple(
        ForeignKey(tuple(r[3] for r in rows), rows[0][2], tuple(r[4] for r in rows if r[4] is not None))
        for rows in (list(group) for _, group in groupby(sorted(keys), key=itemgetter(0)))
    )


def _unique(database: sqlite3.Connection, name: str) -> tuple[str, ...]:
    indexes: list[tuple[Any, ...]] = database.execute(
        "SELECT name FROM pragma_index_list(?) WHERE \"unique\" AND NOT partial AND origin <> 'pk'", [name]
    ).fetchall()
    unique = [database.execute("SELECT name FROM pragma_index_info(?)", index).fetchall() for index in indexes]
    return tuple(dict.fromkeys(index[0][0] for index in reversed(unique) if len(index) == 1 and index[0][0]))


def _typed(database: sqlite3.Connection, view: Table) -> Table:
    """Return a view whose columns without a declared type have the type of their first values, if these agree."""
    untyped = [column.name for column in view.columns if not column.type]
    if not untyped:
        return view
    kinds = ", ".join(f"TYPEOF({quoted(name)})" for name in untyped)
    end = time.monotonic() + _PATIENCE
    database.set_progress_handler(lambda: time.monotonic() > end, 10_000)
    try:
        rows = database.execute(f"SELECT {kinds} FROM {quoted(view.name)} LIMIT {_LOOKED_AT}").fetchall()
    except (sqlite3.Error, ValueError):  # it takes long, or fails on a row
        return view
    finally:
        database.set_progress_handler(None, 0)
    types: dict[str, str] = {}
    for place, name in enumerate(untyped):
        kinds = {row[place] for row in rows} - {"null"}
        types[name] = "text" if kinds == {"text"} else "numeric" if kinds and kinds <= {"integer", "real"} else ""
    return replace(view, columns=tuple(replace(c, type=c.type or types[c.name]) for c in view.columns))
