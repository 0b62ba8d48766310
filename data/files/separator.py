"""What parts the cells of a text file: the sign with which the most rows have the same number of cells."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from ..profiles.cells.cell_sample import NOTHING
from .number_forms import LONGEST

__all__ = ["SEPARATORS", "separator_of"]

SEPARATORS = (",", ";", "\t", "|")

_NUMBER = re.compile(r"[-+$€£¥ ]*\d[\d.,' ]*(?:[eE][-+]?\d+)?[%€ ]*")
_ROWS = 200


def separator_of(lines: Sequence[str], likely: str = ",") -> str:
    """Return the sign that parts the cells of lines, ``likely`` where none does: then there is one column.

    Args:
        lines: the first ones of a file.
        likely: what its name's ending says.
    """
    told = lines[0].strip().lower() if lines else ""
    if told.startswith("sep=") and told[4:] in SEPARATORS:  # Excel reads such a line
        return told[4:]
    if lines and "," not in lines[0] and _is_number(lines[1:]):
        return "\t"  # one column of numbers, with commas of their own
    scores = {sign: _score(lines, sign) for sign in sorted(SEPARATORS, key=lambda sign: sign != likely)}
    best = max(scores, key=lambda sign: scores[sign])
    return best if scores[best] > (0, 0) else likely


def _is_number(lines: Sequence[str]) -> bool:
    """Is each line one number, or two or more that are told apart by nothing but commas, or does it say nothing?"""
    said = (line.strip().strip('"') for line in lines)
    return all((len(text) <= LONGEST and _NUMBER.fullmatch(text)) or text.lower() in NOTHING for text in said)


def _score(lines: Iterable[str], sign: str) -> tuple[float, int]:
    """Return how many rows of more than one cell have the same number of them, as a share, and that number."""
    try:
        widths = Counter(len(row) for row in islice(csv.reader(lines, delimiter=sign), _ROWS) if any(row))
    except csv.Error:
        return 0, 0
    several = {width: rows for width, rows in widths.items() if width > 1}
    if not several:
        return 0, 0
    width, rows = max(several.items(), key=lambda one: (one[1], one[0]))
    return rows / widths.total(), width
