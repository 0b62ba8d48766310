"""Progress bars with the time left; without a terminal they are not printed."""

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


def progress(title: str, console: Console, *, fields: str = "", share: bool = False) -> Progress:
    """Return rich's bar with a title.

    Args:
        fields: further columns, in rich's markup.
        share: whether steps are shares of a whole, 1.0.
    """
    count = TaskProgressColumn() if share else MofNCompleteColumn()
    columns = [TextColumn(title), BarColumn(), count, *([TextColumn(fields)] if fields else [])]
    columns += [TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()]
    return Progress(*columns, console=console, disable=not console.is_terminal)


@contextmanager
def bar(title: str, total: int, say: Console, fields: str = "") -> Generator[Callable[..., None]]:
    """Open a bar; yield a function that advances it by a number of steps and updates its fields."""
    with progress(title, say, fields=fields) as opened:
        task = opened.add_task("", total=total, loss="–", dev_em="–")
        yield lambda steps=1, **values: opened.update(task, advance=steps, **values)
