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

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from ....data.errors import QueryError
from ....data.values.numerals import plain, value_of
from ....grammar.decoding.state import Mask
from ....meaning.flag_cells import is_set
from ....meaning.number_texts import number_of
from ....meaning.profile import ColumnProfile, NumberText, TimeStorage
from ....meaning.sql import recurring, sortable, within
from ....ner.index import FoundValue
from ....ner.spans.periods import TimeSpan
from ...reader.context import DatabaseContext
from ...reader.question import QuestionWords
from .query_state import ExpressionWords, Unwritable, Words

_LARGE = 1000


def _may_be_scaled(value: FoundValue) -> bool:
    """May the cells of a column express a number in another unit: is it a percentage, or large?"""
    number = value_of(value.value) if value.kind == "number" and value.span is None else None
    return number is not None and (_percent(value) or abs(number) >= _LARGE)


def in_unit_of(value: FoundValue, profile: ColumnProfile) -> str | None:
    """Return a number in the unit of a column's cells, None if no conversion is needed.

    A large number that the question writes in digits is not converted if it is less than one unit of the column.
    """
    number = value_of(value.value) if _may_be_scaled(value) else None
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

_EQUAL = frozenset({"=", "LIKE", "IN", "BETWEEN"})
_SIDES = {">": ("after", "since"), ">=": ("after", "since"), "<": ("before", "until"), "<=": ("before", "until")}

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
    if sign in _EQUAL or span.bound in _SIDES[sign] or span.relative or (span.bound == "in" and not span.plain):
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


class ColumnMeanings:
    """The expansions of one question's values in comparisons with the columns of a database.

    Args:
        expressions: the writer of expressions in the vocabulary of the database.
        context: the context of the database, with its profile.
        question: the words and values of the question.

    Attributes:
        columns: the profiles of the columns that have a semantic type, by their words.
        values: the values that a typed column may expand, by their numbers.
        value_of: the number of the value, for each word that writes one of these values.
        forms: for each column whose cells neither sort nor add up, an expression that does, in brackets.
        real: the same expressions in floating point, since a sum of integers could overflow.
        nth: the words after LIMIT that select the n-th row alone, by the word of «n-th», or ().
        no_mean: the columns that have no sum and no mean: keys, times, texts without numbers.
        no_sum: the columns that have no sum: these and years, which may have a mean.
    """

    def __init__(self, expressions: ExpressionWords, context: DatabaseContext, question: QuestionWords) -> None:
        self._write, self._dialect = expressions, context.grammar.dialect
        self.columns, self.no_mean = context.typed_columns, context.no_amounts
        scaled = any(profile.scale for profile in self.columns.values())
        self.values = {i: node.found for i, node in enumerate(question.values) if _special(node.found, scaled)}
        self._vocabulary, self._words = context.vocabulary, context.vocabulary.words
        self.value_of: Mapping[int, int] = {
            word: i
            for i in self.values
            for slot in (f"text{i}", f"number{i}")
            for word in self._vocabulary.slots.get(slot, ())
            if self._words[word].terminal in ("STRING", "WHOLE")
        }
        self._made: dict[str, Words] = {}
        self._first = min(self.columns, default=0)  # expressions are written with this column, and kept without one
        self.forms, self.real = ({word: form for word in self.columns if (form := self._form(word, real))}
                                 for real in (False, True))  # fmt: skip
        self.nth: Mapping[int, Words] = dict(self._nth(question))
        self.no_sum = self.no_mean | frozenset(w for w, profile in self.columns.items() if profile.time is not None)
        self._prepare()

    def __bool__(self) -> bool:
        """Say whether any column, value or ordinal has an expansion."""
        return bool(self.forms or self.no_mean or self.nth or (self.values and self.columns))

    @property
    def needed(self) -> Mask:
        """Return a mask of all words that the expansions use, (vocabulary,)."""
        mask: Mask = np.zeros(len(self._vocabulary), np.bool_)
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
        if word not in self.columns:
            return None
        first, second = self.values[value], None if last is None else self.values[last]
        if first.yes is not None:
            return self._flag(word, sign, first)
        if first.kind == "number" and first.span is None:
            return self._scaled(word, sign, first, second)
        return self._time(word, sign, first, second)

    def _flag(self, word: int, sign: str, value: FoundValue) -> Words | None:
        if (self._words[word].table, self._words[word].column) not in value.columns:
            return None
        return self._expression(word, is_set, self.columns[word].flag, bool(value.yes)) if sign in ("=", "LIKE") else ()

    def _scaled(self, word: int, sign: str, value: FoundValue, last: FoundValue | None) -> Words | None:
        """Compare with numbers in the column's unit; in «between 10 and 15 billion» the unit covers both numbers."""
        profile = self.columns[word]
        low = in_unit_of(value, profile)
        if low is None and not (sign == "BETWEEN" and profile.scale):
            return None
        high = None if last is None else in_unit_of(last, profile)
        if last is not None and high is None and not (last.kind == "number" and profile.scale):
            return ()
        right = f"{low or value.value} AND {high or (last and last.value)}" if sign == "BETWEEN" else low

        def compared(ref: str, number: NumberText | None, dialect: str) -> str:
            left = ref if number is None else number_of(ref, number, dialect)
            return f"{left} {'=' if sign == 'LIKE' else sign} {right}"

        return self._expression(word, compared, profile.number)

    def _time(self, word: int, sign: str, value: FoundValue, last: FoundValue | None) -> Words | None:
        storage, span = self.columns[word].time, value.span
        if span is not None and storage is None and span.sure and self.columns[word].kind == "amount":
            return ()  # «in 2024» is no amount
        if span is None or storage is None or is_stored_year(storage, span, value):
            return None
        if span.part is not None:
            numbers = numbers_of(span) if sign in _EQUAL or span.bound != "in" else ()
            # for instance, no month is after December
            return self._expression(word, recurring, storage, span.part, numbers) if numbers else ()
        start, end = interval_of(span, sign)
        if last is not None:
            start, end = (span.start, last.span.end) if last.span and last.span.part is None else (None, None)
        if (start is None and end is None) or (start and end and start >= end):  # «between 2023 and 2022»
            return ()
        return self._expression(word, within, storage, start, end)

    def _nth(self, question: QuestionWords) -> Iterator[tuple[int, Words]]:
        """Yield the words of ordinals, each with the words that select its row, as 1 OFFSET 2, or ()."""
        for i, node in enumerate(question.values):
            if node.found.ordinal and node.found.value.isdecimal() and int(node.found.value) > 1:
                skipping: Words = ()
                with suppress(Unwritable):
                    row = ("1", "WHOLE"), ("OFFSET", "OFFSET"), (str(int(node.found.value) - 1), "WHOLE")
                    skipping = tuple([self._write.word(*token) for token in row])
                yield from ((word, skipping) for word in self._vocabulary.slots.get(f"number{i}", ()))

    def _form(self, word: int, real: bool) -> Words:
        """Return the sortable or numeric expression of a column that needs one, in floating point if ``real``."""
        number, storage = self.columns[word].number, self.columns[word].time
        if number is not None:
            return self._expression(word, number_of, replace(number, whole=number.whole and not real))
        return () if storage is None or storage.sorts else self._expression(word, sortable, storage)

    def _expression(self, word: int, write: Callable[..., str], held: Any, *more: Any) -> Words:
        """Return the words of an expression over a column in brackets; () if some are missing.

        Args:
            write: writes the expression, given the column's SQL, how it is held, the dialect, and ``more``.
        """
        first = self._words[self._first]
        try:
            text = write(first.text, held, self._dialect, *more)
        except QueryError:  # the cells lack this part of a time
            return ()
        if text not in self._made:
            ids: Words = ()
            with suppress(Unwritable):  # the vocabulary lacks a word
                ids = self._write.ids(text, str(first.table))
            self._made[text] = tuple([-1 if number == self._first else number for number in ids])
        return tuple([word if number < 0 else number for number in self._made[text]])

    def _prepare(self) -> None:
        """Write all comparisons once, so that their constants have slots before the first word of the query."""
        spans = [i for i, value in self.values.items() if value.span is not None]
        numbers = [i for i, value in self.values.items() if value.kind == "number" and value.span is None]
        for word in {
            (self._words[i].table, self._words[i].column): i for i in sorted(self.columns, reverse=True)
        }.values():
            for value, sign in product(self.values, ("=", *_SIDES)):
                self.compared(word, sign, value)
            for first, last in (*product(numbers, numbers), *product(spans, spans)):
                self.compared(word, "BETWEEN", first, last)


def _special(value: FoundValue, scaled: bool) -> bool:
    number = value.kind == "number" and (scaled or _may_be_scaled(value))
    return value.span is not None or value.yes is not None or number
