"""The one thread of a process that answers, and two bounded lines before it: of questions, and of what is quick.

Answering is reckoning in numpy and Python: a second thread would make both slower. SQLite's connections stay in the
thread that opened them, and the loop that listens is never kept waiting. What is quick, as the schema that a page needs
to begin with, waits for the one question that is being answered at most, and is not refused for the others. A second
desk waits for the queries that people write themselves, which another process runs.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from ..data.errors import QuerentError
from ..grammar.stack.time_limit import OutOfTime, time_limit

_Opened = TypeVar("_Opened")
_Done = TypeVar("_Done")


class BusyError(QuerentError):
    """Too many wait already.

    Attributes:
        seconds: after which to come again.
    """

    def __init__(self, seconds: int) -> None:
        super().__init__("too many questions at once", hint=f"ask again in {seconds} s")
        self.seconds = seconds


class LateError(QuerentError):
    """A request was not done in its time."""

    def __init__(self) -> None:
        super().__init__("it took too long", hint="ask for less")


class Desk:
    """Does one thing after the other.

    Args:
        waiting: how many may wait in each line, beside the one that is being done.
        seconds: that each may take, its waiting included.
    """

    def __init__(self, *, waiting: int, seconds: float) -> None:
        self._thread = ThreadPoolExecutor(1, "answering")
        self._places, self._seconds = waiting + 1, seconds
        self._taken = {True: 0, False: 0}  # of those that are quick, and of the others
        self._quick = deque[Callable[[], None]]()
        self._others = deque[Callable[[], None]]()
        self._usual = 0.5  # seconds that one took of late
        self._closed = False

    async def do(
        self, prepare: Callable[[], _Opened], work: Callable[[_Opened], _Done], *, quick: bool = False
    ) -> _Done:
        """Take a place in the line, and return what comes of it once it is done.

        Args:
            prepare: opens what is worked with, if need be; however long it takes, it is done to the end.
            work: ends at `check_time` once time is over.
            quick: does it take no time to speak of? Then it is done before what is not.

        Raises:
            BusyError: there is no place.
            LateError: its time is over.
        """
        if self._taken[quick] >= self._places:
            raise BusyError(max(1, math.ceil(self._taken[False] * self._usual)))
        self._taken[quick] += 1
        until = time.monotonic() + self._seconds
        loop, task = asyncio.get_running_loop(), Future[_Done]()

        def turn() -> None:
            try:
                task.set_result(self._within(until, prepare, work, quick=quick))
            except BaseException as error:
                task.set_exception(error)
            with suppress(RuntimeError):  # the loop is closed: nobody comes any more
                loop.call_soon_threadsafe(self._leave, quick)

        (self._quick if quick else self._others).append(turn)
        self._thread.submit(self._next)
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(task)), self._seconds)
        except (TimeoutError, OutOfTime) as error:
            raise LateError from error

    def _next(self) -> None:
        (self._quick or self._others).popleft()()

    def prepare(self, first: Callable[[], _Opened]) -> Future[_Opened]:
        """Do something before all else, without a place in the line."""
        return self._thread.submit(first)

    def _within(
        self, until: float, prepare: Callable[[], _Opened], work: Callable[[_Opened], _Done], *, quick: bool
    ) -> _Done:
        if self._closed or time.monotonic() > until:  # nobody waits for it any more
            raise LateError
        opened, begun = prepare(), time.monotonic()
        try:
            with time_limit(until - begun):
                return work(opened)
        finally:
            if not quick:
                self._usual += 0.2 * (time.monotonic() - begun - self._usual)

    def _leave(self, quick: bool) -> None:
        self._taken[quick] -= 1

    def stop(self) -> None:
        """Begin nothing more of what waits."""
        self._closed = True

    def close(self, last: Callable[[], None]) -> None:
        """Do what is being done to its end, then ``last`` in its thread, and nothing of what waits."""
        self.stop()
        self._thread.submit(last)
        self._thread.shutdown(cancel_futures=False)
