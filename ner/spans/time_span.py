"""A time that a question says: an interval, or what comes again each year, week or day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

__all__ = ["Bound", "RecurringPart", "SpanGrain", "TimeSpan"]

Bound: TypeAlias = Literal["in", "after", "since", "before", "until"]
"""Which side of a period is meant by the words around it: «after March» begins in April, «until March» ends with it."""

SpanGrain: TypeAlias = Literal["year", "half", "quarter", "month", "week", "day", "hour", "second"]

RecurringPart: TypeAlias = Literal["month", "quarter", "weekday", "day", "hour"]
"""Of what comes again: a month or quarter of any year, a day of the week (Monday is 1) or month, an hour of the day."""


@dataclass(frozen=True)
class TimeSpan:
    """``question[first:last]`` says the period [start, end).

    Attributes:
        first: first character of the question, prepositions that set the bound not counted.
        last: one past the last character.
        text: those characters.
        start: of the period itself, whatever the bound; None where it has no beginning, or comes again.
        end: the first moment behind it; None where it has no end, or comes again.
        grain: of the period.
        bound: which side of it is meant.
        relative: does it hang on the clock?
        part: of what comes again: «in December» of no year is month 12 of any.
        numbers: which of them: 12; 6 and 7 of a weekend.
        note: what was taken for granted, to be told with the answer; empty if nothing.
        sure: are its words those of a time? «2000» alone may count something, «older than 30 years» be an age.
    """

    first: int
    last: int
    text: str
    start: datetime | None
    end: datetime | None
    grain: SpanGrain
    bound: Bound = "in"
    relative: bool = False
    part: RecurringPart | None = None
    numbers: tuple[int, ...] = ()
    note: str = ""
    sure: bool = True

    def __str__(self) -> str:
        """Return the interval with its first and last day or moment, as people write it."""
        if self.part is not None:
            return f"any {self.part} {', '.join(map(str, self.numbers))}"
        start, end = self.interval
        whole = all(one is None or (one.hour, one.minute, one.second) == (0, 0, 0) for one in (start, end))
        last = end - timedelta(days=1) if whole and end is not None else end
        shown = [one and (one.date().isoformat() if whole else one.isoformat(" ")) for one in (start, last)]
        if shown[0] == shown[1]:
            return str(shown[0])
        return (
            f"from {shown[0]}"
            if last is None
            else f"up to {shown[1]}"
            if start is None
            else " to ".join(map(str, shown))
        )

    @property
    def plain(self) -> bool:
        """Is it one year, month, day, hour or second of the calendar, and no range of them?"""
        if self.start is None or self.end is None or self.relative:
            return False
        days = (self.end - self.start).days
        most = {"year": 366, "month": 31, "day": 1, "hour": 0, "second": 0}.get(self.grain)
        return most is not None and days <= most

    @property
    def interval(self) -> tuple[datetime | None, datetime | None]:
        """Return [start, end) with the bound: from the end on for «after», up to the start for «before»."""
        return {
            "in": (self.start, self.end),
            "after": (self.end, None),
            "since": (self.start, None),
            "before": (None, self.start),
            "until": (None, self.end),
        }[self.bound]
