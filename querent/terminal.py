"""The console that commands print on: nothing that a database says moves its cursor or turns its text around."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

__all__ = ["Terminal", "json_line", "visible"]

_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but for tabs and ends of lines, those that turn text around, and halves of characters."""


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


class Terminal(Console):
    """A console on which text is shown as it is: an escape sequence of a cell is told, not obeyed."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is written, with control characters of texts made visible; rich's own styles stay."""
        for segment in super().render(renderable, options):
            harmless = segment.control or not _HIDDEN.search(segment.text)
            yield segment if harmless else Segment(visible(segment.text), segment.style)
