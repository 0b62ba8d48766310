"""What a database says, shown: no terminal obeys it, and no spreadsheet runs it."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

import querent

__all__ = ["Terminal", "json_line", "visible", "write_csv"]

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
        text = str(querent.plain_cell(cell)).replace("\r\n", "\n")
        return visible(text if formulas else _FORMULA.sub("'", text), _CONTROL)

    csv.writer(stream).writerows(map(harmless, row) for row in (columns, *rows))


class Terminal(Console):
    """A console on which text is shown as it is: an escape sequence of a cell is told, not obeyed."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is written, with control characters of texts made visible; rich's own styles stay."""
        for segment in super().render(renderable, options):
            harmless = segment.control or not _HIDDEN.search(segment.text)
            yield segment if harmless else Segment(visible(segment.text), segment.style)
