"""How far a run has come, as a bar with the time left; nothing where there is no terminal."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


def progress(title: str, console: Console, *, shown: str = "", share: bool = False) -> Progress:
    """Return rich's bar with a title.

    Args:
        shown: more columns, in rich's markup.
        share: whether steps are shares of a whole, 1.0.
    """
    count = TaskProgressColumn() if share else MofNCompleteColumn()
    columns = [TextColumn(title), BarColumn(), count, *([TextColumn(shown)] if shown else [])]
    columns += [TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()]
    return Progress(*columns, console=console, disable=not console.is_terminal)


@contextmanager
def bar(title: str, total: int, say: Console, shown: str = "") -> Generator[Callable[..., None]]:
    """Show how far something is; yields what moves it on by a number of steps, with new values for what it shows."""
    with progress(title, say, shown=shown) as moved:
        task = moved.add_task("", total=total, loss="–", dev_em="–")
        yield lambda steps=1, **fields: moved.update(task, advance=steps, **fields)
