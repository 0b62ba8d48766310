"""Runs foreign queries in a process of their own, so that they can be ended.

One call of a function within SQLite, and one row of a server, may take any time and any memory, and nothing in the same
process can stop it. So each database has a second process, begun with the first such query, that opens the database
once more. It is killed when a query is not done in its time, and may take a bounded memory. It ends by itself after
some seconds without a query, and when the process that began it has ended.
"""

import json
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..errors import DatabaseError, TimeLimitError
from .rows import Rows

MEMORY = 600_000_000
"""Bytes of address space of the process: what SQLite, a driver and the rows take."""

_GRACE = 1.0  # seconds beyond its time after which a query is killed: most end by themselves, with a better message
_IDLE = 20.0  # seconds without a query after which the process ends
_START = 60.0  # seconds that the process may take to open the database, on a machine that is busy
_GONE = (EOFError, OSError, ValueError, pickle.UnpicklingError)
_BEGIN = f"""
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from {__package__}.database import Database
from {__name__} import answer
answer(Database.open)
"""


class QueryProcess:
    """Runs queries on a database of that name in a process of its own; threads that send some wait for one another."""

    def __init__(self, name: str) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._prefix, self._file = (f"{name}: ", None) if "://" in name else ("", name)

    def send(self, opening: dict[str, Any], sql: str, most: int, *, timeout: float, left: float) -> Rows:
        """Return up to ``most`` rows that a query finds.

        Args:
            opening: the arguments of `Database.open`; read by the first query, and by the first one after `end`.
            timeout: seconds that a query may take, reading its rows included.
            left: seconds of these that this one has.

        Raises:
            DatabaseError: the database refused it, or it took too long or too much memory; or no process begins.
        """
        request = (sql, most, timeout, left)
        with self._lock:
            process, begun = self._running(opening), time.monotonic()
            try:
                return _replied(process, request, left + _GRACE)
            except _GONE:
                status, late = process.wait(), time.monotonic() - begun >= left
            if late:
                raise TimeLimitError(f"{self._prefix}the query took longer than {timeout:g} s", file=self._file)
            if status in (0, -getattr(signal, "SIGALRM", 0)):  # it ended by itself, and never read the query
                return _replied(self._running(opening), request, left + _GRACE)
            problem = f"{self._prefix}the query was ended (status {status}): memory ran out, or it was closed"
            raise DatabaseError(problem, file=self._file, hint="ask for less")

    def end(self) -> None:
        """End the process, whatever it does; the next query begins another one."""
        if self._process is not None:
            with suppress(OSError), self._process as process:  # an unfinished request is lost
                process.kill()

    def _running(self, opening: dict[str, Any]) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            begin = [sys.executable, "-c", _BEGIN, json.dumps(sys.path)]
            try:  # a session of its own: what is typed at a terminal to end one query is not for it
                self._process = subprocess.Popen(begin, stdin=-1, stdout=-1, start_new_session=True)
                _replied(self._process, opening, _START)
            except _GONE as error:
                raise DatabaseError(f"the process that runs queries does not begin: {error}") from error
        return self._process


def _replied(process: subprocess.Popen[bytes], message: object, seconds: float) -> Any:
    """Return the reply to a message; the process is killed if none came in so many seconds.

    Raises:
        EOFError, OSError, ValueError, pickle.UnpicklingError: the process is gone, or its pipes are closed.
        DatabaseError: it is the reply.
    """
    replies, requests = process.stdout, process.stdin
    assert replies is not None and requests is not None
    late = threading.Timer(seconds, process.kill)
    late.start()
    try:
        pickle.dump(message, requests)
        requests.flush()
        reply = pickle.load(replies)
    except BaseException:  # what is left of the reply would be taken for the next one
        process.kill()
        raise
    finally:
        late.cancel()
    if isinstance(reply, DatabaseError):
        raise reply
    return reply


def answer(opening: Callable[..., Any]) -> None:
    """Answer the requests on standard input until it is closed; this is the main loop of the process.

    Args:
        opening: opens a `Database`.
    """
    warnings.simplefilter("ignore")  # the process that opened the database first has warned
    requests, replies, reply = sys.stdin.buffer, sys.stdout.buffer, None
    try:
        session = opening(**pickle.load(requests)).session
    except DatabaseError as error:
        pickle.dump(error, replies)
        return
    with suppress(ImportError, ValueError):  # Windows has no such limit, macOS none below what is there already
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    with suppress(EOFError, BrokenPipeError):
        while True:
            pickle.dump(reply, replies)
            replies.flush()
            _end_in(_IDLE)
            sql, most, timeout, left = pickle.load(requests)
            _end_in(left + 2 * _GRACE)  # ends this process if its parent is gone
            try:
                reply = session.send(sql, most, timeout=timeout, until=time.monotonic() + left)
            except DatabaseError as error:
                reply = error


def _end_in(seconds: float) -> None:
    """Have the kernel end this process, whatever it does then; Windows has no such timer."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
