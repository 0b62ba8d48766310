"""SQL for what a column means: a time within an interval, a part of it, days between two, a number in a text, a flag.

Each function returns an expression of one dialect for a column as SQL writes it. Where the cells sort, a time is
compared with the interval's ends, so that an index serves; where they do not, an expression makes of them what sorts.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["TimePart", "elapsed", "is_set", "number_of", "part_of", "sortable", "within"]

TimePart: TypeAlias = Literal[
    "year", "quarter", "month", "month of year", "week", "weekday", "day", "day of month", "hour"
]
"""``quarter``, ``month`` and ``week`` are told with their year (2024-Q1, 2024-02, 2024-W07), ``day`` is the whole date;
``weekday`` is 1 for Monday to 7."""
