"""A limit in time for work on a query: `OutOfTime` is raised where the work is not done by then."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar


class _Limit:
    """A clock, and what it shows when the time is over.

    No clock goes faster than time itself, so none is read before that moment: a thread's CPU time takes microseconds.
    """

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self.clock, self.until = clock, clock() + seconds
        self.soonest = time.monotonic() + seconds

    def check(self) -> None:
        """Raise `OutOfTime` if the time is over."""
        if time.monotonic() > self.soonest:
            left = self.until - self.clock()
            if left < 0:
                raise OutOfTime
            self.soonest = time.monotonic() + left


_limits: ContextVar[tuple[_Limit, ...]] = ContextVar("limits", default=())


class OutOfTime(Exception):
    """The work was not done in its time; whatever is remembered so far stays as it is."""


@contextmanager
def time_limit(seconds: float, clock: Callable[[], float] = time.monotonic) -> Generator[None]:
    """Let work within the block take so many seconds by a clock; a limit around the block holds, too.

    By `time.thread_time`, the CPU time of the thread, what is decided does not hang on what else the machine does.

    Raises:
        OutOfTime: from `check_time` within, once they are over.
    """
    token = _limits.set((*_limits.get(), _Limit(seconds, clock)))
    try:
        yield
    finally:
        _limits.reset(token)


def check_time() -> None:
    """Raise `OutOfTime` if a limit is set and over; called where work may multiply."""
    for limit in _limits.get():
        limit.check()
