"""What commands print: text for people, and under ``--json`` one object for scripts.

No terminal obeys what a database says, and no spreadsheet runs it.
"""

from __future__ import annotations

import csv
import errno
import json
import platform
import re
import shlex
import sqlite3
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import Progress
from rich.segment import Segment
from rich.text import Text

import querent

from . import rooms

_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but for tabs and ends of lines, those that turn text around, and halves of characters."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Of those what no file of texts should have."""

_FORMULA = re.compile(r"""^(?=[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\n])(?=[ "]*[=+\-@＝＋－＠])""")
"""Where a spreadsheet takes a formula to begin (OWASP, CSV injection): in many countries a semicolon parts its cells,
and then no quotes around a text keep it together."""


def visible(text: str, hidden: re.Pattern[str] = _HIDDEN) -> str:
    """Return a text with `\\\\x1b` and the like in place of what a terminal would obey.

    >>> visible("a" + chr(27) + "[31m"), visible(chr(0x202E) + "txt")
    ('a\\\\x1b[31m', '\\\\u202etxt')
    """
    return hidden.sub(lambda found: ascii(found[0])[1:-1], text)


def json_line(data: Any) -> str:
    """Return data as one line of JSON, the same data to whoever reads it, that a terminal can show."""
    told = json.dumps(data, ensure_ascii=False, default=str, allow_nan=False)
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", told)


def write_csv(stream: TextIO, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, formulas: bool = False) -> None:
    """Write rows below the names of their columns (RFC 4180); numbers stay as they are, and NULL is empty.

    Args:
        stream: opened with ``newline=""``.
        formulas: leave texts that begin as a formula does, or have one behind a semicolon, a tab or a line's end,
            without the apostrophe that makes a text of them.
    """

    def harmless(cell: Any) -> Any:
        if cell is None or isinstance(cell, int | float | Decimal):
            return cell
        text = str(rooms.plain_cell(cell)).replace("\r\n", "\n")
        return visible(text if formulas else _FORMULA.sub("'", text), _CONTROL)

    csv.writer(stream).writerows(map(harmless, row) for row in (columns, *rows))


class Terminal(Console):
    """A console on which text is shown as it is: an escape sequence of a cell is told, not obeyed."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is written, with control characters of texts made visible; rich's own styles stay."""
        for segment in super().render(renderable, options):
            harmless = segment.control or not _HIDDEN.search(segment.text)
            yield segment if harmless else Segment(visible(segment.text), segment.style)


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
    message += f"; {near}" if file is not None and (near := rooms.nearest_path(file)) else ""
    line = Text.assemble(("error: ", "bold red"), " ".join(rooms.scrubbed(message).split()))
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
            line = Text.assemble(("note: ", "yellow"), " ".join(rooms.scrubbed(str(message)).split()))
            errors().print(line, soft_wrap=True)
        else:
            plain(message, category, *place)

    warnings.showwarning = told


def speaking(as_json: bool) -> AbstractContextManager[object]:
    """Send all text, libraries' too, to standard error where standard output is for one line of JSON alone."""
    return redirect_stdout(sys.stderr) if as_json else nullcontext()


def made_by() -> dict[str, Any]:
    """Return what a result is kept with: the command, the machine and the versions."""
    versions = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version, "querent": querent.__version__}
    return {
        "command": rooms.scrubbed(shlex.join(["querent", *sys.argv[1:]])),
        "machine": f"{platform.machine()}, {platform.system()}, CPU",
        "versions": versions | {name: version(name) for name in ("lark", "sqlglot")},
    }


def progress_bar(title: str) -> Progress:
    """Return a bar on standard error."""
    return rooms.progress(title, errors())


@contextmanager
def count_bar(title: str) -> Generator[Callable[[int, int], None]]:
    """Yield what tells a bar how many are done, and of how many."""
    with progress_bar(title) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def share_bar(title: str) -> Generator[Callable[[float], None]]:
    """Yield what moves a bar on standard error to a share of 1; it is drawn from the first one on, and stands then."""
    bar = rooms.progress(title, errors(), share=True)
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
