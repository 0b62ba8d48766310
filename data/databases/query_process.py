"""Queries that somebody else has written, run in a process of their own, so that they can be ended.

One call of a function within SQLite, and one row of a server, may take any time and any memory, and nothing in the same
process can stop it. So each database has a second process, begun with the first such query, that opens the database
once more, for reading only. It is killed when a query is not done in its time, and may take a bounded memory. It ends
by itself when nothing is asked for a while, and when the process that began it is gone, however that went.
"""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ..errors import DatabaseError, TimeLimitError
from ..schema.schema import Function
from .rows import Rows
from .urls import shown_url

__all__ = ["GRACE", "IDLE", "Failure", "Opening", "QueryProcess", "Request"]

GRACE = 0.5
"""Seconds beyond its time after which a query is killed: most end by themselves, and say more."""

IDLE = 20.0
"""Seconds without a query after which the process ends."""

_START = 60.0
"""Seconds that the process may take to begin and to open the database, on a machine that is busy."""

_BEGIN = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {} import main; main()"
_BY_ITSELF = (0, -getattr(signal, "SIGALRM", 0))
_GONE = (EOFError, OSError, pickle.UnpicklingError)


@dataclass(frozen=True)
class Opening:
    """What the process opens: the arguments of `Database.open`."""

    place: str
    timeout: float
    max_rows: int
    functions: tuple[Function, ...] = ()

    @property
    def file(self) -> str | None:
        """Return the file as errors tell it, None of a server."""
        return None if "://" in self.place else self.place

    @property
    def named(self) -> str:
        """Return what stands before an error of a server, empty of a file."""
        return "" if self.file else f"{shown_url(self.place)}: "


@dataclass(frozen=True)
class Request:
    """One query, the rows that are wanted at most, and the seconds that it and its wait for locks may take."""

    sql: str
    most: int
    timeout: float
    patience: float


@dataclass(frozen=True)
class Failure:
    """A `DatabaseError` on its way between two processes."""

    late: bool
    problem: str
    file: str | None
    hint: str | None

    @classmethod
    def of(cls, error: DatabaseError) -> Failure:
        """Return what has to be known to raise an error again."""
        file = None if error.file is None else str(error.file)
        return cls(isinstance(error, TimeLimitError), error.problem, file, error.hint)

    def error(self) -> DatabaseError:
        """Return the error."""
        kind = TimeLimitError if self.late else DatabaseError
        return kind(self.problem, file=self.file, hint=self.hint)


class QueryProcess:
    """Runs queries on one database in a process of its own; any thread may send one, and they wait for one another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ending: weakref.finalize[..., Any] | None = None

    def send(self, opening: Opening, request: Request) -> Rows:
        """Return what a query finds.

        Args:
            opening: the database, opened by the first query and by the first one after `end`.

        Raises:
            DatabaseError: the database refused it, or it took too much memory; or the process cannot begin.
            TimeLimitError: it took too long, reading what it returns included.
        """
        with self._lock:
            process, begun = self._running(opening), time.monotonic()
            try:
                return _replied(process, request, request.timeout + GRACE)
            except _GONE:
                status = process.wait()
                if status in _BY_ITSELF and time.monotonic() - begun < request.timeout:  # before it read the query
                    return _replied(self._running(opening), request, request.timeout + GRACE)
                if time.monotonic() - begun >= request.timeout:
                    problem = f"{opening.named}the query took longer than {request.timeout:g} s"
                    raise TimeLimitError(problem, file=opening.file) from None
                problem = f"{opening.named}the query was ended (status {status}): memory ran out, or it was closed"
                raise DatabaseError(problem, file=opening.file, hint="ask for less") from None

    def end(self) -> None:
        """End the process, whatever it does; the next query begins another one."""
        if self._ending is not None:
            self._ending()

    def _running(self, opening: Opening) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.end()
        begin = [sys.executable, "-c", _BEGIN.format(f"{__package__}.query_worker"), json.dumps(sys.path)]
        try:  # a session of its own: what is typed at a terminal to end one query is not for it
            process = subprocess.Popen(begin, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        except OSError as error:
            raise DatabaseError(f"the process that runs queries cannot begin: {error}") from error
        self._process, self._ending = process, weakref.finalize(self, _end, process)
        try:
            _replied(process, opening, _START)
        except _GONE as error:
            raise DatabaseError(f"the process that runs queries does not begin: status {process.wait()}") from error
        return process


def _replied(process: subprocess.Popen[bytes], message: Opening | Request, seconds: float) -> Any:
    """Return the reply to a message; the process is killed if none came in so many seconds.

    Raises:
        EOFError, OSError, pickle.UnpicklingError: the process is gone.
        DatabaseError: the reply is a failure.
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
    if isinstance(reply, Failure):
        raise reply.error()
    return reply


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):  # what was being said to it is lost
            if pipe is not None:
                pipe.close()
    process.wait()
