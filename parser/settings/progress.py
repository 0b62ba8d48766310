"""How far a run has come: a bar on a terminal, a line now and then where there is none."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

__all__ = ["ProgressTold", "bar"]

EVERY = 20.0
"""Seconds between two lines."""


class ProgressTold(Progress):
    """A bar with the time left on a terminal; elsewhere, as in a log, a line of the same every `EVERY` seconds.

    Args:
        title: what is going on.
        console: where it is told.
        shown: more columns, in rich's markup, of a bar.
        share: whether steps are shares of a whole, 1.0.
        clock: seconds.
    """

    def __init__(
        self,
        title: str,
        console: Console,
        *,
        shown: str = "",
        share: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        count = TaskProgressColumn() if share else MofNCompleteColumn()
        columns = [TextColumn(title), BarColumn(), count, *([TextColumn(shown)] if shown else [])]
        columns += [TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()]
        super().__init__(*columns, console=console, disable=not console.is_terminal)
        self._title, self._share, self._clock = title, share, clock
        self._told = clock()
        self._first: tuple[float, float] | None = None  # when it first moved, and how far

    def advance(self, task_id: TaskID, advance: float = 1) -> None:
        """Move on by some steps."""
        super().advance(task_id, advance)
        self._tell(task_id)

    def update(self, task_id: TaskID, **fields: Any) -> None:
        """Move on, or show something else, as rich's own."""
        super().update(task_id, **fields)
        self._tell(task_id)

    def _tell(self, task_id: TaskID) -> None:
        now, task = self._clock(), self._tasks[task_id]
        done, total = task.completed, task.total
        if self._first is None and done:
            self._first = (now, done)
        if not self.disable or now - self._told < EVERY:
            return
        self._told = now
        said = f"{done:.0%}" if self._share else f"{done:.0f}" if total is None else f"{done:.0f} of {total:.0f}"
        begun, before = self._first or (now, done)
        left = (now - begun) * (total - done) / (done - before) if total is not None and done > before else None
        self.console.print(
            f"{self._title}: {said}{'' if left is None else f', {_clock(left)} left'}", highlight=False, soft_wrap=True
        )


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


@contextmanager
def bar(title: str, total: int, say: Console, shown: str = "") -> Generator[Callable[..., None]]:
    """Tell how far something is; yields what moves it on by a number of steps, with new values for what it shows."""
    with ProgressTold(title, say, shown=shown) as progress:
        task = progress.add_task("", total=total, loss="–", dev_em="–")
        yield lambda steps=1, **fields: progress.update(task, advance=steps, **fields)
