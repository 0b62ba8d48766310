"""What the process of `QueryProcess` does: open a database, and answer one request after the other."""

from __future__ import annotations

import pickle
import signal
import sys
import time
import warnings
from contextlib import suppress
from typing import BinaryIO

from ..errors import DatabaseError
from .database import Database
from .query_process import GRACE, IDLE, Failure, Opening, Request
from .rows import Rows
from .sqlite_session import limit_heap

__all__ = ["main"]

_MEMORY = 600_000_000
"""Bytes of address space of the process, which hold what a driver reads of a server, too."""


def main() -> None:
    """Answer the requests of standard input on standard output, until nobody is there any more."""
    warnings.simplefilter("ignore")  # whoever opened the database first was told
    heard, said = sys.stdin.buffer, sys.stdout.buffer
    opening: Opening = pickle.load(heard)
    try:
        told = Database.open(
            opening.place, timeout=opening.timeout, max_rows=opening.max_rows, functions=opening.functions
        )
    except DatabaseError as error:
        _say(said, Failure.of(error))
        return
    _limit_memory()
    with told as database, suppress(EOFError, BrokenPipeError):
        _say(said, None)
        while True:
            _end_in(IDLE)
            request: Request = pickle.load(heard)
            _end_in(request.timeout + 2 * GRACE)  # if who began this process is gone, nobody else ends it
            try:
                _say(said, _rows(database, request))
            except MemoryError:
                error = DatabaseError(f"{database.name}: the query takes too much memory", hint="ask for less")
                _say(said, Failure.of(error))
                return  # the driver's connection may be in the middle of a row


def _rows(database: Database, request: Request) -> Rows | Failure:
    patience = time.monotonic() + request.patience
    try:
        return database.session.send(request.sql, request.most, timeout=request.timeout, patience=patience)
    except DatabaseError as error:
        return Failure.of(error)


def _say(said: BinaryIO, reply: Rows | Failure | None) -> None:
    pickle.dump(reply, said)
    said.flush()


def _end_in(seconds: float) -> None:
    """Have the kernel end this process, whatever it does then; Windows has no such timer."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit_memory() -> None:
    limit_heap()
    with suppress(ImportError):  # Windows has no such limit
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = _MEMORY if most == resource.RLIM_INFINITY else min(_MEMORY, most)
        with suppress(ValueError, OSError):  # macOS takes none below what is there already
            resource.setrlimit(resource.RLIMIT_AS, (limit, most))
