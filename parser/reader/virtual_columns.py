"""Virtual columns, which semantic types imply and the database lacks: the month of a date, the days between two.

To the network a virtual column is an ordinary column of its table with a name from the question: «visits per month»
adds a column «month» to visits. `meaning.sql` writes its expression.
"""

import tomllib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any

from sqlglot import exp

from ...data.errors import QueryError
from ...data.schema.plain_names import spoken
from ...data.schema.schema import Column, Table
from ...meaning.profile import TimeStorage
from ...meaning.sql import TimePart, age, elapsed, part_of, patterns_of
from ...ner.index import FoundValue
from ...ner.language.question import QuestionText
from ...ner.language.words import stem, units
from ...ner.spans.periods import TimeSpan
from .context import DatabaseContext

_MOST = 8
"""The largest number of virtual columns of one question."""

_FINER = {"year": 0, "month": 1, "day": 2, "second": 3}
_NEEDS: dict[TimePart, int] = {"year": 1, "quarter": 1, "month": 1, "month of year": 1, "week": 2, "weekday": 2,
                               "day": 3, "day of month": 2, "hour": 3}  # fmt: skip
"""The least precision of a stored time that has each part in addition to another."""


@dataclass(frozen=True)
class VirtualColumn:
    """A column that is computed from other columns of its table.

    Attributes:
        table: the name of its table.
        names: its possible names, the best first.
        type: its SQL type for the network.
        text: its expression, in the dialect of the database.
        reason: the reason why it is offered, in one line.
        part_of: the SQL of the time that it extracts a part of; empty if it is no part of a time.
        column, part: the name of that time's column, and the part; empty in the same case.
        spellings: other expressions that people write for it.
    """

    table: str
    names: tuple[str, ...]
    type: str
    text: str
    reason: str
    part_of: str = ""
    column: str = ""
    part: str = ""
    spellings: tuple[str, ...] = ()
    aggregate: bool = False

    def __str__(self) -> str:
        return f"{self.table}.{self.names[0]} = {self.text}: {self.reason}"

    @property
    def tables(self) -> tuple[str, ...]:
        """Return the table that it reads."""
        return (self.table,)

    def sql(self, dialect: str, *, by_row: bool = False, real: bool = False) -> tuple[str, ...]:
        """Return its expression; the arguments do not matter, since it is over a single row and in its own dialect."""
        return (self.text,)

    def trees(self, dialect: str, *, by_row: bool = False) -> Iterator[exp.Expr]:
        """Yield nothing, since it has no aggregate."""
        return iter(())


@cache
def _cues(language: str) -> dict[str, Any]:
    file = Path(__file__).with_name("parts.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))[language]


@dataclass(frozen=True)
class _Time:
    """A column of times, with its SQL and its name in words."""

    table: Table
    column: Column
    storage: TimeStorage
    ref: str

    @property
    def name(self) -> str:
        return spoken(self.column.name, self.column.description)


def virtual_columns(
    context: DatabaseContext,
    question: QuestionText,
    values: Sequence[FoundValue],
    taken: Sequence[tuple[int, int]] = (),
) -> list[VirtualColumn]:
    """Return the virtual columns that a question mentions.

    Args:
        values: the values of the question: the month of «last month» is no column, and where all periods are in one
            year, its months need no year.
        taken: other characters of the question that name no columns, such as the names of formulas.
    """
    dated = [(value.start, value.end) for value in values if value.span is not None]
    one_year = _in_one_year([value.span for value in values if value.span is not None])
    return list(_Wanted(context, question, [*dated, *taken], one_year).columns())[:_MOST]


def _in_one_year(spans: Sequence[TimeSpan]) -> bool:
    ends = [span.interval for span in spans if span.part is None]
    years = {start.year for start, _ in ends if start} | {(end - timedelta(seconds=1)).year for _, end in ends if end}
    return len(years) == 1 and all(start and end for start, end in ends)


class _Wanted:
    """The virtual columns that one question mentions."""

    def __init__(
        self, context: DatabaseContext, question: QuestionText, taken: Sequence[tuple[int, int]], one_year: bool
    ) -> None:
        self._context, self._dialect, self._one_year = context, context.grammar.dialect, one_year
        self._words = [word for word in question.units if not any(a < word.end and word.start < b for a, b in taken)]
        self._text, self._cues = question.text.lower(), _cues(context.language)
        self._times = sorted(_times(context), key=self._unnamed)

    @cached_property
    def _named(self) -> set[str]:
        """Return the words of all names."""
        return {stem(word) for names in self._context.items.names for word in names}

    def columns(self) -> Iterator[VirtualColumn]:
        """Yield the columns: parts of times, then durations and ages."""
        if not self._times:
            return
        for (part, word), time in product(self._parts(), self._times):
            if _FINER[time.storage.grain] < _NEEDS[part]:
                continue
            written: TimePart = "month of year" if part == "month" and self._one_year else part
            with suppress(QueryError):  # the cells lack the part, or the dialect cannot express it
                text = part_of(time.ref, time.storage, self._dialect, written)
                names, reason = self._names(word, time), f"‹{word}› of {time.table.name}.{time.column.name}"
                yield VirtualColumn(time.table.name, names, "TEXT", text, reason, time.ref, time.column.name, written)
        yield from self._elapsed()
        yield from self._age()

    def _unnamed(self, time: _Time) -> int:
        """Return the negative number of words of a time's and its table's names in the question, as a sort key."""
        names = (time.table.description, time.table.name, time.column.description, time.column.name)
        stems = {stem(word.text) for word in self._words}
        return -len({stem(word.text) for name in names if name for word in units(name)} & stems)

    def _parts(self) -> list[tuple[TimePart, str]]:
        """Return the parts of times that the question names, each with its word, unless a column has that name.

        The «day» of «day of the week» is skipped.
        """
        cues = [(part, cue) for part, texts in self._cues["part"].items() for cue in texts]
        named = [(part, word) for part, cue in cues if (word := self._said(cue)) is not None]
        parts: dict[TimePart, str] = {}
        for part, word in named:
            within = any(word in other.split() for _, other in named if other != word)
            if not within and stem(word) not in self._named:
                parts.setdefault(part, word)
        return list(parts.items())

    def _said(self, *cues: str) -> str | None:
        """Return the first of some cues that the question contains, as it has it."""
        for cue in cues:
            if not cue.isascii() or " " in cue:
                whole = f" {cue} " in f" {self._text.rstrip('?.! ')} " if cue.isascii() else cue in self._text
                word = cue if whole else None
            else:
                word = next((word.text for word in self._words if word.text.lower() == cue), None)
            if word is not None:
                return word
        return None

    def _names(self, word: str, time: _Time) -> tuple[str, ...]:
        """Return the names of a part of a time: its word alone comes first if its table has no earlier time."""
        first = self._context.profile.first_time(time.table.name) == time.column.name
        return (word, f"{time.name} {word}") if first else (f"{time.name} {word}",)

    def _elapsed(self) -> Iterator[VirtualColumn]:
        """Yield the durations between two times of a row, the earlier first."""
        named = ((unit, self._said(*cues)) for unit, cues in self._cues["unit"].items())
        unit, word = next(((unit, word) for unit, word in named if word is not None), (None, None))
        if unit is None or self._said(*self._cues["between"]) is None:
            return
        for start, end in product(self._times, self._times):
            if start.table.name != end.table.name or not _earlier(start, end):
                continue
            with suppress(QueryError):
                text = elapsed(start.ref, start.storage, end.ref, end.storage, self._dialect, unit)
                patterns, ends = patterns_of(start.storage, self._dialect), {"start": start.ref, "end": end.ref}
                spellings = tuple(patterns.spellings(f"{unit} between", start.ref, **ends))
                name = f"{word} from {start.name} to {end.name}"
                reason = f"‹{word}› between {start.column.name} and {end.column.name}"
                yield VirtualColumn(start.table.name, (name,), "REAL", text, reason, spellings=spellings)

    def _age(self) -> Iterator[VirtualColumn]:
        """Yield the age of people whose date of birth is a column."""
        word = self._said(*self._cues["age"])
        called = " ".join(" ".join(names) for names in self._context.items.names)
        if word is None or stem("age") in self._named or "年龄" in called:
            return
        for time in (time for time in self._times if any(cue in time.name.lower() for cue in self._cues["birth"])):
            with suppress(QueryError):
                text = age(time.ref, time.storage, self._dialect, self._context.clock)
                reason = f"‹{word}› by {time.table.name}.{time.column.name}"
                yield VirtualColumn(time.table.name, ("age" if word.isascii() else "年龄",), "INTEGER", text, reason)


def _times(context: DatabaseContext) -> Iterator[_Time]:
    write = context.grammar.quoting.write
    for table, column in context.items.schema.columns():
        profile = context.profile.column(table.name, column.name)
        if profile is not None and profile.time is not None:
            owner = write(context.grammar.schema.table(table.name))
            yield _Time(table, column, profile.time, f"{owner}.{write(column.name)}")


def _earlier(first: _Time, second: _Time) -> bool:
    """Does one time of a row precede another, according to the sample?"""
    if first is second or "year" in (first.storage.form, second.storage.form):
        return False
    ends = (first.storage.first, first.storage.last), (second.storage.first, second.storage.last)
    if ends[0] != ends[1]:
        return ends[0] < ends[1]
    names = [column.name for column in first.table.columns]
    return names.index(first.column.name) < names.index(second.column.name)
