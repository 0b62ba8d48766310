"""What the columns of a database hold: keys, flags, amounts, times, how cells write them; and keys between tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from ..data.schema.schema import Schema, Table

__all__ = [
    "ColumnKind",
    "ColumnProfile",
    "DatabaseProfile",
    "FlagCells",
    "Grain",
    "KeyProfile",
    "NumberText",
    "TimeForm",
    "TimeStorage",
]

ColumnKind: TypeAlias = Literal["key", "name", "category", "flag", "amount", "code", "time", "text", "empty"]
"""``code`` names something in signs that nobody reckons with; ``text`` is free; ``empty`` has no cells to read."""

TimeForm: TypeAlias = Literal[
    "iso", "native", "year first", "day first", "month first", "month name", "unix", "unix ms", "digits", "year"
]
"""How a time is stored.

iso: text that begins ``2024-02-03`` (or ``2024-02``), behind it what may be: ``T10:05:00Z``, a fraction, a zone.
native: a type of the server (DATE, TIMESTAMP, DATETIME, timestamptz).
year first: text as ``2024/02/03``, ``2024.2.3``, ``2024-2-3`` ``2024年2月3日``, ``2024年``; it sorts if padded.
day first, month first: text as ``03/02/2024``, ``3.2.2024``, with a time of day behind it or none.
month name: text as ``Feb 3, 2024`` or ``3 February 2024``; of grain month ``February 2024``.
unix, unix ms: seconds or milliseconds since 1970, a number.
digits: ``20240203`` (grain day) or ``202402`` (grain month), as text or number.
year: ``2024``, as text or number.
"""

Grain: TypeAlias = Literal["year", "month", "day", "second"]
"""The finest part of a time that cells tell."""


@dataclass(frozen=True)
class TimeStorage:
    """How the cells of a column say a time.

    Attributes:
        text: are they text in SQL? Else numbers, or a type of the server.
        separator: between day, month and year: ``/``, ``.`` or ``-``, 年 where 月 and 日 follow; of a month name what
            stands behind the day, blanks included: ``, ``.
        padded: have day and month two digits each, always?
        day_before_month: of a month name, whether it is ``3 Feb 2024`` and not ``Feb 3, 2024``.
        first, last: the earliest and the latest day seen, in ISO form; empty if nobody has looked.
        gaps: are there cells that say no time, as an empty text or ``0000-00-00``?
        clock: what stands between the day and a time of day: a blank, ``, ``, ``T``; of texts that are not ISO.
        offset: do ISO texts tell an offset from UTC that is not nought? Their day and hour are those that they say.
    """

    form: TimeForm
    grain: Grain
    text: bool
    separator: str = ""
    padded: bool = True
    day_before_month: bool = False
    first: str = ""
    last: str = ""
    gaps: bool = False
    clock: str = " "
    offset: bool = False

    @property
    def sorts(self) -> bool:
        """Is the order of its cells that of time?"""
        if self.form == "year first":
            return self.padded
        return self.form not in ("day first", "month first", "month name")


@dataclass(frozen=True)
class FlagCells:
    """Which cell of a flag says yes, as text: ``1``, ``Y``, ``true``, 是.

    Attributes:
        no: None where only one cell was seen.
        form: in SQL it is a text, a number, or a type of the server that is true or false.
    """

    yes: str
    no: str | None
    form: Literal["text", "number", "boolean"]


@dataclass(frozen=True)
class NumberText:
    """How the cells of a text column say numbers.

    Attributes:
        removed: what stands around and within the digits, and is taken away in this order: ``$``, ``,``, `` kg``.
        decimal_comma: is the comma what the point is elsewhere?
        nothing: cells that say no number: ``null``, ``N/A``, ``-``, the empty text.
        whole: are all of them whole numbers?
    """

    removed: tuple[str, ...] = ()
    decimal_comma: bool = False
    nothing: tuple[str, ...] = ()
    whole: bool = False


@dataclass(frozen=True)
class ColumnProfile:
    """What a column holds, as far as a sample tells.

    Attributes:
        time: how its cells say a time, None where they do not.
        flag: which cell says yes, None where it is no flag.
        number: how a text says numbers, None where it is none or is no text.
        nulls: rows without a cell in the sample.
        unique: is no cell of the sample there twice?
        examples: some cells as text, the most frequent first.
        scale: how many one of the units is that it counts in, 1000000 of ``budget_in_millions``; 0 where that is one.
        doubt: what a person should look at, in one line; empty if nothing.
    """

    kind: ColumnKind
    time: TimeStorage | None = None
    flag: FlagCells | None = None
    number: NumberText | None = None
    nulls: int = 0
    unique: bool = False
    examples: tuple[str, ...] = ()
    doubt: str = ""
    scale: int = 0


_UNKNOWN = "~"
"""Sorts behind every time."""


@dataclass(frozen=True)
class KeyProfile:
    """A foreign key, declared or found.

    Attributes:
        table, columns: that refer.
        other, references: that are referred to.
        declared: whether the database declares it; else names, types and cells tell.
        many: may a row that is referred to have several rows that refer to it?
        optional: do some rows refer to nothing?
        left_over: are some rows referred to by none?
    """

    table: str
    columns: tuple[str, ...]
    other: str
    references: tuple[str, ...]
    declared: bool = True
    many: bool = True
    optional: bool = False
    left_over: bool = True


@dataclass(frozen=True)
class DatabaseProfile:
    """What a database holds.

    Attributes:
        columns: profiles by (table, column), as the schema spells them.
        rows: how many rows each table has, as far as the engine tells cheaply.
        keys: foreign keys, those that are declared first.
        primary_keys: of tables that declare none, the column that tells rows apart, as names and cells say.
    """

    columns: Mapping[tuple[str, str], ColumnProfile] = field(default_factory=dict[tuple[str, str], ColumnProfile])
    rows: Mapping[str, int] = field(default_factory=dict[str, int])
    keys: tuple[KeyProfile, ...] = ()
    primary_keys: Mapping[str, str] = field(default_factory=dict[str, str])

    def __bool__(self) -> bool:
        """Say whether anything is known."""
        return bool(self.columns)

    def column(self, table: str | None, column: str | None) -> ColumnProfile | None:
        """Return the profile of a column, None of one that nobody has looked at."""
        return None if table is None or column is None else self.columns.get((table, column))

    def keys_from(self, table: str) -> Sequence[KeyProfile]:
        """Return the foreign keys of a table; however many there are in all, in the same time."""
        return self._keys_from.get(table, ())

    @cached_property
    def _keys_from(self) -> Mapping[str, Sequence[KeyProfile]]:
        found: dict[str, list[KeyProfile]] = {}
        for key in self.keys:
            found.setdefault(key.table, []).append(key)
        return found

    def is_empty(self, table: Table) -> bool:
        """Say whether a table was looked at and has no cells; how many rows it has is an estimate on servers."""
        seen = [one for column in table.columns if (one := self.columns.get((table.name, column.name))) is not None]
        return bool(seen) and all(one.kind == "empty" for one in seen)

    def only(self, schema: Schema) -> DatabaseProfile:
        """Return what is known of the tables of a schema, and of the keys between them."""
        tables = {table.name for table in schema.tables}
        places = ((table.name, column.name) for table, column in schema.columns())
        columns = {place: self.columns[place] for place in places if place in self.columns}
        rows = {name: count for name, count in self.rows.items() if name in tables}
        keys = tuple(key for key in self.keys if {key.table, key.other} <= tables)
        return DatabaseProfile(columns, rows, keys, {t: c for t, c in self.primary_keys.items() if t in tables})

    def first_time(self, table: str) -> str | None:
        """Return the column of a table whose times begin before all others', as far as the sample tells.

        That is the time of «orders in May», which are ordered, shipped and paid at some time; None of a table whose
        columns hold no times.
        """
        times = self._times.get(table, {})
        return min(times, key=lambda column: times[column], default=None)

    @cached_property
    def _times(self) -> Mapping[str, Mapping[str, tuple[str, str]]]:
        """Return the first and the last time of each column that holds times, by table."""
        found: dict[str, dict[str, tuple[str, str]]] = {}
        for (table, column), one in self.columns.items():
            if one.time is not None:
                found.setdefault(table, {})[column] = (one.time.first or _UNKNOWN, one.time.last or _UNKNOWN)
        return found
