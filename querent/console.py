"""What commands print: text for people, and under ``--json`` one object for scripts."""

from __future__ import annotations

import errno
import platform
import shlex
import sqlite3
import sys
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager, redirect_stdout
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

import querent

from .terminal import Terminal, json_line

__all__ = [
    "count_bar",
    "errors",
    "fail",
    "finish",
    "made_by",
    "one_line_errors",
    "output",
    "progress_bar",
    "share_bar",
    "speaking",
    "tell_warnings",
]


def errors() -> Console:
    """Return the console of standard error."""
    return Terminal(stderr=True)


def output() -> Console:
    """Return the console of standard output."""
    return Terminal()


def fail(error: Exception) -> None:
    """Print an error, and what is near a path that leads nowhere, in one line, which shows no password of a URL."""
    message, file = str(error), getattr(error, "file", None)
    if isinstance(error, OSError) and isinstance(error.filename, str):
        message, file = f"{error.filename}: {error.strerror}", Path(error.filename)
    message += f"; {near}" if file is not None and (near := querent.nearest_path(file)) else ""
    line = Text.assemble(("error: ", "bold red"), " ".join(querent.scrubbed(message).split()))
    errors().print(line, soft_wrap=True)


@contextmanager
def one_line_errors() -> Generator[None]:
    """End the process in one line, with exit code 2, where a user's mistake ends the block; a traceback is a bug."""
    try:
        yield
    except (querent.QuerentError, OSError) as error:  # as a full disk, or a folder that may not be written
        if isinstance(error, OSError) and error.errno == errno.EPIPE:  # typer sees to closed pipes
            raise
        fail(error)
        raise SystemExit(2) from None


def tell_warnings() -> None:
    """Print what warnings say on standard error, a line each, without the place in the code that says it."""
    plain = warnings.showwarning

    def told(message: Warning | str, category: type[Warning], *place: Any) -> None:
        if issubclass(category, UserWarning):
            line = Text.assemble(("note: ", "yellow"), " ".join(querent.scrubbed(str(message)).split()))
            errors().print(line, soft_wrap=True)
        else:
            plain(message, category, *place)

    warnings.showwarning = told


@contextmanager
def speaking(as_json: bool) -> Generator[Console]:
    """Yield the console for people; under ``--json`` all text goes to standard error, libraries' too."""
    if as_json:
        with redirect_stdout(sys.stderr):
            yield errors()
    else:
        yield output()


def finish(data: dict[str, Any], *, as_json: bool) -> None:
    """Print ``data`` as one line of JSON where it was asked for."""
    if as_json:
        print(json_line(data))


def made_by() -> dict[str, Any]:
    """Return what a result is kept with: the command, the machine and the versions."""
    versions = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version, "querent": querent.__version__}
    return {
        "command": querent.scrubbed(shlex.join(["querent", *sys.argv[1:]])),
        "machine": f"{platform.machine()}, {platform.system()}, CPU",
        "versions": versions | {name: version(name) for name in ("lark", "sqlglot")},
    }


def progress_bar(title: str) -> querent.ProgressTold:
    """Return a bar on standard error, or lines now and then where that is not a terminal."""
    return querent.ProgressTold(title, errors())


@contextmanager
def count_bar(title: str) -> Generator[Callable[[int, int], None]]:
    """Yield what tells a bar how many are done, and of how many."""
    with progress_bar(title) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def share_bar(title: str) -> Generator[Callable[[float], None]]:
    """Yield what moves a bar on standard error to a share of 1; it is drawn from the first one on, and stands then."""
    bar = querent.ProgressTold(title, errors(), share=True)
    task = bar.add_task("", total=1.0)

    def move(share: float) -> None:
        bar.start()
        bar.update(task, completed=share)
        if share >= 1:
            bar.stop()  # so that another one can be drawn below it

    try:
        yield move
    finally:
        bar.stop()
