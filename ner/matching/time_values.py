"""Times that a question says as values: each with the period that it means, whole phrases in place of their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from ..index.found import FoundValue
from ..spans.finding import find_spans
from ..spans.time_span import TimeSpan
from .question import QuestionRuns

__all__ = ["with_spans"]

_SCORE = 0.9
_A_YEAR = timedelta(days=366)


def with_spans(
    question: QuestionRuns, found: Sequence[FoundValue], *, language: str, now: datetime, fiscal_month: int = 1
) -> list[FoundValue]:
    """Return the values of a question, those that are times with their spans, and spans that no value was yet.

    «2023» in «in 2023» stays the number that it is. «Q3 2023» is one value whose text is its first month; the numbers
    within its words are left out.

    Args:
        found: what the question says, overlapping as it may.
        now: the moment that «yesterday» is seen from.
        fiscal_month: in which fiscal years begin.
    """
    values = list(found)
    for span in find_spans(question.text, language=language, now=now, fiscal_month=fiscal_month):
        if not question.is_quoted(span.first, span.last) or (span.first, span.last) in question.quotes:
            values = _with_span(values, span)
    return values


def _with_span(values: Sequence[FoundValue], span: TimeSpan) -> list[FoundValue]:
    years = [value for value in values if _within(value, span) and _is_year(value, span)]
    one_year = span.start is not None and span.end is not None and span.end - span.start <= _A_YEAR
    plain = one_year and len(years) == 1  # the 1990 of «1990s» is no year
    spans = {(year.start, year.end): span if plain else _year(year) for year in years if plain or len(years) > 1}
    spans[span.first, span.last] = span
    kept: list[FoundValue] = []
    for value in values:
        own = spans.get((value.start, value.end)) if value.kind != "text" else None
        if own is not None:
            kept.append(_dated(value, own))
        elif plain or not span.sure or not _within(value, span):
            kept.append(value)
    if not any(value.span == span and value.how == "literal" for value in kept):
        place = (span.first, span.last, span.text)
        kept.append(FoundValue(*place, _value(span), "time", "literal", (), _SCORE, span))
    return kept


def _within(value: FoundValue, span: TimeSpan) -> bool:
    """Is it read from the words of the span alone?"""
    literal = value.how == "literal" and value.kind in {"number", "time", "text"}
    return literal and span.first <= value.start and value.end <= span.last


def _is_year(value: FoundValue, span: TimeSpan) -> bool:
    """Is it a number that columns of years may hold as well?"""
    return span.grain == "year" and not span.relative and value.kind == "number" and len(value.value) == 4


def _year(value: FoundValue) -> TimeSpan:
    """Return the year of one end of a range."""
    year = int(value.value)
    return TimeSpan(value.start, value.end, value.text, datetime(year, 1, 1), datetime(year + 1, 1, 1), "year")


def _dated(value: FoundValue, span: TimeSpan) -> FoundValue:
    """Put a span to a value; a day without a year gets the one that is taken for it."""
    day = value.kind == "time" and value.how == "literal" and span.part is None and not value.value[:4].isdigit()
    return replace(value, span=span, value=_value(span) if day else value.value)


def _value(span: TimeSpan) -> str:
    """Return the first moment of a span as its grain says it; of what comes again the part that dates contain."""
    if span.start is None:
        n = span.numbers[0]
        said = {"month": f"-{n:02}-", "quarter": f"-{3 * n - 2:02}-", "day": f"-{n:02}", "hour": f"{n:02}:00"}
        return said.get(span.part or "", span.text)
    length = {"year": 4, "half": 7, "quarter": 7, "month": 7, "week": 10, "day": 10}.get(span.grain, 19)
    return span.start.isoformat(sep=" ", timespec="seconds")[:length]
