"""Where schemas are found: by the name of a shipped database, by a path or by a URL."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..domains.domain import DIALECTS
from ..domains.shipped import DATABASES, shipped_database, shipped_folder
from ..errors import InputError, did_you_mean
from ..formats.functions import FILE, read_functions
from ..schema.schema import Function, Schema
from .schema_readers import read_schema
from .urls import dialect_of

__all__ = ["database_place", "functions_of", "open_schema"]


def open_schema(place: str | Path, dialect: str | None = None) -> tuple[Schema, str]:
    """Return a schema and its dialect.

    Args:
        place: the name of a shipped database (``shop``, ``plant``), a SQLite file, a URL, a ``.sql`` script, a
            schema's ``.json`` or a text2sql ``.csv``.
        dialect: sqlite, mysql or postgres; None is that of the URL, and SQLite's of all else.

    Raises:
        InputError: no such dialect, or the URL's is another.
        SchemaError: the file is missing or cannot be read.
        DatabaseError: the database behind a URL cannot be reached.
    """
    if dialect is not None and dialect not in DIALECTS:
        hint = did_you_mean(dialect, DIALECTS) or f"use {', '.join(DIALECTS)}"
        raise InputError(f"no dialect {dialect!r}", field="dialect", hint=hint)
    path = database_place(str(place))
    if "://" in path and dialect not in (None, dialect_of(path)):
        raise InputError(f"the database speaks {dialect_of(path)}, not {dialect}", field="dialect", hint="leave it out")
    spoken = dialect or dialect_of(path)
    schema = read_schema(path, spoken)
    # a generated file has a hash in its name
    named = replace(schema, name=str(place), functions=functions_of(str(place))) if path != str(place) else schema
    return named, spoken


def functions_of(database: str) -> tuple[Function, ...]:
    """Return the functions that a shipped database has by its domain; those of other places nobody tells."""
    file = shipped_folder(database) / FILE
    shipped = database in DATABASES and not Path(database).exists()
    return read_functions(file) if shipped and file.is_file() else ()


def database_place(database: str) -> str:
    """Return the path or URL that a name stands for: that of a shipped database, unless there is a file of its name."""
    return str(shipped_database(database)) if database in DATABASES and not Path(database).exists() else database
