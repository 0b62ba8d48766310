"""Where schemas are found: by the name of a shipped database, by a path or by a URL; files of tables become one."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl, quote

from ..databases.schema_readers import read_schema
from ..errors import InputError, did_you_mean
from ..files.database_of_files import database_of_files, table_files
from ..schema.schema import Function, Schema
from ..shipped import DATABASES, shipped_database, shipped_folder
from ..urls import dialect_of, shown_url
from .domain import DIALECTS
from .manifest import FILE, read_functions


def open_schema(
    place: str | Path, dialect: str | None = None, *, progress: Callable[[str], None] = lambda _: None
) -> tuple[Schema, str]:
    """Return a schema and its dialect.

    Args:
        place: the name of a shipped database (``shop``, ``plant``), a SQLite file, a URL, files of tables, a ``.sql``
            script, a schema's ``.json`` or a text2sql ``NAME-schema.csv``.
        dialect: sqlite, mysql or postgres; None is that of the URL, and SQLite's of all else.
        progress: receives messages while files of tables are read.

    Raises:
        InputError: no such dialect, or the URL's is another.
        SchemaError: the file is missing or cannot be read.
        DatabaseError: the database behind a URL cannot be reached.
    """
    if dialect is not None and dialect not in DIALECTS:
        hint = did_you_mean(dialect, DIALECTS) or f"use {', '.join(DIALECTS)}"
        raise InputError(f"no dialect {dialect!r}", field="dialect", hint=hint)
    path = database_place(str(place), progress)
    if "://" in path and dialect not in (None, dialect_of(path)):
        raise InputError(f"the database speaks {dialect_of(path)}, not {dialect}", field="dialect", hint="leave it out")
    spoken = dialect or dialect_of(path)
    schema = read_schema(path, spoken)
    # a generated file has a hash in its name
    named = replace(schema, name=str(place), functions=functions_of(str(place))) if path != str(place) else schema
    return named, spoken


def functions_of(database: str) -> tuple[Function, ...]:
    """Return the functions of a shipped database, which its domain defines; other databases have none here."""
    file = shipped_folder(database) / FILE
    shipped = database in DATABASES and not Path(database).exists()
    return read_functions(file) if shipped and file.is_file() else ()


def database_place(database: str, progress: Callable[[str], None] = lambda _: None, *, role: str = "") -> str:
    """Return the path or URL that a name stands for.

    Args:
        database: a shipped database, unless there is a file of its name; a CSV, TSV, Excel or Parquet file, a folder or
            a pattern of such, whose tables a SQLite file in the cache holds; anything else stays as it is.
        progress: receives messages while files of tables are read.
        role: of a PostgreSQL server, under which all is read; the URL names it from then on (``?role=clerk``).

    Raises:
        InputError: a file of tables is broken or empty; what has a role is no PostgreSQL server, or names one already.
        DatabaseError: there is no such file of tables, or the cache cannot be written.

    Warns:
        UserWarning: what was guessed of a file, filled or left out.
    """
    if role:
        return _as_role(database, role)
    if database in DATABASES and not Path(database).exists():
        return str(shipped_database(database))
    files = table_files(database)
    return database if files is None else str(database_of_files(files, progress))


def _as_role(url: str, role: str) -> str:
    if "://" not in url or dialect_of(url) != "postgres":
        problem = f"{shown_url(url)} has no roles: those that an access file may name are PostgreSQL's"
        raise InputError(problem, field="role", hint="leave role out")
    if "role" in dict(parse_qsl(url.partition("?")[2])):
        raise InputError("the URL names a role, and the access file another", field="role", hint="leave one out")
    return f"{url}{'&' if '?' in url else '?'}role={quote(role, safe='')}"
