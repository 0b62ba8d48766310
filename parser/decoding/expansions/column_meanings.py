"""What the columns of a database mean, as words of the decoder: a time within a span, a flag that is set, a number.

3%            3 where cells are written 2.5%, else 0.03
5 billion     5 where a column is called budget_in_billions

    WHERE visit.day LIKE '{text0}%'     visit.day >= '2024-02-01' AND visit.day < '2024-03-01'
    WHERE trip.day > '{text0}'          SUBSTR ( trip.day , 7 , 4 ) || … >= '20240301'
    WHERE member.vip = '{text1}'        member.vip = 'Y'
    AVG ( van.price )                   AVG ( CAST ( REPLACE ( van.price , '$' , '' ) AS REAL ) )
    LIMIT {number2}                     LIMIT 1 OFFSET 2, where the question says «third»

The network says which column, which value and on which side; how that is written hangs on the column's storage and on
the dialect.
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
from ....meaning.profile import ColumnProfile, TimeStorage
from ....meaning.sql import is_set, number_of, recurring, sortable, within
from ....ner.index import FoundValue
from ....ner.spans.periods import TimeSpan
from ...reader.context import DatabaseContext
from ...reader.question import QuestionWords
from ...reader.typed_columns import TypedColumn
from .expression_words import ExpressionWords, Unwritable

__all__ = ["SIDES", "ColumnMeanings", "Interval", "as_it_stands", "counted", "interval_of", "numbers_of"]

_LARGE = 1000


def says_unit(value: FoundValue) -> bool:
    """May a column count what a number says by another unit?"""
    number = value_of(value.value) if value.kind == "number" and value.span is None else None
    return number is not None and (_percent(value) or abs(number) >= _LARGE)


def counted(value: FoundValue, profile: ColumnProfile) -> str | None:
    """Return a number as the cells of a column have it, None where that is the number itself.

    A large number that is said in digits is taken as it stands where it is less than one of the column's units.
    """
    number = value_of(value.value) if says_unit(value) else None
    if number is None:
        return None
    if _percent(value):
        written = profile.number is not None and "%" in profile.number.removed
        return plain(100 * number) if written else None
    in_words = any(sign.isalpha() for sign in value.text)
    said = profile.scale and (in_words or abs(number) >= profile.scale)
    return plain(number / Fraction(profile.scale)) if said else None


def _percent(value: FoundValue) -> bool:
    return "%" in value.text or "百分之" in value.text


Interval: TypeAlias = tuple[datetime | None, datetime | None]
"""[start, end), None being open."""

EQUAL = frozenset({"=", "LIKE", "IN", "BETWEEN"})
SIDES = {">": ("after", "since"), ">=": ("after", "since"), "<": ("before", "until"), "<=": ("before", "until")}

_ENDS = {"month": (1, 12), "quarter": (1, 4), "weekday": (1, 7), "day": (1, 31), "hour": (0, 23)}


def interval_of(span: TimeSpan, sign: str) -> Interval:
    """Return the interval that a comparison with a span means.

    Where the words around the span say a side, and the sign is on it, the words decide: «since 2020» begins with it
    whether the network writes > or >=. They always do of what hangs on the clock («older than a year» is before, not
    more), and a range is never gone past: «the last 30 days».

    >>> span = TimeSpan(0, 4, "2023", datetime(2023, 1, 1), datetime(2024, 1, 1), "year")
    >>> interval_of(span, ">")[0].year, interval_of(span, ">=")[0].year
    (2024, 2023)
    """
    if sign in EQUAL or span.bound in SIDES[sign] or span.relative or (span.bound == "in" and not span.plain):
        return span.interval
    return {
        ">": (span.end, None),
        ">=": (span.start, None),
        "<": (None, span.start),
        "<=": (None, span.end),
    }[sign]


def numbers_of(span: TimeSpan) -> tuple[int, ...]:
    """Return the months, weekdays or hours that are meant: «after June» are 7 to 12."""
    first, last = _ENDS[str(span.part)]
    low, high = min(span.numbers), max(span.numbers)
    sides = {"after": (high + 1, last), "since": (low, last), "before": (first, low - 1), "until": (first, high)}
    if span.bound == "in":
        return span.numbers
    start, end = sides[span.bound]
    return tuple(range(start, end + 1))


def as_it_stands(storage: TimeStorage, span: TimeSpan, value: FoundValue) -> bool:
    """Is a column of years compared with a year? Then the comparison is right as it stands."""
    whole = span.plain and span.grain == "year" and span.bound == "in"
    return storage.form == "year" and whole and value.value.isdigit() and len(value.value) == 4


Words = tuple[int, ...]


class ColumnMeanings:
    """What one question's values mean beside the columns of a database.

    Args:
        expressions: write on the vocabulary of the database.
        context: of the database, with its profile.
        question: as it was read.
    """

    def __init__(self, expressions: ExpressionWords, context: DatabaseContext, question: QuestionWords) -> None:
        self._write = expressions
        self._dialect = context.grammar.dialect
        self._columns = context.typed_columns
        scaled = any(column.profile.scale for column in self._columns.values())
        self.values = {i: node.found for i, node in enumerate(question.values) if _special(node.found, scaled)}
        """The values that mean something beside a column, by their numbers."""
        words = context.vocabulary.words
        slots = {slot: i for i in self.values for slot in (f"text{i}", f"number{i}")}
        self.value_of: Mapping[int, int] = {
            word: slots[words[word].slots[0]]
            for slot in slots
            for word in context.vocabulary.slots.get(slot, ())
            if words[word].terminal in ("STRING", "WHOLE")
        }
        """Of a word that writes one of them, its number."""
        self._made: dict[object, Words] = {}
        self.forms = self._forms(real=False)
        """Of a column whose cells neither sort nor add up: what does, in brackets."""
        self.real = self._forms(real=True)
        """Of those: in floating point, since a sum of whole numbers could become too large."""
        self.nth: Mapping[int, Words] = dict(self._nth(question, context))
        """The words behind LIMIT that take the n-th row alone, by the word of «n-th»; () where no words do."""
        self.no_mean = context.no_amounts
        """The columns that no sum or mean is of: keys, times, texts that hold no numbers."""
        self.no_sum = self.no_mean | frozenset(w for w, c in self._columns.items() if c.profile.time is not None)
        """Those, and years, which may have a mean."""
        self._prepare()

    def __bool__(self) -> bool:
        """Say whether there is anything to write in other words."""
        return bool(self.forms or self.no_mean or self.nth or (self.values and self._columns))

    @property
    def columns(self) -> Collection[int]:
        """Return the words of the columns that mean something."""
        return self._columns

    @property
    def needed(self) -> Mask:
        """Return all words that meanings are written with, (vocabulary,)."""
        mask: Mask = np.zeros(len(self._write.constraint.vocabulary), np.bool_)
        for words in (*self.forms.values(), *self.real.values(), *self.nth.values(), *self._made.values()):
            mask[[word for word in words if word >= 0]] = True
        return mask

    def compared(self, word: int, sign: str, value: int, last: int | None = None) -> Words | None:
        """Return the words, in brackets, of a comparison of a column with a value.

        Args:
            word: of the column.
            sign: ``=``, ``<``, ``LIKE`` …; of ``BETWEEN`` the first value, and with ``last`` the second.

        Returns:
            None where the comparison means no more than it says; () where it cannot be written.
        """
        if (column := self._columns.get(word)) is None:
            return None
        found = self._comparison(column, sign, self.values[value], None if last is None else self.values[last])
        return None if found is None else _beside(word, found)

    def disjoint(self, word: int, one: tuple[str, int], other: tuple[str, int]) -> bool:
        """Is no time in both of two comparisons, signs and values, with a column of times?"""
        spans = [(sign, self.values[value].span) for sign, value in (one, other)]
        plain = [interval_of(span, sign) for sign, span in spans if span is not None and span.part is None]
        if word not in self._columns or self._columns[word].profile.time is None or len(plain) < len(spans):
            return False
        starts, ends = ([time for time in times if time is not None] for times in zip(*plain, strict=True))
        return bool(starts and ends) and max(starts) >= min(ends)

    def _comparison(self, column: TypedColumn, sign: str, value: FoundValue, last: FoundValue | None) -> Words | None:
        """Return what `compared` does, -1 where the column stands."""
        if value.yes is not None:
            return self._flag(column, sign, value)
        if value.kind == "number" and value.span is None:
            return self._counted(column, sign, value, last)
        return self._time(column, sign, value, last)

    def _flag(self, column: TypedColumn, sign: str, value: FoundValue) -> Words | None:
        if (column.table, column.column) not in value.columns:
            return None
        if sign not in ("=", "LIKE"):
            return ()
        flag, yes = column.profile.flag, bool(value.yes)
        return self._words(column, ("set", flag, yes), lambda ref: is_set(ref, flag, self._dialect, yes))

    def _counted(self, column: TypedColumn, sign: str, value: FoundValue, last: FoundValue | None) -> Words | None:
        """Compare with numbers as the column counts them; in «between 10 and 15 billion» the first is said so."""
        number, low = column.profile.number, counted(value, column.profile)
        if low is None and not (sign == "BETWEEN" and column.profile.scale):
            return None
        high = None if last is None else counted(last, column.profile)
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
        if span is None or storage is None or as_it_stands(storage, span, value):
            return None
        if (part := span.part) is not None:
            numbers = numbers_of(span) if sign in EQUAL or span.bound != "in" else ()
            if not numbers:  # no month is after December
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
        """Yield the words of ordinals, each with the words that skip to its row and take it: 1 OFFSET 2; or none."""
        for i, node in enumerate(question.values):
            if node.found.ordinal and node.found.value.isdecimal() and int(node.found.value) > 1:
                skipping: Words = ()
                with suppress(Unwritable):
                    skipping = self._write.skipping(int(node.found.value) - 1)
                yield from ((word, skipping) for word in context.vocabulary.slots.get(f"number{i}", ()))

    def _forms(self, real: bool) -> dict[int, Words]:
        """Return what sorts and adds up of the columns whose cells do not, in floating point if ``real``."""
        found = {word: _beside(word, self._form(column, real)) for word, column in self._columns.items()}
        return {word: form for word, form in found.items() if form}

    def _form(self, column: TypedColumn, real: bool) -> Words:
        number, storage = column.profile.number, column.profile.time
        if number is not None:
            number = replace(number, whole=number.whole and not real)
            return self._words(column, number, lambda ref: number_of(ref, number, self._dialect))
        if storage is not None and not storage.sorts:
            made = ("sortable", _as_written(storage))
            return self._words(column, made, lambda ref: sortable(ref, storage, self._dialect))
        return ()

    def _words(self, column: TypedColumn, meant: object, text_of: Callable[[str], str]) -> Words:
        """Return the words of an expression, in brackets, -1 where the column stands; () where some are wanting."""
        if meant not in self._made:
            try:
                ids = self._write.ids(text_of(column.text), column.table)
                self._made[meant] = tuple(-1 if one == column.word else one for one in ids)
            except (Unwritable, QueryError):  # no words for it, or cells that tell no such part
                self._made[meant] = ()
        return self._made[meant]

    def _prepare(self) -> None:
        """Write all comparisons once, so that their constants have slots before the first word of the query."""
        signs, between = ("=", *SIDES), ("BETWEEN",)
        spans = [value for value in self.values.values() if value.span is not None]
        numbers = [value for value in self.values.values() if value.kind == "number" and value.span is None]
        flags = [value for value in self.values.values() if value.yes is not None]
        for column in self._columns.values():
            for firsts, said, lasts in (
                (spans, signs, (None,)),
                (flags, ("=",), (None,)),
                (numbers, signs, (None,)),
                (numbers, between, numbers),
                (spans, between, spans),
            ):
                for first, sign, last in product(firsts, said, lasts):
                    self._comparison(column, sign, first, last)


def _beside(word: int, words: Words) -> Words:
    """Return the words of an expression with a column where it stands."""
    return tuple(word if one < 0 else one for one in words)


def _as_written(storage: TimeStorage) -> TimeStorage:
    """Return what two columns have in common whose times are written alike, whichever they hold."""
    return replace(storage, first="", last="")


def _special(value: FoundValue, scaled: bool) -> bool:
    number = value.kind == "number" and (scaled or says_unit(value))
    return value.span is not None or value.yes is not None or number
