"""How the cells of a column say times, and what is doubtful about it."""

from __future__ import annotations

import re
from datetime import date

from ..column_profile import TimeStorage
from .cell_sample import CellSample
from .time_finding import Neighbours, TimeFinding, says_time
from .time_numbers import time_of_numbers
from .time_texts import time_of_texts

__all__ = ["time_of"]


def time_of(sample: CellSample, neighbours: Neighbours) -> TimeFinding | None:
    """Return how the cells of a column say times, None where they say none."""
    if sample.served and (found := _native(sample)):
        return found
    if sample.numbers and not sample.texts:
        return time_of_numbers(sample, neighbours)
    texts = sample.texts
    if not texts or (len(sample.numbers) > len(texts) and not says_time(sample)):
        return None
    if all(text.isdecimal() and text.isascii() for text in texts) and not sample.numbers:
        return time_of_numbers(sample, neighbours)
    return time_of_texts(sample, neighbours)


def _native(sample: CellSample) -> TimeFinding | None:
    """Return the storage of a server's type; what a driver gives as text beside it is no date: 0000-00-00."""
    kind = sample.type
    if kind.startswith("year"):
        return TimeFinding(TimeStorage("year", "year", text=False))
    if not re.match(r"date|timestamp|datetime", kind):
        return TimeFinding(None, "times of day, without a date") if re.match(r"time\b", kind) else None
    days = sorted(cell.isoformat()[:10] for cell in sample.counts if isinstance(cell, date))
    odd = next((cell for cell in sample.counts if isinstance(cell, str)), None)
    doubt = f"among them is {odd!r}, which is no date" if odd is not None else ""
    grain = "day" if re.match(r"date(?!time)", kind) else "second"
    first, last = (days[0], days[-1]) if days else ("", "")
    storage = TimeStorage("native", grain, text=False, gaps=odd is not None, first=first, last=last)
    return TimeFinding(storage, doubt)
