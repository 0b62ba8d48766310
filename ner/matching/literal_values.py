"""Values that need no database: numbers, times with their periods, codes, quoted strings."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from ...data.values.numerals import ENGLISH_ORDINALS
from ..cells.found import FoundValue
from ..language.question import QuestionText
from ..language.words import is_cjk
from ..spans.finding import find_spans
from ..spans.periods import TimeSpan

_MENTION_SCORE = 0.4
"""How sure it is that a span which no cell holds is a value; less than any whole cell."""


def numbers(question: QuestionText) -> list[FoundValue]:
    """Return the numbers and times, as SQL writes them."""
    found = [
        FoundValue(m.start, m.end, m.text, m.sql, "time" if m.type == "time" else "number", "literal", (), 0.9)
        for m in question.literals
    ]
    counts = {one.value for one in found if not _is_ordinal(question, one)}
    found = [replace(f, ordinal=f.value not in counts) for f in found]  # «3rd» beside «3» is no ordinal
    return [f for f in found if not question.is_quoted(f.start, f.end) or (f.start, f.end) in question.quotes]


def _is_ordinal(question: QuestionText, number: FoundValue) -> bool:
    """Is a number an ordinal: «third», «3rd», 第三?"""
    text = question.text
    last = re.split(r"[\s-]", number.text.lower())[-1]
    behind = text[number.end : number.end + 3].lower()
    return (
        last in ENGLISH_ORDINALS
        or (behind[:2] in {"st", "nd", "rd", "th"} and not behind[2:].isalpha())
        or text[: number.start].rstrip().endswith("第")
    )


_ALONE = r"(?<![^\W_])"
_ENDED = r"(?![^\W_])"
_RUN = re.compile(rf"{_ALONE}[a-z\d]+(?:[.-][a-z\d]+)*{_ENDED}", re.IGNORECASE | re.ASCII)
# a column of texts keeps the zeros that a number loses
_ZEROS = re.compile(r"(?<![\w.,:/-])0\d{2,}(?![\w,:/-])(?!\.\d)", re.ASCII)
_HYPHENED = re.compile(r"(?<![\w.,:/-])\d+(?:-\d+)+(?![\w:/-])(?!\.\d)", re.ASCII)
_COUNTED = re.compile(
    r"(?<!\d)(?<!\d\.)\d++(?:\.\d++)*+\s?(?:[年月日号级届岁%]|万?元|亿元?|万|厘米|公里|千米|米|公斤|分钟|小时)"
)


def codes(question: QuestionText, literals: Sequence[FoundValue]) -> Iterator[FoundValue]:
    """Yield «i7», «H52.059», «0655890», «2524-6» and, in Chinese, «170厘米»; nothing inside of numbers and times.

    Args:
        literals: numbers and times of the question.
    """
    chinese = any(is_cjk(word.text) for word in question.words)
    runs = (match for match in _RUN.finditer(question.text) if any(map(str.isdigit, match[0])))
    found = [(match.span(), 0.35) for match in runs if any(map(str.isalpha, match[0]))]
    found += [(match.span(), 0.4) for match in _ZEROS.finditer(question.text)]
    hyphened = _HYPHENED.finditer(question.text)  # of a range, «2010-2015», both ends have as many digits
    found += [(match.span(), 0.35) for match in hyphened if len({*map(len, match[0].split("-"))}) > 1]
    found += [(match.span(), 0.25) for match in _COUNTED.finditer(question.text) if chinese]
    for (start, end), score in found:
        if not any(_holds(one, start, end) for one in literals) and not question.is_quoted(start, end):
            text = question.text[start:end]
            yield FoundValue(start, end, text, text, "text", "literal", (), score)


def _holds(literal: FoundValue, start: int, end: int) -> bool:
    """Is this a piece of a time, or of a longer number?"""
    if literal.kind == "time":
        return literal.start < end and start < literal.end
    return literal.start <= start and end <= literal.end and literal.end - literal.start > end - start


def quoted(question: QuestionText, cells: Sequence[FoundValue]) -> list[FoundValue]:
    """Return every quoted string, as the cells that it is or else as it stands."""
    found: list[FoundValue] = []
    for start, end in question.quotes:
        text = question.text[start:end].strip()
        own = [
            replace(cell, kind="quoted")
            for cell in cells
            if start <= cell.start and cell.end <= end and cell.text.strip() == text.strip(".,?! ")
        ]
        found += own
        if text and not any(cell.how == "exact" for cell in own):
            found.append(FoundValue(start, end, text, text, "quoted", "literal", (), 0.7 if own else 0.95))
    return found


def uncovered_mentions(
    question: QuestionText, mentions: Iterable[tuple[int, int]], literals: Sequence[FoundValue]
) -> Iterator[FoundValue]:
    """Yield the texts of mentions that no number or time covers; perhaps no cell matches them.

    Args:
        mentions: (start, end) of each.
        literals: numbers and times of the question.
    """
    for start, end in mentions:
        text = question.text[start:end]
        covered = any(one.start <= start and end <= one.end for one in literals)
        if not covered and not question.is_quoted(start, end):
            yield FoundValue(start, end, text, text, "text", "literal", (), _MENTION_SCORE)


_SCORE = 0.9
_A_YEAR = timedelta(days=366)


def with_spans(
    question: QuestionText, found: Sequence[FoundValue], now: datetime, fiscal_month: int
) -> list[FoundValue]:
    """Return the values of a question, those that are times with their spans, and spans that no value was yet.

    «2023» in «in 2023» stays the number that it is. «Q3 2023» is one value whose text is its first month; the numbers
    within its words are left out.

    Args:
        found: the values of the question, which may overlap.
        now: the moment that «yesterday» is seen from.
        fiscal_month: in which fiscal years begin.
    """
    values = list(found)
    for span in find_spans(question, now=now, fiscal_month=fiscal_month):
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
    """Return the first moment of a span at its granularity; of a recurring span the part that dates contain."""
    if span.start is None:
        n = span.numbers[0]
        forms = {"month": f"-{n:02}-", "quarter": f"-{3 * n - 2:02}-", "day": f"-{n:02}", "hour": f"{n:02}:00"}
        return forms.get(span.part or "", span.text)
    length = {"year": 4, "half": 7, "quarter": 7, "month": 7, "week": 10, "day": 10}.get(span.grain, 19)
    return span.start.isoformat(sep=" ", timespec="seconds")[:length]
