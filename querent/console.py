"""Prints for commands: text for people, and with ``--json`` one object for scripts.

Texts of a database can neither control a terminal nor run in a spreadsheet.
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
from rich.segment import Segment
from rich.text import Text

import querent

from . import rooms

_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters except tabs and ends of lines, bidirectional controls, and surrogates."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""The characters of these that no text file should contain."""

_FORMULA = re.compile(r"""^(?=[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\n])(?=[ "]*[=+\-@＝＋－＠])""")
"""The places where a spreadsheet sees the beginning of a formula (OWASP, CSV injection): in many countries a semicolon
separates its cells, and then quotes around a text do not protect it."""


def visible(text: str, hidden: re.Pattern[str] = _HIDDEN) -> str:
    """Return a text with escapes such as `\\\\x1b` in place of the characters that control a terminal.

    >>> visible("a" + chr(27) + "[31m"), visible(chr(0x202E) + "txt")
    ('a\\\\x1b[31m', '\\\\u202etxt')
    """
    return hidden.sub(lambda found: ascii(found[0])[1:-1], text)


def json_line(data: Any) -> str:
    """Return data as one line of JSON that a terminal can show."""
    line = json.dumps(data, ensure_ascii=False, default=str, allow_nan=False)
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", line)


def write_csv(stream: TextIO, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, formulas: bool = False) -> None:
    """Write rows below the names of their columns (RFC 4180), with NULL as an empty cell.

    Args:
        stream: a stream that was opened with ``newline=""``.
        formulas: whether to leave out the apostrophe before texts that a spreadsheet could run as a formula.
    """

    def harmless(cell: Any) -> Any:
        if cell is None or isinstance(cell, int | float | Decimal):
            return cell
        text = str(rooms.plain_cell(cell)).replace("\r\n", "\n")
        return visible(text if formulas else _FORMULA.sub("'", text), _CONTROL)

    csv.writer(stream).writerows(map(harmless, row) for row in (columns, *rows))


class Terminal(Console):
    """A console that prints the escape sequences in texts, and does not obey them."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments with visible control characters, and rich's own styles."""
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
    """Print an error in one line without passwords of URLs, and the path nearest to one that does not exist."""
    message, file = str(error), getattr(error, "file", None)
    if isinstance(error, OSError) and isinstance(error.filename, str):
        message, file = f"{error.filename}: {error.strerror}", Path(error.filename)
    message += f"; {near}" if file is not None and (near := rooms.nearest_path(file)) else ""
    line = Text.assemble(("error: ", "bold red"), " ".join(rooms.scrubbed(message).split()))
    errors().print(line, soft_wrap=True)


@contextmanager
def one_line_errors() -> Generator[None]:
    """End the process with exit code 2 and an error in one line if a user's mistake ends the block."""
    try:
        yield
    except (querent.QuerentError, OSError) as error:  # for instance a full disk
        if isinstance(error, OSError) and error.errno == errno.EPIPE:  # typer handles closed pipes
            raise
        fail(error)
        raise SystemExit(2) from None


def print_warnings() -> None:
    """Print warnings for users on standard error, a line each, without their place in the code."""
    plain = warnings.showwarning

    def print_note(message: Warning | str, category: type[Warning], *place: Any) -> None:
        if issubclass(category, UserWarning):
            line = Text.assemble(("note: ", "yellow"), " ".join(rooms.scrubbed(str(message)).split()))
            errors().print(line, soft_wrap=True)
        else:
            plain(message, category, *place)

    warnings.showwarning = print_note


def text_output(as_json: bool) -> AbstractContextManager[object]:
    """Send all text to standard error, that of libraries too, if standard output is for one line of JSON."""
    return redirect_stdout(sys.stderr) if as_json else nullcontext()


def made_by() -> dict[str, Any]:
    """Return the command, the machine and the versions of a result."""
    versions = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version, "querent": querent.__version__}
    return {
        "command": rooms.scrubbed(shlex.join(["querent", *sys.argv[1:]])),
        "machine": f"{platform.machine()}, {platform.system()}, CPU",
        "versions": versions | {name: version(name) for name in ("lark", "sqlglot")},
    }


@contextmanager
def progress_bar(title: str, *, share: bool = False) -> Generator[Callable[..., None]]:
    """Yield a function that moves a bar on standard error to ``done`` of ``total`` steps; the first call draws it.

    Args:
        title: the text before the bar.
        share: whether the steps are shares of 1.
    """
    bar = rooms.progress(title, errors(), share=share)
    task = bar.add_task("", total=None)

    def move(done: float, total: float | None = 1.0) -> None:
        bar.start()
        bar.update(task, completed=done, total=total)
        if total is not None and done >= total:
            bar.stop()  # so that another one can be drawn below it

    try:
        yield move
    finally:
        bar.stop()
