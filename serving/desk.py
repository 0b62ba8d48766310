"""The one thread of a process that answers, and the bounded line before it.

Answering is reckoning in numpy and Python: a second thread would make both slower. SQLite's connections stay in the
thread that opened them, and the loop that listens is never kept waiting. A second desk waits for the queries that
people write themselves, which another process runs, so that nobody's question waits behind them.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from ..data.errors import QuerentError
from ..grammar.time_limit import OutOfTime, time_limit

__all__ = ["BusyError", "Desk", "LateError"]

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
        waiting: how many may wait, beside the one that is being done.
        seconds: that each may take, its waiting included.
    """

    def __init__(self, *, waiting: int, seconds: float) -> None:
        self._thread = ThreadPoolExecutor(1, "answering")
        self._places, self._seconds = waiting + 1, seconds
        self._taken = 0
        self._usual = 0.5  # seconds that one took of late

    def do(self, prepare: Callable[[], _Opened], work: Callable[[_Opened], _Done]) -> Awaitable[_Done]:
        """Take a place in the line, and return what comes of it once it is done.

        Args:
            prepare: opens what is worked with, if need be; however long it takes, it is done to the end.
            work: ends at `check_time` once time is over.

        Raises:
            BusyError: at once, if there is no place.
            LateError: when awaited.
        """
        if self._taken >= self._places:
            raise BusyError(max(1, math.ceil(self._taken * self._usual)))
        self._taken += 1
        until = time.monotonic() + self._seconds
        loop = asyncio.get_running_loop()
        task = self._thread.submit(self._within, until, prepare, work)
        task.add_done_callback(lambda _: self._left(loop))
        return self._awaited(task)

    async def _awaited(self, task: Future[_Done]) -> _Done:
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(task)), self._seconds)
        except (TimeoutError, OutOfTime) as error:
            raise LateError from error

    def prepare(self, first: Callable[[], _Opened]) -> Future[_Opened]:
        """Do something before all else, without a place in the line."""
        return self._thread.submit(first)

    def _within(self, until: float, prepare: Callable[[], _Opened], work: Callable[[_Opened], _Done]) -> _Done:
        if time.monotonic() > until:  # nobody waits for it any more
            raise LateError
        opened, begun = prepare(), time.monotonic()
        try:
            with time_limit(until - begun):
                return work(opened)
        finally:
            self._usual += 0.2 * (time.monotonic() - begun - self._usual)

    def _left(self, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody comes any more
            loop.call_soon_threadsafe(self._leave)

    def _leave(self) -> None:
        self._taken -= 1

    def close(self, last: Callable[[], None]) -> None:
        """Do what is being done to its end, then ``last`` in its thread, and nothing more."""
        self._thread.submit(last)
        self._thread.shutdown(cancel_futures=False)
