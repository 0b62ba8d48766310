"""The profile of a database: the semantic types of its columns, the formats of their cells, and keys between tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Literal, TypeAlias, get_args

from ..data.schema.schema import Schema, Table

ColumnKind: TypeAlias = Literal["key", "name", "category", "flag", "amount", "code", "time", "text", "empty"]
"""The kinds of columns: a ``code`` is an identifier, not an amount; ``text`` is free text; ``empty`` has no cells."""

TimeForm: TypeAlias = Literal[
    "iso", "native", "year first", "day first", "month first", "month name", "unix", "unix ms", "digits", "year"
]
"""How a time is stored.

iso: text that begins ``2024-02-03`` (or ``2024-02``), perhaps followed by ``T10:05:00Z``, a fraction, a zone.
native: a type of the server (DATE, TIMESTAMP, DATETIME, timestamptz).
year first: text as ``2024/02/03``, ``2024.2.3``, ``2024-2-3`` ``2024年2月3日``, ``2024年``; it sorts if padded.
day first, month first: text as ``03/02/2024``, ``3.2.2024``, with a time of day behind it or none.
month name: text as ``Feb 3, 2024`` or ``3 February 2024``; of grain month ``February 2024``.
unix, unix ms: seconds or milliseconds since 1970, a number.
digits: ``20240203`` (grain day) or ``202402`` (grain month), as text or number.
year: ``2024``, as text or number.
"""

Grain: TypeAlias = Literal["year", "month", "day", "second"]
"""The granularity of times: the finest part that cells have."""

GRAINS: tuple[Grain, ...] = get_args(Grain)
"""All granularities, the coarsest first."""


@dataclass(frozen=True)
class TimeStorage:
    """The storage format of the times in a column.

    Attributes:
        text: whether they are texts in SQL, and not numbers or a type of the server.
        separator: the separator of day, month and year: ``/``, ``.`` or ``-``, 年 where 月 and 日 follow; with month
            names, the separator after the day, including blanks: ``, ``.
        padded: whether day and month always have two digits.
        day_before_month: whether a month name is as in ``3 Feb 2024`` and not ``Feb 3, 2024``.
        first, last: the earliest and latest day of the sample, in ISO form; empty if unknown.
        gaps: whether some cells are no times, such as an empty text or ``0000-00-00``.
        clock: the separator of day and time of day in texts that are not ISO: a blank, ``, ``, ``T``.
        offset: whether ISO texts have a UTC offset that is not zero; their day and hour are the local ones.
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
        """Do its cells sort by time?"""
        if self.form == "year first":
            return self.padded
        return self.form not in ("day first", "month first", "month name")


@dataclass(frozen=True)
class FlagCells:
    """The cells of a flag, as text.

    Attributes:
        yes: the cell that means yes: ``1``, ``Y``, ``true``, 是.
        no: the cell that means no, None if the sample has only one cell.
        form: its type in SQL: a text, a number, or a boolean type of the server.
    """

    yes: str
    no: str | None
    form: Literal["text", "number", "boolean"]


@dataclass(frozen=True)
class NumberText:
    """The format of the numbers in a text column.

    Attributes:
        removed: the texts around and within the digits, in the order of their removal: ``$``, ``,``, `` kg``.
        decimal_comma: whether the comma is the decimal separator.
        nothing: placeholder cells: ``null``, ``N/A``, ``-``, the empty text.
        whole: whether all numbers are integers.
    """

    removed: tuple[str, ...] = ()
    decimal_comma: bool = False
    nothing: tuple[str, ...] = ()
    whole: bool = False


@dataclass(frozen=True)
class ColumnProfile:
    """The profile of a column, from a sample.

    Attributes:
        time: the storage of its times, None if it has no times.
        flag: the cells of its flag, None if it is no flag.
        number: the format of its numbers in texts, None if it has none.
        nulls: the number of sampled rows with NULL.
        unique: whether all cells of the sample are distinct.
        examples: some cells as text, the most frequent first.
        scale: the size of its unit, 1000000 for ``budget_in_millions``; 0 for a plain number.
        doubt: a line on what a person should check; empty if nothing.
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


_UNKNOWN = "~"  # a text that sorts after every time


@dataclass(frozen=True)
class KeyProfile:
    """A foreign key, declared or found.

    Attributes:
        table, columns: the referring table and columns.
        other, references: the referred table and columns.
        declared: whether the database declares it; otherwise it is inferred from names, types and cells.
        many: whether several rows may refer to the same row.
    """

    table: str
    columns: tuple[str, ...]
    other: str
    references: tuple[str, ...]
    declared: bool = True
    many: bool = True


@dataclass(frozen=True)
class DatabaseProfile:
    """The profile of a database.

    Attributes:
        columns: the profiles by (table, column), as the schema spells them.
        rows: the number of rows of each table, if it is cheap to get.
        keys: the foreign keys, declared ones first.
        primary_keys: the inferred primary keys of tables that declare none, from names and cells.
    """

    columns: Mapping[tuple[str, str], ColumnProfile] = field(default_factory=dict[tuple[str, str], ColumnProfile])
    rows: Mapping[str, int] = field(default_factory=dict[str, int])
    keys: tuple[KeyProfile, ...] = ()
    primary_keys: Mapping[str, str] = field(default_factory=dict[str, str])

    def __bool__(self) -> bool:
        """Return whether the profile has any column."""
        return bool(self.columns)

    def column(self, table: str | None, column: str | None) -> ColumnProfile | None:
        """Return the profile of a column, None if it was not profiled."""
        return None if table is None or column is None else self.columns.get((table, column))

    def keys_from(self, table: str) -> Sequence[KeyProfile]:
        """Return the foreign keys of a table, from an index by table."""
        return self._keys_from.get(table, ())

    @cached_property
    def _keys_from(self) -> Mapping[str, Sequence[KeyProfile]]:
        by_table: dict[str, list[KeyProfile]] = {}
        for key in self.keys:
            by_table.setdefault(key.table, []).append(key)
        return by_table

    def is_empty(self, table: Table) -> bool:
        """Return whether a profiled table has no cells; the number of rows would only be an estimate on servers."""
        seen = [facts for column in table.columns if (facts := self.columns.get((table.name, column.name))) is not None]
        return bool(seen) and all(facts.kind == "empty" for facts in seen)

    def only(self, schema: Schema) -> DatabaseProfile:
        """Return the part of the profile for the tables and columns of a schema, with the keys between them."""
        places = [(table.name, column.name) for table, column in schema.columns()]
        columns = {place: self.columns[place] for place in places if place in self.columns}
        visible, tables = {*places}, {table for table, _ in places}
        rows = {name: count for name, count in self.rows.items() if name in tables}
        ends = {key: {*product([key.table], key.columns), *product([key.other], key.references)} for key in self.keys}
        keys = tuple(key for key in self.keys if ends[key] <= visible)
        primary_keys = {table: column for table, column in self.primary_keys.items() if (table, column) in visible}
        return DatabaseProfile(columns, rows, keys, primary_keys)

    def first_time(self, table: str) -> str | None:
        """Return the column of a table whose times begin first, according to the sample; None if it has no times.

        That is the time which «orders in May» means, though orders are also shipped and paid at some time.
        """
        times = self._times.get(table, {})
        return min(times, key=lambda column: times[column], default=None)

    @cached_property
    def _times(self) -> Mapping[str, Mapping[str, tuple[str, str]]]:
        """Return the first and last time of each column of times, by table."""
        by_table: dict[str, dict[str, tuple[str, str]]] = {}
        for (table, column), facts in self.columns.items():
            if facts.time is not None:
                by_table.setdefault(table, {})[column] = (facts.time.first or _UNKNOWN, facts.time.last or _UNKNOWN)
        return by_table
