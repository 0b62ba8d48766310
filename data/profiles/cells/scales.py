"""Columns that count in thousands or more, as their names say: budget_in_billions, 营收（亿）, 面积（万平方米）."""

from __future__ import annotations

import re
from math import prod

from ...schema.plain_names import words
from ...values.numerals import CHINESE_UNITS, ENGLISH_SCALES
from .cell_sample import CellSample

__all__ = ["scale_of"]

_ENGLISH = {form: scale for word, scale in ENGLISH_SCALES.items() if scale >= 1000 for form in (word, f"{word}s")}
_CHINESE = re.compile(r"[（(]([百千万亿]*[万亿])[^（()）]*[)）]|([百千]?[万亿])元?$")
"""A unit in brackets or at the end; 千 alone is left out: 千克 and 千米 are units of their own."""


def scale_of(sample: CellSample) -> int:
    """Return how many one of the column's units is, 0 where its name says nothing, or most cells are that large."""
    column = sample.column
    scale = next((found for name in (column.name, column.description) if (found := _said(name))), 0)
    numbers = sorted(map(abs, sample.numbers))
    return scale if numbers and numbers[len(numbers) // 2] < scale else 0


def _said(name: str) -> int:
    if (unit := _CHINESE.search(name)) is not None:
        return prod(CHINESE_UNITS[one] for one in unit[1] or unit[2])
    return next((_ENGLISH[word] for word in reversed(words(name)) if word in _ENGLISH), 0)
