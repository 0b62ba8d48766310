"""Virtual columns, which semantic types imply and the database lacks: the month of a date, the days between two.

To the network a virtual column is an ordinary column of its table with a name from the question: «visits per month»
adds a column «month» to visits. `meaning.sql` writes its expression.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
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

__all__ = ["VirtualColumn", "virtual_columns"]

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
    def __init__(
        self, context: DatabaseContext, question: QuestionText, taken: Sequence[tuple[int, int]], one_year: bool
    ) -> None:
        self.one_year = one_year
        self.context = context
        self.dialect = context.grammar.dialect
        self.words = [word for word in question.units if not any(a < word.end and word.start < b for a, b in taken)]
        self.text = question.text.lower()
        self.cues = _cues(context.language)
        self.times = sorted(_times(context), key=self._unnamed)

    @cached_property
    def named(self) -> set[str]:
        """Return the words of all names."""
        return {stem(word) for names in self.context.items.names for word in names}

    def columns(self) -> Iterator[VirtualColumn]:
        if not self.times:
            return
        for part, word in self._parts():
            for time in self.times:
                if _FINER[time.storage.grain] < _NEEDS[part]:
                    continue
                written: TimePart = "month of year" if part == "month" and self.one_year else part
                text = _written(part_of, time.ref, time.storage, self.dialect, written)
                if text is None:
                    continue
                names = self._names(word, time)
                reason = f"‹{word}› of {time.table.name}.{time.column.name}"
                yield VirtualColumn(time.table.name, names, "TEXT", text, reason, time.ref, time.column.name, written)
        yield from self._elapsed()
        yield from self._age()

    def _unnamed(self, time: _Time) -> int:
        """Return the negative number of words of a time's and its table's names in the question, as a sort key."""
        names = (time.table.description, time.table.name, time.column.description, time.column.name)
        stems = {stem(word.text) for word in self.words}
        return -len({stem(word.text) for name in names if name for word in units(name)} & stems)

    def _parts(self) -> Iterator[tuple[TimePart, str]]:
        """Yield the parts of times that the question names, each with its word, unless a column has that name.

        The «day» of «day of the week» is skipped.
        """
        cues = [(part, cue) for part, texts in self.cues["part"].items() for cue in texts]
        named = [(part, word) for part, cue in cues if (word := self._said(cue)) is not None]
        seen = set[str]()
        for part, word in named:
            within = any(word in cue_word.split() for _, cue_word in named if cue_word != word)
            if part not in seen and not within and stem(word) not in self.named:
                seen.add(part)
                yield part, word

    def _said(self, cue: str) -> str | None:
        if not cue.isascii():
            return cue if cue in self.text else None
        if " " in cue:
            return cue if f" {cue} " in f" {self.text.rstrip('?.! ')} " else None
        return next((word.text for word in self.words if word.text.lower() == cue), None)

    def _names(self, word: str, time: _Time) -> tuple[str, ...]:
        """Return the names of a part of a time: its word alone comes first if its table has no earlier time."""
        first = self.context.profile.first_time(time.table.name) == time.column.name
        return (word, f"{time.name} {word}") if first else (f"{time.name} {word}",)

    def _elapsed(self) -> Iterator[VirtualColumn]:
        """Yield the durations between two times of a row, the earlier first."""
        units_said = ((unit, self._said(cue)) for unit, cues in self.cues["unit"].items() for cue in cues)
        unit, word = next(((unit, word) for unit, word in units_said if word is not None), (None, None))
        if unit is None or not any(self._said(cue) for cue in self.cues["between"]):
            return
        for start, end in product(self.times, self.times):
            if start.table.name != end.table.name or not _earlier(start, end):
                continue
            text = _written(elapsed, start.ref, start.storage, end.ref, end.storage, self.dialect, unit)
            if text is not None:
                name, reason = f"{word} from {start.name} to {end.name}", f"{start.column.name} and {end.column.name}"
                ends = {"start": start.ref, "end": end.ref}
                spellings = patterns_of(start.storage, self.dialect).spellings(f"{unit} between", start.ref, **ends)
                reason = f"‹{word}› between {reason}"
                yield VirtualColumn(start.table.name, (name,), "REAL", text, reason, spellings=tuple(spellings))

    def _age(self) -> Iterator[VirtualColumn]:
        """Yield the age of people whose date of birth is a column."""
        word = next((named for cue in self.cues["age"] if (named := self._said(cue)) is not None), None)
        called = " ".join(" ".join(names) for names in self.context.items.names)
        if word is None or stem("age") in self.named or "年龄" in called:
            return
        for time in self.times:
            born = any(cue in time.name.lower() for cue in self.cues["birth"])
            text = _written(age, time.ref, time.storage, self.dialect, self.context.clock, "years") if born else None
            if text is not None:
                reason = f"‹{word}› by {time.table.name}.{time.column.name}"
                yield VirtualColumn(time.table.name, ("age" if word.isascii() else "年龄",), "INTEGER", text, reason)


def _written(write: Callable[..., str], *given: Any) -> str | None:
    """Return an expression, None where the cells lack a part or the dialect cannot express it."""
    try:
        return write(*given)
    except QueryError:
        return None


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
