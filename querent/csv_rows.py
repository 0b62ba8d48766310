"""Rows as CSV that does nothing but hold them: no spreadsheet runs a cell, no terminal obeys one."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, TextIO

import querent

from .terminal import visible

__all__ = ["write_csv"]

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""What a spreadsheet takes for the beginning of a formula (OWASP, CSV injection)."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def write_csv(stream: TextIO, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, formulas: bool = False) -> None:
    """Write rows below the names of their columns (RFC 4180); numbers stay as they are, and NULL is empty.

    Args:
        stream: opened with ``newline=""``.
        formulas: leave texts that begin as a formula does without the apostrophe that makes a text of them.
    """
    csv.writer(stream).writerows([_harmless(cell, formulas) for cell in row] for row in (columns, *rows))


def _harmless(cell: Any, formulas: bool) -> Any:
    if cell is None or isinstance(cell, int | float | Decimal):
        return cell
    text = str(querent.plain_cell(cell))
    shown = visible(text.replace("\r\n", "\n"), _CONTROL)
    return f"'{shown}" if text.startswith(_FORMULA) and not formulas else shown
