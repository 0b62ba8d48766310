"""Queries that somebody else has written, run in a process of their own, so that they can be ended.

One call of a function within SQLite, and one row of a server, may take any time and any memory, and nothing in the same
process can stop it. So each database has a second process, begun with the first such query, that opens the database
once more (`query_worker`). It is killed when a query is not done in its time, and may take a bounded memory. It ends by
itself when nothing is asked for a while, and when the process that began it is gone, however that went.
"""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from ..errors import DatabaseError, TimeLimitError
from .rows import Rows

__all__ = ["GRACE", "IDLE", "QueryProcess"]

GRACE = 0.5
"""Seconds beyond its time after which a query is killed: most end by themselves, and say more."""

IDLE = 20.0
"""Seconds without a query after which the process ends."""

_START = 60.0  # seconds that the process may take to open the database, on a machine that is busy
_BEGIN = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {}.query_worker import main; main()"
_BY_ITSELF = -getattr(signal, "SIGALRM", 0)
_GONE = (EOFError, OSError, ValueError, pickle.UnpicklingError)


class QueryProcess:
    """Runs queries on one database in a process of its own; any thread may send one, and they wait for one another.

    Args:
        name: of the database, for messages.
    """

    def __init__(self, name: str) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._said_of, self._file = (f"{name}: ", None) if "://" in name else ("", name)

    def send(self, opening: dict[str, Any], sql: str, most: int, *, timeout: float, patience: float) -> Rows:
        """Return what a query finds.

        Args:
            opening: the arguments of `Database.open`; read by the first query, and by the first one after `end`.
            sql, most, timeout, patience: the query, the rows that are wanted at most, the seconds that it may take, the
                seconds that it may wait for a lock.

        Raises:
            DatabaseError: the database refused it, or it took too much memory; or the process cannot begin.
            TimeLimitError: it took too long, reading what it returns included.
        """
        request = (sql, most, timeout, patience)
        with self._lock:
            process, begun = self._running(opening), time.monotonic()
            try:
                return _replied(process, request, timeout + GRACE)
            except _GONE:
                status, late = process.wait(), time.monotonic() - begun >= timeout
            if late:
                raise TimeLimitError(f"{self._said_of}the query took longer than {timeout:g} s", file=self._file)
            if status == _BY_ITSELF:  # before it read the query
                return _replied(self._running(opening), request, timeout + GRACE)
            problem = f"{self._said_of}the query was ended (status {status}): memory ran out, or it was closed"
            raise DatabaseError(problem, file=self._file, hint="ask for less")

    def end(self) -> None:
        """End the process, whatever it does; the next query begins another one."""
        if self._process is not None:
            with suppress(OSError), self._process as process:  # what was being said to it is lost
                process.kill()

    def _running(self, opening: dict[str, Any]) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        begin = [sys.executable, "-c", _BEGIN.format(__package__), json.dumps(sys.path)]
        try:  # a session of its own: what is typed at a terminal to end one query is not for it
            process = subprocess.Popen(begin, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
            self._process = process
            _replied(process, opening, _START)
        except _GONE as error:
            raise DatabaseError(f"the process that runs queries does not begin: {error}") from error
        return process


def _replied(process: subprocess.Popen[bytes], message: object, seconds: float) -> Any:
    """Return the reply to a message; the process is killed if none came in so many seconds.

    Raises:
        EOFError, OSError, ValueError, pickle.UnpicklingError: the process is gone, or its pipes are closed.
        DatabaseError: it is the reply.
    """
    heard, said = process.stdout, process.stdin
    assert heard is not None and said is not None
    late = threading.Timer(seconds, process.kill)
    late.start()
    try:
        pickle.dump(message, said)
        said.flush()
        reply = pickle.load(heard)
    except BaseException:  # what is left of the reply would be taken for the next one
        process.kill()
        raise
    finally:
        late.cancel()
    if isinstance(reply, DatabaseError):
        raise reply
    return reply
