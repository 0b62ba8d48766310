"""Progress: a bar on a terminal, lines with the time left elsewhere."""

from __future__ import annotations

from io import StringIO
from itertools import count

from rich.console import Console

from querent.parser.settings.progress import ProgressTold, bar


def told(total: float | None, *, steps: int, share: bool = False, terminal: bool = False) -> str:
    """Return what is told of steps that take seven seconds each."""
    stream, seconds = StringIO(), count(0, 7)
    console = Console(file=stream, force_terminal=terminal, width=80)
    with ProgressTold("training", console, share=share, clock=lambda: float(next(seconds))) as progress:
        task = progress.add_task("", total=total)
        for _ in range(steps):
            progress.advance(task, 0.1 if share else 1)
    return stream.getvalue()


def test_a_log_gets_a_line_now_and_then_with_the_time_left():
    assert told(600, steps=6).splitlines() == ["training: 3 of 600, 1:09:39 left", "training: 6 of 600, 1:09:18 left"]


def test_what_was_done_before_a_kill_tells_nothing_of_the_pace():
    stream, seconds = StringIO(), count(0, 7)
    with ProgressTold("training", Console(file=stream), clock=lambda: float(next(seconds))) as progress:
        task = progress.add_task("", total=600)
        progress.advance(task, 500)
        for _ in range(2):
            progress.advance(task)
    assert stream.getvalue() == "training: 502 of 600, 0:11:26 left\n"


def test_a_share_is_told_in_percent_and_what_nobody_counted_as_it_is():
    assert told(1.0, steps=4, share=True).splitlines() == ["training: 30%, 0:00:49 left"]
    assert told(None, steps=4).splitlines() == ["training: 3"]


def test_a_terminal_gets_a_bar():
    drawn = told(10, steps=4, terminal=True)
    assert "4/10" in drawn
    assert "4 of 10" not in drawn


def test_what_is_quick_is_not_told():
    stream = StringIO()
    console = Console(file=stream, force_terminal=False)
    with bar("reading", 3, console) as step:
        step()
    assert stream.getvalue() == ""
