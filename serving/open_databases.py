"""Databases as roles see them, opened when they are first asked and again when they have changed."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..data.databases.schema_watch import AGAIN
from ..data.databases.sqlite_session import sqlite_file
from ..data.domains.schema_places import database_place, open_schema
from ..data.errors import DatabaseError, InputError, QuerentError, did_you_mean
from ..data.schema.schema import Schema
from ..dialogue.connection import Connection, open_connection
from ..validation import Validator
from .replies import schema_json
from .roles import TokenRole
from .settings import ServingSettings

_log = logging.getLogger("querent.serving")


class GoneError(Exception):
    """A database cannot be read at present; what is wrong is for the log."""


@dataclass
class OpenDatabase:
    """A database as one role sees it; used in the thread that opened it."""

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
        """Return what judges queries by what the role may read."""
        access = self.role.access_to(self.name)
        schema, dialect = open_schema(
            database_place(self.place, role=access.role) if access and access.role else self.place
        )
        return Validator(schema, dialect=dialect, timeout=self.query_seconds, access=access)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """Return the schema with what columns hold, for the page."""
        return {"database": self.name, **schema_json(self.connection.schema, self.connection.profile)}

    def is_old(self, state: tuple[object, object]) -> bool:
        """Say whether it is to be opened anew: another file is there, or it has changed and was asked for a while.

        What judges and shows its tables is made anew as well where the connection has found others.
        """
        changed = state[1] != self.state[1] and time.monotonic() > self.old_at
        return state[0] != self.state[0] or changed or self.connection.schema is not self.read

    def unplaced(self, text: str) -> str:
        """Return what is told of a database without where it is: its address or path is nobody's business."""
        name = self.connection.database.name if self.connection.database else ""
        return text.replace(f"{name}: ", "").replace(name, self.name) if name else text

    def check(self) -> None:
        """Look whether it can be read.

        Raises:
            GoneError: it cannot.
        """
        try:
            self.connection.probe()
        except DatabaseError as error:
            raise GoneError(str(error)) from error


class OpenDatabases:
    """All databases that a process has open; used in one thread.

    Args:
        settings: of the server, with the network that all have in common.
    """

    def __init__(self, settings: ServingSettings) -> None:
        self._settings = settings
        self._open: dict[tuple[str, str], OpenDatabase] = {}

    def named(self, role: TokenRole, database: str | None) -> str:
        """Return the name of a database that a role sees; the only one where none is said.

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
        """Return a database that the role sees, opened if need be.

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

    def asked(self, opened: OpenDatabase, work: Callable[[OpenDatabase], Any]) -> Any:
        """Do something with a database, and let go of it if it turns out to be gone.

        Raises:
            GoneError: it cannot be read.
        """
        try:
            try:
                return work(opened)
            except DatabaseError as error:
                opened.check()
                error.problem = opened.unplaced(error.problem)
                raise
        except GoneError as error:
            _log.warning("%s cannot be read: %s", opened.name, error)
            self.forget(opened)
            raise

    def forget(self, opened: OpenDatabase) -> None:
        """Let go of a database; it is opened anew when it is next asked."""
        self._open.pop((opened.role.name, opened.name), None)
        with suppress(QuerentError, OSError):
            opened.connection.close()

    def open_all(self) -> None:
        """Open every database for every role, so that nobody waits for it; one that is gone opens when it is back."""
        for role, name in self._seen():
            with suppress(GoneError):
                self.get(role, name)

    def try_all(self, progress: Callable[[str], None] = lambda _: None, *, keep: bool = False) -> None:
        """Open every database for every role: what is kept of them is made, and what is wrong is said.

        Args:
            keep: leave them open.

        Raises:
            QuerentError, OSError: one cannot be opened.
        """
        for role, name in self._seen():
            state = _state(self._settings.databases[name])
            opened = self._open[role.name, name] = self._opened(role, name, state, progress)
            if not keep:
                self.forget(opened)

    def close(self) -> None:
        """Let go of all."""
        for opened in list(self._open.values()):
            self.forget(opened)

    def _seen(self) -> Iterator[tuple[TokenRole, str]]:
        roles, names = self._settings.roles.all, self._settings.databases
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
    """Return which file it is, and what changes when its contents do: size and time; nothing of a server.

    A file that is gone stays readable to whom has it open, so that reading tells nothing.

    Raises:
        OSError: the file is gone.
    """
    file = sqlite_file(database_place(place))
    if file is None:
        return None, None
    found, log = file.stat(), Path(f"{file}-wal")
    states = [found, *([log.stat()] if log.is_file() else [])]
    return (found.st_dev, found.st_ino), [(one.st_size, one.st_mtime_ns) for one in states if one.st_size]
