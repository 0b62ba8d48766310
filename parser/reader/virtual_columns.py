"""Columns that the database has not, since the meaning of others implies them: the month of a date, days between two.

To the reader one is a column of its table like another, called by the question's own word: «visits per month» reads a
column «month» of visits. What it stands for is written by `meaning.sql`.
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
"""Virtual columns of one question."""

_FINER = {"year": 0, "month": 1, "day": 2, "second": 3}
_NEEDS: dict[TimePart, int] = {"year": 1, "quarter": 1, "month": 1, "month of year": 1, "week": 2, "weekday": 2,
                               "day": 3, "day of month": 2, "hour": 3}  # fmt: skip
"""How fine a time has to be stored to have a part, and not be it."""


@dataclass(frozen=True)
class VirtualColumn:
    """A column that the meaning of others implies.

    Attributes:
        table: that it is a column of.
        names: what it may be called, the best first.
        type: SQL type that the reader sees.
        text: the expression, in the dialect of the database.
        reason: why it is offered, in one line.
        part_of: the column that it is a part of, as SQL writes it; empty where it is none of one.
        column, part: that column's name, and the part; as ``part_of``.
        spellings: other ways in which people write the expression.
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
        """Return its expression, whatever the arguments: it is of one row, and written in its dialect."""
        return (self.text,)

    def trees(self, dialect: str, *, by_row: bool = False) -> Iterator[exp.Expr]:
        """Yield nothing: no aggregate stands in it."""
        return iter(())


@cache
def _cues(language: str) -> dict[str, Any]:
    file = Path(__file__).with_name("parts.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))[language]


@dataclass(frozen=True)
class _Time:
    """A column of times, as SQL writes it and as people call it."""

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
    """Return the columns that a question gives reason for.

    Args:
        values: of the question: the month of «last month» is no column, and where all periods lie in one year, its
            months need not say theirs.
        taken: other characters of the question that are no columns, as the names of formulas.
    """
    dated = [(one.start, one.end) for one in values if one.span is not None]
    one_year = _in_one_year([one.span for one in values if one.span is not None])
    return list(_Wanted(context, question, [*dated, *taken], one_year).columns())[:_MOST]


def _in_one_year(spans: Sequence[TimeSpan]) -> bool:
    ends = [one.interval for one in spans if one.part is None]
    years = {start.year for start, _ in ends if start} | {(end - timedelta(seconds=1)).year for _, end in ends if end}
    return len(years) == 1 and all(start and end for start, end in ends)


class _Wanted:
    def __init__(
        self, context: DatabaseContext, question: QuestionText, said: Sequence[tuple[int, int]], one_year: bool
    ) -> None:
        self.one_year = one_year
        self.context = context
        self.dialect = context.grammar.dialect
        self.words = [word for word in question.units if not any(a < word.end and word.start < b for a, b in said)]
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
                shown: TimePart = "month of year" if part == "month" and self.one_year else part
                text = _written(part_of, time.ref, time.storage, self.dialect, shown)
                if text is None:
                    continue
                names = self._names(word, time)
                reason = f"‹{word}› of {time.table.name}.{time.column.name}"
                yield VirtualColumn(time.table.name, names, "TEXT", text, reason, time.ref, time.column.name, shown)
        yield from self._elapsed()
        yield from self._age()

    def _unnamed(self, time: _Time) -> int:
        """Return how few of the names of a time and of its table the question says: those said most come first."""
        names = (time.table.description, time.table.name, time.column.description, time.column.name)
        said = {stem(word.text) for word in self.words}
        return -len({stem(word.text) for name in names if name for word in units(name)} & said)

    def _parts(self) -> Iterator[tuple[TimePart, str]]:
        """Yield the parts of times that the question names, each with its word there, and no column is called so.

        The day of «day of the week» is none.
        """
        cues = [(part, cue) for part, several in self.cues["part"].items() for cue in several]
        told = [(part, word) for part, cue in cues if (word := self._said(cue)) is not None]
        seen = set[str]()
        for part, word in told:
            within = any(word in other.split() for _, other in told if other != word)
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
        """Return what a part of a time is called: by its word alone where its table has no earlier time."""
        first = self.context.profile.first_time(time.table.name) == time.column.name
        return (word, f"{time.name} {word}") if first else (f"{time.name} {word}",)

    def _elapsed(self) -> Iterator[VirtualColumn]:
        """Yield what passes between two times of one row, the earlier first."""
        units_said = ((unit, self._said(cue)) for unit, cues in self.cues["unit"].items() for cue in cues)
        unit, word = next(((unit, word) for unit, word in units_said if word is not None), (None, None))
        if unit is None or not any(self._said(cue) for cue in self.cues["between"]):
            return
        for one, other in product(self.times, self.times):
            if one.table.name != other.table.name or not _earlier(one, other):
                continue
            text = _written(elapsed, one.ref, one.storage, other.ref, other.storage, self.dialect, unit)
            if text is not None:
                name, reason = f"{word} from {one.name} to {other.name}", f"{one.column.name} and {other.column.name}"
                ends = {"start": one.ref, "end": other.ref}
                said = patterns_of(one.storage, self.dialect).spellings(f"{unit} between", one.ref, **ends)
                reason = f"‹{word}› between {reason}"
                yield VirtualColumn(one.table.name, (name,), "REAL", text, reason, spellings=tuple(said))

    def _age(self) -> Iterator[VirtualColumn]:
        """Yield how old somebody is whose day of birth is known."""
        word = next((said for cue in self.cues["age"] if (said := self._said(cue)) is not None), None)
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
    """Return an expression, None where the cells do not have it, or the dialect cannot write it."""
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


def _earlier(one: _Time, other: _Time) -> bool:
    """Does one time of a row come before another, as far as the sample tells?"""
    if one is other or "year" in (one.storage.form, other.storage.form):
        return False
    ends = (one.storage.first, one.storage.last), (other.storage.first, other.storage.last)
    if ends[0] != ends[1]:
        return ends[0] < ends[1]
    names = [column.name for column in one.table.columns]
    return names.index(one.column.name) < names.index(other.column.name)
