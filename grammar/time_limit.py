"""A bound in time for what looks at a query: whoever sets it is told where the work is not done by then."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["OutOfTime", "check_time", "time_limit"]

_until: ContextVar[float | None] = ContextVar("until", default=None)


class OutOfTime(Exception):
    """The work was not done in its time; whatever is remembered so far stays as it is."""


@contextmanager
def time_limit(seconds: float) -> Generator[None]:
    """Let work within the block take so many seconds by the clock; an inner limit ends no later than an outer one.

    Raises:
        OutOfTime: from `check_time` within, once they are over.
    """
    outer, until = _until.get(), time.monotonic() + seconds
    token = _until.set(until if outer is None else min(until, outer))
    try:
        yield
    finally:
        _until.reset(token)


def check_time() -> None:
    """Raise `OutOfTime` if a limit is set and over; called where work may multiply."""
    until = _until.get()
    if until is not None and time.monotonic() > until:
        raise OutOfTime
