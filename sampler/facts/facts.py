"""What is known of tables and columns: how SQL and people call them, and what they hold."""

from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from ...data.schema.events import DateEvent
from ...data.schema.plain_names import adds_up, meaning_of
from ...data.schema.schema import Column, Table
from ...meaning.profile import ColumnProfile
from .roles import Role
from .verbalisation import Noun

_FEW = 8
"""Different values of a column whose values are adjectives, at most."""
_UNKNOWN = ColumnProfile("text")
"""Of a column that nobody has looked at."""


@dataclass(frozen=True)
class ColumnFacts:
    """A column: what it is called in SQL and in words, and what it holds.

    Attributes:
        table: the table's name, as SQL writes it.
        sql: the column's.
        cells: of the rows looked at, without NULL; the numbers that they say, where they are texts that say some.
        nulls: some rows have none.
        event: what a date is the date of.
        profile: how the cells are stored, and what they mean.
        by_row: the days that a time tells of the rows looked at.
    """

    column: Column
    table: str
    sql: str
    noun: Noun
    role: Role
    cells: tuple[Any, ...]
    nulls: bool
    event: DateEvent | None = None
    profile: ColumnProfile = _UNKNOWN
    by_row: tuple[date | None, ...] = ()

    @cached_property
    def days(self) -> list[date]:
        """Return the days that a time tells, one of each row that has one."""
        return [day for day in self.by_row if day is not None]

    @property
    def kind(self) -> str:
        """Return what the column means, see `meaning_of`."""
        return meaning_of(self.column.name, self.column.description)

    @property
    def status(self) -> bool:
        """Are its values few words that may stand before a noun, as pending does?"""
        plain = all(isinstance(v, str) and v.replace("-", "").isalpha() and len(v) > 2 for v in self.values)
        return 1 < len(self.values) <= _FEW and plain

    @cached_property
    def values(self) -> list[Any]:
        """Return the different cells, smallest first."""
        return sorted(set(self.cells), key=lambda v: (isinstance(v, str), v))

    @property
    def sums(self) -> bool:
        """May its numbers be added up? Shares of one and limits may not."""
        shares = bool(self.values) and self.role == "number" and max(self.values) <= 1
        return adds_up(self.kind) and not shares


@dataclass(frozen=True)
class TableFacts:
    """A table.

    Attributes:
        names: the columns that say which row is meant.
        rows: those looked at, None for not any.
        first_time: the time that «orders in May» means, which are ordered, shipped and paid at some time.
    """

    table: Table
    sql: str
    noun: Noun
    columns: tuple[ColumnFacts, ...]
    names: tuple[ColumnFacts, ...]
    rows: int | None
    first_time: ColumnFacts | None = None

    def column(self, name: str) -> ColumnFacts | None:
        """Return a column by its name, whatever its case."""
        return next((c for c in self.columns if c.column.name.lower() == name.lower()), None)
