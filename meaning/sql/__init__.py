"""SQL for what a column means: a time within an interval, a part of it, days between two, a number in a text, a flag.

Each function returns an expression of one dialect (sqlite, mysql, postgres) for a column as SQL writes it; it wants
brackets where operators stand beside it. Where the cells sort, a time is compared with the interval's ends, so that an
index serves; where they do not, an expression makes of them what sorts.
"""

from __future__ import annotations

from .intervals import DurationUnit, age, elapsed, is_set, number_of, within
from .time_parts import TimePart, part_of, recurring, sortable

__all__ = [
    "DurationUnit",
    "TimePart",
    "age",
    "elapsed",
    "is_set",
    "number_of",
    "part_of",
    "recurring",
    "sortable",
    "within",
]
