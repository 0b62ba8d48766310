"""Asks again what may succeed the next time, and knows when to stop."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from ...data.errors import LlmError

__all__ = ["Patience", "TryAgainError", "asked_again"]

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Patience:
    """How long a server is waited for.

    Attributes:
        timeout: seconds that one try may take.
        total: seconds that all tries of one question and the pauses between them may take.
        tries: at most.
        pause: seconds before the second try; each pause is twice the one before, less up to a half by chance, so that
            those who were refused together do not come back together.
        longest: seconds of a pause that the server does not ask for.
    """

    timeout: float = 120.0
    total: float = 600.0
    tries: int = 6
    pause: float = 0.5
    longest: float = 30.0


class TryAgainError(Exception):
    """A try failed in a way that passes.

    Args:
        problem: what happened, in one line.
        wait: seconds that the server asks for, None if it does not say.
    """

    def __init__(self, problem: str, wait: float | None = None) -> None:
        self.problem = problem
        self.wait = wait
        super().__init__(problem)


def asked_again(ask: Callable[[float], Answer], patience: Patience, *, name: str) -> Answer:
    """Return what ``ask`` returns, called until it raises no `TryAgainError`.

    Args:
        ask: gets the seconds that it may take.
        name: of whom is asked, for the error.

    Raises:
        LlmError: all tries or all time is used; tells what the last one met.
    """
    ends = time.monotonic() + patience.total
    for number in range(1, patience.tries + 1):
        try:
            return ask(min(patience.timeout, max(ends - time.monotonic(), 0.001)))
        except TryAgainError as error:
            wait = _pause(number, patience) if error.wait is None else error.wait
            late = time.monotonic() + wait >= ends
            if late or number == patience.tries:
                raise _given_up(error, name, number, wait if late else None) from None
        time.sleep(wait)
    raise LlmError(f"{name} was never asked: no tries are allowed")


def _pause(number: int, patience: Patience) -> float:
    return min(patience.pause * 2 ** (number - 1), patience.longest) * random.uniform(0.5, 1)


def _given_up(error: TryAgainError, name: str, tries: int, wait: float | None) -> LlmError:
    times = "once" if tries == 1 else f"{tries} times"
    hint = None if wait is None else f"the next try would be {wait:.0f} s away, past the time for one question"
    return LlmError(f"{name} does not answer, asked {times}: {error.problem}", hint=hint)
