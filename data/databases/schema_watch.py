"""Whether a database is still what was read of it, and under which name things are kept beside it."""

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
"""How long one query of what is kept may take, on a large database."""

_COUNT_SECONDS = 5.0
"""How long the rows of one table may take to be counted; a view runs whole for it, a lock is waited for."""


def cache_name(database: str | Path, schema: Schema) -> str:
    """Return the name, without its ending, of what is kept of one database read by one schema.

    A change of the database leaves it, so that the new writes over the old.
    """
    file = sqlite_file(str(database))
    where = str(database) if file is None else str(file.absolute())
    stem = "".join(c if c.isalnum() else "-" for c in (schema.name or "database"))[:40]
    return f"{stem}-{_digest([where, schema.digest])[:20]}"


def fingerprint_of(database: str | Path, schema: Schema, form: str) -> str:
    """Return what changes when the database does: size and time of its file and log, or a server's numbers of rows.

    Args:
        form: the format's number of what is kept: another one is another fingerprint.

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
    """Return the number of rows of each table; of a large one as its server's statistics give it, to two digits."""
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
    """Looks whether tables or columns have come, gone or been renamed since the schema was read.

    Args:
        database: None where queries are only written.
    """

    def __init__(self, database: Database | None) -> None:
        self._database = database
        self._read: object = None
        self._due = 0.0

    @contextmanager
    def reading(self) -> Generator[None]:
        """Take what is there now for what is read within; if that fails, what was read before still counts.

        Raises:
            DatabaseError: what was read before is no schema any more.
        """
        begun, state = time.monotonic(), None
        with suppress(DatabaseError):  # then the schema is read anew once the state is to be had
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
        """Say whether to read the schema anew.

        Args:
            at_once: also shortly after it was read: something that it tells is gone.
        """
        if not at_once and time.monotonic() < self._due:
            return False
        try:
            return self._state() != self._read
        except DatabaseError:  # a query will tell what is wrong
            return False

    def _state(self) -> object:
        return None if self._database is None else self._database.schema_state()
