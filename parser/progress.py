"""How far a run has come, on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

__all__ = ["bar"]


@contextmanager
def bar(title: str, total: int, say: Console, shown: str = "") -> Generator[Callable[..., None]]:
    """Show a bar; yields what moves it on by a number of steps, with new values for what it shows."""
    columns = [TextColumn(title), BarColumn(), MofNCompleteColumn(), *([TextColumn(shown)] if shown else [])]
    columns += [TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()]
    progress = Progress(*columns, console=say, disable=not say.is_terminal)
    with progress:
        task = progress.add_task("", total=total, loss="–", dev_em="–")
        yield lambda steps=1, **fields: progress.update(task, advance=steps, **fields)
