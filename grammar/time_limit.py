"""A bound in time for what looks at a query: whoever sets it is told where the work is not done by then."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["OutOfTime", "check_time", "time_limit"]

_Limit = tuple[Callable[[], float], float]
"""A clock, and what it shows when the time is over."""

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
    token = _limits.set((*_limits.get(), (clock, clock() + seconds)))
    try:
        yield
    finally:
        _limits.reset(token)


def check_time() -> None:
    """Raise `OutOfTime` if a limit is set and over; called where work may multiply."""
    if any(clock() > until for clock, until in _limits.get()):
        raise OutOfTime
