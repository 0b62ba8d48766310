"""Where index files are kept, and when one is built anew."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import warnings
from pathlib import Path

from ...data.databases.database import Database
from ...data.databases.sqlite_urls import sqlite_file
from ...data.domains.shipped import cache_folder
from ...data.errors import DatabaseError, RunError
from ...data.schema.schema import Schema
from .building import FORMAT, write_index
from .cells import read_columns
from .store import IndexStore

__all__ = ["open_or_build"]

_BUILD_SECONDS = 600.0  # for one column of a large database
_WAIT_SECONDS = 5.0  # for a file that another program writes
_ALL_ROWS = 10**9


def open_or_build(database: str | Path, schema: Schema, cache: Path | None, *, rebuild: bool = False) -> IndexStore:
    """Return the index of a database, built where there is none of the same fingerprint.

    Raises:
        DatabaseError: the database is gone or locked, or takes too long.
        RunError: the index cannot be written.
    """
    folder = cache_folder() / "values" if cache is None else cache
    file = sqlite_file(str(database))
    fingerprint = _fingerprint(str(database), file, schema)
    path = folder / f"{_name(str(database), file, schema)}.sqlite"
    if path.is_file() and not rebuild:
        try:
            store = IndexStore(path)
            if store.fingerprint == fingerprint:
                return store
            store.close()
        except RunError as error:
            warnings.warn(f"{path}: {error.problem}; it is built anew", stacklevel=3)
    _build(database, schema, path, fingerprint)
    store = IndexStore(path)
    if store.missing:
        named = ", ".join(f"{table}.{column}" for table, column in store.missing)
        warnings.warn(f"{schema.name}: the database has no {named}; values there are not found", stacklevel=3)
    return store


def _build(database: str | Path, schema: Schema, path: Path, fingerprint: str) -> None:
    """Write beside the old file and then put the new one in its place, so that no reader ever sees a part."""
    partial = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=".partial")
        os.close(handle)
        with _opened(database) as opened:
            write_index(Path(partial), fingerprint, read_columns(opened, schema))
        Path(partial).replace(path)
    except OSError as error:
        problem = f"the value index cannot be written: {error.strerror}"
        raise RunError(problem, file=path.parent, hint="give another folder as cache") from error
    finally:
        if partial:
            with contextlib.suppress(OSError):
                Path(partial).unlink(missing_ok=True)


def _opened(database: str | Path) -> Database:
    """A server has its time limit from the start; a file is waited for shortly, whatever reading it may take."""
    if sqlite_file(str(database)) is None:
        return Database.open(database, timeout=_BUILD_SECONDS, max_rows=_ALL_ROWS)
    opened = Database.open(database, timeout=_WAIT_SECONDS, max_rows=_ALL_ROWS)
    opened.timeout = _BUILD_SECONDS
    return opened


def _name(database: str, file: Path | None, schema: Schema) -> str:
    """One file for one database read by one schema: a change writes over it."""
    where = database if file is None else str(file.absolute())
    stem = "".join(c if c.isalnum() else "-" for c in (schema.name or "database"))[:40]
    return f"{stem}-{_digest([where, schema.to_json()])[:20]}"


def _fingerprint(database: str, file: Path | None, schema: Schema) -> str:
    """What changes when the database does: size and time of its file and log, or a server's numbers of rows."""
    if file is None:
        return _digest([FORMAT, schema.to_json(), _row_counts(database, schema)])
    if not file.is_file():
        raise DatabaseError("no such database file", file=file, hint="give the path of a SQLite file")
    log = file.with_name(f"{file.name}-wal")
    states = [s for s in (file.stat(), log.stat() if log.is_file() else None) if s is not None and s.st_size]
    return _digest([FORMAT, schema.to_json(), [[s.st_size, s.st_mtime_ns] for s in states]])


def _row_counts(database: str, schema: Schema) -> list[int]:
    with Database.open(database, timeout=_BUILD_SECONDS) as opened:
        counts = (f"SELECT COUNT(*) FROM {opened.source(table)}" for table in schema.tables)
        return [int(opened.fetch(sql).rows[0][0]) for sql in counts]


def _digest(data: object) -> str:
    return hashlib.sha256(json.dumps(data, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
