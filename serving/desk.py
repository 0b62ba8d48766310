"""The desk: the one thread of a process that answers, and two bounded queues, for questions and for quick requests.

A second thread would make both slower, since they compute in numpy and Python, and SQLite's connections stay in the
thread that opened them. The event loop never waits. Quick requests, such as the schema for a page, wait for the
question in work alone, and are not refused because of other questions. A second desk waits for the queries that people
write themselves, which another process runs.
"""

import asyncio
import math
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from ..data.errors import QuerentError
from ..grammar.stack.time_limit import OutOfTime, time_limit

_Opened = TypeVar("_Opened")
_Done = TypeVar("_Done")


class BusyError(QuerentError):
    """Too many requests are waiting.

    Attributes:
        seconds: the time after which to try again.
    """

    def __init__(self, seconds: int) -> None:
        super().__init__("too many questions at once", hint=f"ask again in {seconds} s")
        self.seconds = seconds


class LateError(QuerentError):
    """A request took longer than its time limit."""

    def __init__(self) -> None:
        super().__init__("it took too long", hint="ask for less")


class Desk:
    """Does the requests one by one.

    Args:
        waiting: the number of requests that may wait in each queue, beside the one in work.
        seconds: the time limit of a request, including its waiting.
    """

    def __init__(self, *, waiting: int, seconds: float) -> None:
        self._thread = ThreadPoolExecutor(1, "answering")
        self._places, self._seconds = waiting + 1, seconds
        self._taken = Counter[bool]()  # the places of quick requests, and of others
        self._quick = deque[Callable[[], None]]()
        self._others = deque[Callable[[], None]]()
        self._usual = 0.5  # the mean seconds of recent requests
        self._closed = False

    async def do(
        self, prepare: Callable[[], _Opened], work: Callable[[_Opened], _Done], *, quick: bool = False
    ) -> _Done:
        """Take a place in the queue, and return the result of a request.

        Args:
            prepare: a function that opens the database if necessary; it is never interrupted.
            work: a function that answers; `check_time` ends it when its time is over.
            quick: whether the request takes almost no time; such requests come first.

        Raises:
            BusyError: there is no free place.
            LateError: the time of the request is over.
        """
        if self._taken[quick] >= self._places:
            raise BusyError(max(1, math.ceil(self._taken[False] * self._usual)))
        self._taken[quick] += 1
        until = time.monotonic() + self._seconds
        task = Future[_Done]()

        def turn() -> None:
            try:
                task.set_result(self._within(until, prepare, work, quick=quick))
            except BaseException as error:
                task.set_exception(error)

        done = asyncio.wrap_future(task)
        done.add_done_callback(lambda _: self._taken.subtract([quick]))
        (self._quick if quick else self._others).append(turn)
        self._thread.submit(self._next)
        try:
            return await asyncio.wait_for(asyncio.shield(done), self._seconds)
        except (TimeoutError, OutOfTime) as error:
            raise LateError from error

    def _next(self) -> None:
        (self._quick or self._others).popleft()()

    def prepare(self, first: Callable[[], _Opened]) -> Future[_Opened]:
        """Do something before all requests, without a place in the queue."""
        return self._thread.submit(first)

    def _within(
        self, until: float, prepare: Callable[[], _Opened], work: Callable[[_Opened], _Done], *, quick: bool
    ) -> _Done:
        if self._closed or time.monotonic() > until:  # nobody waits for the result
            raise LateError
        opened, begun = prepare(), time.monotonic()
        try:
            with time_limit(until - begun):
                return work(opened)
        finally:
            if not quick:
                self._usual += 0.2 * (time.monotonic() - begun - self._usual)

    def stop(self) -> None:
        """Refuse the requests that wait."""
        self._closed = True

    def close(self, last: Callable[[], None]) -> None:
        """Finish the request in work, then call ``last`` in the same thread."""
        self.stop()
        self._thread.submit(last)
        self._thread.shutdown(cancel_futures=False)
