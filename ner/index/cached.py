"""Where index files are kept, and when one is built anew."""

from __future__ import annotations

import warnings
from pathlib import Path

from ...data.databases.database import Database
from ...data.databases.fingerprints import BUILD_SECONDS, fingerprint_of, kept_name, replacing
from ...data.databases.sqlite_urls import sqlite_file
from ...data.domains.shipped import cache_folder
from ...data.errors import RunError
from ...data.schema.schema import Schema
from .building import FORMAT, write_index
from .cells import read_columns
from .store import IndexStore

__all__ = ["open_or_build"]

_WAIT_SECONDS = 5.0  # for a file that another program writes
_ALL_ROWS = 10**9


def open_or_build(database: str | Path, schema: Schema, cache: Path | None, *, rebuild: bool = False) -> IndexStore:
    """Return the index of a database, built where there is none of the same fingerprint.

    Raises:
        DatabaseError: the database is gone or locked, or takes too long.
        RunError: the index cannot be written.
    """
    folder = cache_folder() / "values" if cache is None else cache
    fingerprint = fingerprint_of(database, schema, FORMAT)
    path = folder / f"{kept_name(database, schema)}.sqlite"
    if path.is_file() and not rebuild:
        try:
            store = IndexStore(path)
            if store.fingerprint == fingerprint and not _may_pass(store, schema):
                return store
            store.close()
        except RunError as error:
            warnings.warn(f"{path}: {error.problem}; it is built anew", stacklevel=3)
    _build(database, schema, path, fingerprint)
    return IndexStore(path)


def _may_pass(store: IndexStore, schema: Schema) -> bool:
    """Say whether some columns were not read that may be by now: of tables, whose cells do not fail as a view's do."""
    views = {table.name for table in schema.tables if table.behind}
    return any(table not in views for table, _ in store.unread)


def _build(database: str | Path, schema: Schema, path: Path, fingerprint: str) -> None:
    try:
        with replacing(path) as partial, _opened(database) as opened:
            write_index(partial, fingerprint, read_columns(opened, schema))
    except OSError as error:
        problem = f"the value index cannot be written: {error.strerror}"
        raise RunError(problem, file=path.parent, hint="give another folder as cache") from error


def _opened(database: str | Path) -> Database:
    """A server has its time limit from the start; a file is waited for shortly, whatever reading it may take."""
    if sqlite_file(str(database)) is None:
        return Database.open(database, timeout=BUILD_SECONDS, max_rows=_ALL_ROWS)
    opened = Database.open(database, timeout=_WAIT_SECONDS, max_rows=_ALL_ROWS)
    opened.timeout = BUILD_SECONDS
    return opened
