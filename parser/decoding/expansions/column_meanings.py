"""Semantic types of columns as expansions: comparisons with times, flags and numbers in the form that a column stores.

3%            3 where cells are written 2.5%, else 0.03
5 billion     5 where a column is called budget_in_billions

    WHERE visit.day LIKE '{text0}%'     visit.day >= '2024-02-01' AND visit.day < '2024-03-01'
    WHERE trip.day > '{text0}'          SUBSTR ( trip.day , 7 , 4 ) || … >= '20240301'
    WHERE member.vip = '{text1}'        member.vip = 'Y'
    AVG ( van.price )                   AVG ( CAST ( REPLACE ( van.price , '$' , '' ) AS REAL ) )
    LIMIT {number2}                     LIMIT 1 OFFSET 2, where the question says «third»

The network chooses the column, the value and the sign; the SQL of the comparison depends on the column's storage and
on the dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from itertools import product
from typing import TypeAlias

import numpy as np

from ....data.errors import QueryError
from ....data.values.numerals import plain, value_of
from ....grammar.decoding.state import Mask
from ....meaning.flag_cells import is_set
from ....meaning.number_texts import number_of
from ....meaning.profile import ColumnProfile, TimeStorage
from ....meaning.sql import recurring, sortable, within
from ....ner.index import FoundValue
from ....ner.spans.periods import TimeSpan
from ...reader.context import DatabaseContext
from ...reader.question import QuestionWords
from ...reader.typed_columns import TypedColumn
from .expression_words import ExpressionWords, Unwritable

__all__ = ["SIDES", "ColumnMeanings", "Interval", "in_unit_of", "interval_of", "is_stored_year", "numbers_of"]

_LARGE = 1000


def may_be_scaled(value: FoundValue) -> bool:
    """May the cells of a column express a number in another unit: is it a percentage, or large?"""
    number = value_of(value.value) if value.kind == "number" and value.span is None else None
    return number is not None and (_percent(value) or abs(number) >= _LARGE)


def in_unit_of(value: FoundValue, profile: ColumnProfile) -> str | None:
    """Return a number in the unit of a column's cells, None if no conversion is needed.

    A large number that the question writes in digits is not converted if it is less than one unit of the column.
    """
    number = value_of(value.value) if may_be_scaled(value) else None
    if number is None:
        return None
    if _percent(value):
        written = profile.number is not None and "%" in profile.number.removed
        return plain(100 * number) if written else None
    in_words = any(sign.isalpha() for sign in value.text)
    applies = profile.scale and (in_words or abs(number) >= profile.scale)
    return plain(number / Fraction(profile.scale)) if applies else None


def _percent(value: FoundValue) -> bool:
    return "%" in value.text or "百分之" in value.text


Interval: TypeAlias = tuple[datetime | None, datetime | None]
"""A half-open interval [start, end), where None is an open end."""

EQUAL = frozenset({"=", "LIKE", "IN", "BETWEEN"})
SIDES = {">": ("after", "since"), ">=": ("after", "since"), "<": ("before", "until"), "<=": ("before", "until")}

_ENDS = {"month": (1, 12), "quarter": (1, 4), "weekday": (1, 7), "day": (1, 31), "hour": (0, 23)}


def interval_of(span: TimeSpan, sign: str) -> Interval:
    """Return the interval that a comparison with a span means.

    Where the question names a side and the sign is on that side, the question decides: «since 2020» begins with 2020
    whether the network writes > or >=. It always decides for spans relative to the clock («older than a year» means
    before, not more), and a comparison never goes beyond a range such as «the last 30 days».

    >>> span = TimeSpan(0, 4, "2023", datetime(2023, 1, 1), datetime(2024, 1, 1), "year")
    >>> interval_of(span, ">")[0].year, interval_of(span, ">=")[0].year
    (2024, 2023)
    """
    if sign in EQUAL or span.bound in SIDES[sign] or span.relative or (span.bound == "in" and not span.plain):
        return span.interval
    return {">": (span.end, None), ">=": (span.start, None), "<": (None, span.start), "<=": (None, span.end)}[sign]


def numbers_of(span: TimeSpan) -> tuple[int, ...]:
    """Return the numbers of the months, weekdays or hours that a span means: «after June» means 7 to 12."""
    first, last = _ENDS[str(span.part)]
    low, high = min(span.numbers), max(span.numbers)
    sides = {"after": (high + 1, last), "since": (low, last), "before": (first, low - 1), "until": (first, high)}
    if span.bound == "in":
        return span.numbers
    start, end = sides[span.bound]
    return tuple(range(start, end + 1))


def is_stored_year(storage: TimeStorage, span: TimeSpan, value: FoundValue) -> bool:
    """Is a column of years compared with a year? Such a comparison needs no expansion."""
    whole = span.plain and span.grain == "year" and span.bound == "in"
    return storage.form == "year" and whole and value.value.isdigit() and len(value.value) == 4


Words = tuple[int, ...]


class ColumnMeanings:
    """The expansions of one question's values in comparisons with the columns of a database.

    Args:
        expressions: the writer of expressions in the vocabulary of the database.
        context: the context of the database, with its profile.
        question: the words and values of the question.
    """

    def __init__(self, expressions: ExpressionWords, context: DatabaseContext, question: QuestionWords) -> None:
        self._write = expressions
        self._dialect = context.grammar.dialect
        self._columns = context.typed_columns
        scaled = any(column.profile.scale for column in self._columns.values())
        self.values = {i: node.found for i, node in enumerate(question.values) if _special(node.found, scaled)}
        """The values that a typed column may expand, by their numbers."""
        words = context.vocabulary.words
        slots = {slot: i for i in self.values for slot in (f"text{i}", f"number{i}")}
        self.value_of: Mapping[int, int] = {
            word: slots[words[word].slots[0]]
            for slot in slots
            for word in context.vocabulary.slots.get(slot, ())
            if words[word].terminal in ("STRING", "WHOLE")
        }
        """The number of the value, for each word that writes one of these values."""
        self._made: dict[object, Words] = {}
        self.forms = self._forms(real=False)
        """For each column whose cells neither sort nor add up, an expression that does, in brackets."""
        self.real = self._forms(real=True)
        """The same expressions in floating point, since a sum of integers could overflow."""
        self.nth: Mapping[int, Words] = dict(self._nth(question, context))
        """The words after LIMIT that select the n-th row alone, by the word of «n-th», or ()."""
        self.no_mean = context.no_amounts
        """The columns that have no sum and no mean: keys, times, texts without numbers."""
        self.no_sum = self.no_mean | frozenset(w for w, c in self._columns.items() if c.profile.time is not None)
        """The columns that have no sum: these and years, which may have a mean."""
        self._prepare()

    def __bool__(self) -> bool:
        """Say whether any column, value or ordinal has an expansion."""
        return bool(self.forms or self.no_mean or self.nth or (self.values and self._columns))

    @property
    def columns(self) -> Collection[int]:
        """Return the words of the columns that have a semantic type."""
        return self._columns

    @property
    def needed(self) -> Mask:
        """Return a mask of all words that the expansions use, (vocabulary,)."""
        mask: Mask = np.zeros(len(self._write.constraint.vocabulary), np.bool_)
        for words in (*self.forms.values(), *self.real.values(), *self.nth.values(), *self._made.values()):
            mask[[word for word in words if word >= 0]] = True
        return mask

    def compared(self, word: int, sign: str, value: int, last: int | None = None) -> Words | None:
        """Return the expansion, in brackets, of a comparison of a column with a value.

        Args:
            word: the word of the column.
            sign: ``=``, ``<``, ``LIKE`` …; ``BETWEEN`` has ``value`` as its first value, and ``last`` as its second.

        Returns:
            None where the comparison is literal; () where its expansion cannot be written.
        """
        if (column := self._columns.get(word)) is None:
            return None
        words = self._comparison(column, sign, self.values[value], None if last is None else self.values[last])
        return None if words is None else _beside(word, words)

    def disjoint(self, word: int, first: tuple[str, int], second: tuple[str, int]) -> bool:
        """Do two comparisons of a column of times, each a sign and a value, have no time in common?"""
        spans = [(sign, self.values[value].span) for sign, value in (first, second)]
        plain = [interval_of(span, sign) for sign, span in spans if span is not None and span.part is None]
        if word not in self._columns or self._columns[word].profile.time is None or len(plain) < len(spans):
            return False
        starts, ends = ([time for time in times if time is not None] for times in zip(*plain, strict=True))
        return bool(starts and ends) and max(starts) >= min(ends)

    def _comparison(self, column: TypedColumn, sign: str, value: FoundValue, last: FoundValue | None) -> Words | None:
        """Return the same as `compared`, with -1 in place of the column."""
        if value.yes is not None:
            return self._flag(column, sign, value)
        if value.kind == "number" and value.span is None:
            return self._scaled(column, sign, value, last)
        return self._time(column, sign, value, last)

    def _flag(self, column: TypedColumn, sign: str, value: FoundValue) -> Words | None:
        if (column.table, column.column) not in value.columns:
            return None
        if sign not in ("=", "LIKE"):
            return ()
        flag, yes = column.profile.flag, bool(value.yes)
        return self._words(column, ("set", flag, yes), lambda ref: is_set(ref, flag, self._dialect, yes))

    def _scaled(self, column: TypedColumn, sign: str, value: FoundValue, last: FoundValue | None) -> Words | None:
        """Compare with numbers in the column's unit; in «between 10 and 15 billion» the unit covers both numbers."""
        number, low = column.profile.number, in_unit_of(value, column.profile)
        if low is None and not (sign == "BETWEEN" and column.profile.scale):
            return None
        high = None if last is None else in_unit_of(last, column.profile)
        if last is not None and high is None and not (last.kind == "number" and column.profile.scale):
            return ()
        right = f"{low or value.value} AND {high or (last and last.value)}" if sign == "BETWEEN" else low
        written = "=" if sign == "LIKE" else sign

        def compared(ref: str) -> str:
            return f"{ref if number is None else number_of(ref, number, self._dialect)} {written} {right}"

        return self._words(column, (number, written, right), compared)

    def _time(self, column: TypedColumn, sign: str, value: FoundValue, last: FoundValue | None) -> Words | None:
        storage, span, dialect = column.profile.time, value.span, self._dialect
        if span is not None and storage is None and span.sure and column.profile.kind == "amount":
            return ()  # «in 2024» is no amount
        if span is None or storage is None or is_stored_year(storage, span, value):
            return None
        if (part := span.part) is not None:
            numbers = numbers_of(span) if sign in EQUAL or span.bound != "in" else ()
            if not numbers:  # for instance, no month is after December
                return ()
            made = (_as_written(storage), part, numbers)
            return self._words(column, made, lambda ref: recurring(ref, storage, dialect, part, numbers))
        interval = interval_of(span, sign)
        if last is not None:
            interval = (span.start, last.span.end) if last.span is not None and last.span.part is None else (None, None)
        start, end = interval
        if (start is None and end is None) or (start and end and start >= end):  # «between 2023 and 2022»
            return ()
        return self._words(
            column, (_as_written(storage), interval), lambda ref: within(ref, storage, dialect, start, end)
        )

    def _nth(self, question: QuestionWords, context: DatabaseContext) -> Iterator[tuple[int, Words]]:
        """Yield the words of ordinals, each with the words that select its row, as 1 OFFSET 2, or ()."""
        for i, node in enumerate(question.values):
            if node.found.ordinal and node.found.value.isdecimal() and int(node.found.value) > 1:
                skipping: Words = ()
                with suppress(Unwritable):
                    skipping = self._write.skipping(int(node.found.value) - 1)
                yield from ((word, skipping) for word in context.vocabulary.slots.get(f"number{i}", ()))

    def _forms(self, real: bool) -> dict[int, Words]:
        """Return sortable or numeric expressions of the columns that need one, in floating point if ``real``."""
        forms = {word: _beside(word, self._form(column, real)) for word, column in self._columns.items()}
        return {word: form for word, form in forms.items() if form}

    def _form(self, column: TypedColumn, real: bool) -> Words:
        number, storage = column.profile.number, column.profile.time
        if number is not None:
            number = replace(number, whole=number.whole and not real)
            return self._words(column, number, lambda ref: number_of(ref, number, self._dialect))
        if storage is not None and not storage.sorts:
            made = ("sortable", _as_written(storage))
            return self._words(column, made, lambda ref: sortable(ref, storage, self._dialect))
        return ()

    def _words(self, column: TypedColumn, key: object, text_of: Callable[[str], str]) -> Words:
        """Return the words of an expression in brackets, with -1 in place of the column; () if some are missing."""
        if key not in self._made:
            try:
                ids = self._write.ids(text_of(column.text), column.table)
                self._made[key] = tuple(-1 if number == column.word else number for number in ids)
            except (Unwritable, QueryError):  # the vocabulary lacks a word, or the cells lack this part of a time
                self._made[key] = ()
        return self._made[key]

    def _prepare(self) -> None:
        """Write all comparisons once, so that their constants have slots before the first word of the query."""
        signs, between = ("=", *SIDES), ("BETWEEN",)
        spans = [value for value in self.values.values() if value.span is not None]
        numbers = [value for value in self.values.values() if value.kind == "number" and value.span is None]
        flags = [value for value in self.values.values() if value.yes is not None]
        for column in self._columns.values():
            for firsts, column_signs, lasts in (
                (spans, signs, (None,)),
                (flags, ("=",), (None,)),
                (numbers, signs, (None,)),
                (numbers, between, numbers),
                (spans, between, spans),
            ):
                for first, sign, last in product(firsts, column_signs, lasts):
                    self._comparison(column, sign, first, last)


def _beside(word: int, words: Words) -> Words:
    """Return the words of an expression with the column's word in place of -1."""
    return tuple(word if number < 0 else number for number in words)


def _as_written(storage: TimeStorage) -> TimeStorage:
    """Return the storage without its range of times, so that columns of the same format are equal."""
    return replace(storage, first="", last="")


def _special(value: FoundValue, scaled: bool) -> bool:
    number = value.kind == "number" and (scaled or may_be_scaled(value))
    return value.span is not None or value.yes is not None or number
