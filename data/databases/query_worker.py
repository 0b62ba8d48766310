"""What the process of `QueryProcess` does: open a database, and answer one request after the other."""

from __future__ import annotations

import pickle
import signal
import sys
import time
import warnings
from contextlib import suppress
from typing import Any

from ..errors import DatabaseError
from .database import Database
from .query_process import GRACE, IDLE

__all__ = ["main"]

_MEMORY = 600_000_000
"""Bytes of address space of the process: what SQLite, a driver and the rows take."""


def main() -> None:
    """Answer the requests of standard input on standard output, until nobody is there any more."""
    warnings.simplefilter("ignore")  # whoever opened the database first was told
    heard, said = sys.stdin.buffer, sys.stdout.buffer
    opening: dict[str, Any] = pickle.load(heard)
    reply: object = None
    try:
        session = Database.open(**opening).session
    except DatabaseError as error:
        pickle.dump(error, said)
        return
    _limit_memory()
    with suppress(EOFError, BrokenPipeError):
        while True:
            pickle.dump(reply, said)
            said.flush()
            _end_in(IDLE)
            sql, most, timeout, patience = pickle.load(heard)
            _end_in(timeout + 2 * GRACE)  # if who began this process is gone, nobody else ends it
            try:
                reply = session.send(sql, most, timeout=timeout, patience=time.monotonic() + patience)
            except DatabaseError as error:
                reply = error


def _end_in(seconds: float) -> None:
    """Have the kernel end this process, whatever it does then; Windows has no such timer."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit_memory() -> None:
    with suppress(ImportError, ValueError):  # Windows has no such limit, macOS none below what is there already
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = _MEMORY if most == resource.RLIM_INFINITY else min(_MEMORY, most)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
