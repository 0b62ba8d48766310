"""Open databases, one for each role, which are opened again when they have changed."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from ..data.databases.schema_watch import AGAIN
from ..data.databases.sqlite_session import sqlite_file
from ..data.domains.schema_places import database_place, open_schema
from ..data.errors import DatabaseError, InputError, QuerentError, did_you_mean
from ..data.schema.schema import Schema
from ..dialogue.connection import Connection, open_connection
from ..validation import Validator
from .replies import table_json
from .roles import TokenRole
from .settings import ServingSettings

_log = logging.getLogger("querent.serving")
_Done = TypeVar("_Done")


class GoneError(Exception):
    """A database cannot be read at present; the message is for the log."""


@dataclass
class OpenDatabase:
    """A database as one role sees it, for the thread that opened it.

    Attributes:
        state: the state of its file, see `_state`.
        old_at: the time from which a change of the file matters.
        read: the schema that it was opened with.
    """

    name: str
    place: str
    role: TokenRole
    connection: Connection
    query_seconds: float
    state: tuple[object, object]
    old_at: float
    read: Schema

    @cached_property
    def validator(self) -> Validator:
        """Return the validator of queries on the part that the role may read."""
        access = self.role.access_to(self.name)
        place = database_place(self.place, role=access.role) if access and access.role else self.place
        schema, dialect = open_schema(place)
        return Validator(schema, dialect=dialect, timeout=self.query_seconds, access=access)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """Return the schema with the contents of its columns, for the page."""
        tables = [table_json(table, self.connection.profile) for table in self.connection.schema.tables]
        return {"database": self.name, "tables": tables}

    def is_old(self, state: tuple[object, object]) -> bool:
        """Check whether it must be opened again: its file is another one or has changed, or its tables have."""
        changed = state[1] != self.state[1] and time.monotonic() > self.old_at
        return state[0] != self.state[0] or changed or self.connection.schema is not self.read

    def without_place(self, text: str) -> str:
        """Return a message about the database without its address or path."""
        name = self.connection.database.name if self.connection.database else ""
        return text.replace(f"{name}: ", "").replace(name, self.name) if name else text

    def check(self) -> None:
        """Check that it can be read.

        Raises:
            GoneError: it cannot.
        """
        try:
            self.connection.probe()
        except DatabaseError as error:
            raise GoneError(str(error)) from error


class OpenDatabases:
    """All open databases of a process, for one thread.

    Args:
        settings: the settings of the server, with the network that all databases share.
    """

    def __init__(self, settings: ServingSettings) -> None:
        self._settings = settings
        self._open: dict[tuple[str, str], OpenDatabase] = {}

    def named(self, role: TokenRole, database: str | None) -> str:
        """Return the name of a database that a role sees, by default its only one.

        Raises:
            InputError: the role sees no such database, or several.
        """
        names = [name for name in self._settings.databases if role.sees(name)]
        if not database and len(names) == 1:
            return names[0]
        if not database or database not in names:
            hint = did_you_mean(database or "", names) or f"use {', '.join(names)}"
            problem = f"no database {database!r}" if database else "which database?"
            raise InputError(problem, field="database", hint=hint)
        return database

    def get(self, role: TokenRole, name: str) -> OpenDatabase:
        """Return a database that the role sees, and open it if necessary.

        Raises:
            GoneError: it cannot be opened.
        """
        opened = self._open.get((role.name, name))
        try:
            state = _state(self._settings.databases[name])
            had: list[Schema] = []
            if opened is not None and opened.is_old(state):
                had.append(opened.connection.vanished.had)
                opened = self.forget(opened)
            if opened is None:
                opened = self._open[role.name, name] = self._opened(role, name, state)
                opened.connection.vanished.follow(opened.connection.schema, *had)
        except (QuerentError, OSError) as error:
            if opened is not None:
                self.forget(opened)
            _log.warning("%s cannot be opened: %s", name, error)
            raise GoneError(str(error)) from error
        return opened

    def work(self, opened: OpenDatabase, job: Callable[[OpenDatabase], _Done]) -> _Done:
        """Return the result of a job on a database, which is closed if it cannot be read any more.

        Raises:
            GoneError: it cannot be read.
        """
        try:
            try:
                return job(opened)
            except DatabaseError as error:
                opened.check()
                error.problem = opened.without_place(error.problem)
                raise
        except GoneError as error:
            _log.warning("%s cannot be read: %s", opened.name, error)
            self.forget(opened)
            raise

    def forget(self, opened: OpenDatabase) -> None:
        """Close a database, which is opened again for the next request."""
        self._open.pop((opened.role.name, opened.name), None)
        with suppress(QuerentError, OSError):
            opened.connection.close()

    def open_all(self, progress: Callable[[str], None] = lambda _: None, *, keep: bool = True) -> None:
        """Open every database for every role, and close them again unless they are to be kept.

        Raises:
            QuerentError, OSError: one cannot be opened.
        """
        for role, name in self.seen():
            state = _state(self._settings.databases[name])
            opened = self._open[role.name, name] = self._opened(role, name, state, progress)
            if not keep:
                self.forget(opened)

    def close(self) -> None:
        """Close all databases."""
        for opened in list(self._open.values()):
            self.forget(opened)

    def seen(self) -> Iterator[tuple[TokenRole, str]]:
        """Yield each role with each database that it sees."""
        roles, names = self._settings.roles, self._settings.databases
        yield from ((role, name) for role in roles for name in names if role.sees(name))

    def _opened(
        self, role: TokenRole, name: str, state: tuple[object, object], progress: Callable[[str], None] = lambda _: None
    ) -> OpenDatabase:
        begun, settings = time.monotonic(), self._settings
        place = settings.databases[name]
        own: dict[str, Any] = {"access": role.access_to(name), "feedback": role.feedback}
        options = replace(settings.connecting, timeout=settings.query_seconds, **own)
        connection = open_connection(place, options, progress)
        if connection.database is not None:
            connection.database.max_rows = settings.rows
        now = time.monotonic()
        old_at = now + AGAIN * (now - begun)
        return OpenDatabase(name, place, role, connection, settings.query_seconds, state, old_at, connection.schema)


def _state(place: str) -> tuple[object, object]:
    """Return the identity of a file, and its sizes and times, which change with its contents; None for a server.

    A connection can still read a deleted file, so that reading would not notice.

    Raises:
        OSError: the file is gone.
    """
    file = sqlite_file(database_place(place))
    if file is None:
        return None, None
    found, log = file.stat(), Path(f"{file}-wal")
    states = [found, *([log.stat()] if log.is_file() else [])]
    return (found.st_dev, found.st_ino), [(one.st_size, one.st_mtime_ns) for one in states if one.st_size]
