"""Detects changes of a database since it was read, and names its files in the cache."""

import hashlib
import json
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import DatabaseError, SchemaError
from ..schema.schema import Schema, Table
from .database import Database
from .row_counts import LARGE, count_tables, counted, statistic
from .sqlite_session import sqlite_file

BUILD_SECONDS = 600.0
"""The time limit for one query while a cache is built, on a large database."""

_COUNT_SECONDS = 5.0
"""The time limit for counting the rows of one table, including the query of a view and the wait for a lock."""


def cache_name(database: str | Path, schema: Schema) -> str:
    """Return the name, without its ending, of the cached files of a database and schema.

    It stays when the database changes, so that new files replace the old ones.
    """
    file = sqlite_file(str(database))
    where = str(database) if file is None else str(file.absolute())
    stem = "".join(c if c.isalnum() else "-" for c in (schema.name or "database"))[:40]
    return f"{stem}-{_digest([where, schema.digest])[:20]}"


def fingerprint_of(database: str | Path, schema: Schema, form: str) -> str:
    """Return a digest that changes with the database: with size and time of its file and log, or a server's row counts.

    Args:
        form: the version of the cached format, which is part of the digest.

    Raises:
        DatabaseError: the database is gone or locked, or takes too long.
    """
    file = sqlite_file(str(database))
    if file is None:
        return _digest([form, schema.digest, _row_counts(str(database), schema)])
    if not file.is_file():
        raise DatabaseError("no such database file", file=file, hint="give the path of a SQLite file")
    log = file.with_name(f"{file.name}-wal")
    states = [s for s in (file.stat(), log.stat() if log.is_file() else None) if s is not None and s.st_size]
    return _digest([form, schema.digest, [[s.st_size, s.st_mtime_ns] for s in states]])


def _row_counts(database: str, schema: Schema) -> list[float | str]:
    """Return the number of rows of each table; for a large one the server's estimate, to two digits."""
    with Database.open(database, timeout=_COUNT_SECONDS) as opened:
        count_tables(opened, schema)
        return [_row_count(opened, table) for table in schema.tables]


def _row_count(database: Database, table: Table) -> float | str:
    try:
        count = counted(database, table)
        return float(f"{statistic(database, table) or count:.1e}") if count > LARGE else count
    except DatabaseError as error:
        return type(error).__name__


def _digest(data: object) -> str:
    return hashlib.sha256(json.dumps(data, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


AGAIN = 10
"""A database that changes is read anew only after this many times as long as the reading took."""


class SchemaWatch:
    """Watches whether tables or columns were added, dropped or renamed since the schema was read.

    Args:
        database: None where queries are only written.
    """

    def __init__(self, database: Database | None) -> None:
        self._database = database
        self._read: object = None
        self._due = 0.0

    @contextmanager
    def reading(self) -> Generator[None]:
        """Remember the present state as the one that is read within the block; if that fails, keep the last state.

        Raises:
            DatabaseError: the schema, which was read before, cannot be read any more.
        """
        begun, state = time.monotonic(), None
        with suppress(DatabaseError):  # the schema is read again when the state can be
            state = self._state()
        try:
            yield
        except SchemaError as error:
            if self._read is None:
                raise
            raise DatabaseError(error.problem, file=error.file, hint=error.hint) from error
        now = time.monotonic()
        self._read, self._due = state, now + AGAIN * (now - begun)

    def has_changed(self, *, at_once: bool = False) -> bool:
        """Return whether to read the schema again.

        Args:
            at_once: also check shortly after it was read, since a name of it was not found.
        """
        if not at_once and time.monotonic() < self._due:
            return False
        try:
            return self._state() != self._read
        except DatabaseError:  # the next query will report it
            return False

    def _state(self) -> object:
        return None if self._database is None else self._database.schema_state()
