"""Whether the tables of a database are still those that were read."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager, suppress

from ..errors import DatabaseError, SchemaError
from .database import Database

__all__ = ["AGAIN", "SchemaWatch"]

AGAIN = 10
"""A database that changes is read anew after this many times as long as reading took, so that it is asked mostly."""


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
