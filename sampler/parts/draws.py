"""One draw after another: tables, columns, values, thresholds."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from ...data.databases.database import Database
from ...data.schema.later_uses import names_in
from ...data.schema.schema import Schema
from ...meaning.keys import key_profiles
from ...meaning.profile import DatabaseProfile
from ...meaning.profiling import profile_of
from ..facts.facts import ColumnFacts, TableFacts
from ..facts.joins import Bridge, Join, bridges, chains, joins
from ..facts.profiling import profile
from ..facts.self_keys import SelfKey, self_keys
from .phrases import Language, Phrase

T = TypeVar("T")

_ENDLESS = {"with", "in", "of", "to", "by", "on", "for", "at", "from"}  # ends of names that are no nouns: trained in
_BARE = 2  # characters of a Chinese noun that says no more than that it is a date
_LONGEST = 40  # characters of a value that people say
_NO_VALUES = {"n/a", "na", "null", "none", "unknown", "无", "未知", "nan", "other"}
_RARE = re.compile(r"[^\w\s.,'&()/·:+!-]|_")


class NothingToDraw(LookupError):
    """What was drawn so far, or the schema itself, leaves nothing to go on with."""


@dataclass(frozen=True)
class Draft:
    """A query and what it is to be called.

    Attributes:
        ties: a query whose last row must differ from the row before, else the answer hangs on chance; it has more rows
            than the query itself, unless all rows come.
        tied: a query that must have no row, for the same reason.
    """

    sql: str
    said: Phrase
    ties: str = ""
    tied: str = ""


@dataclass(frozen=True)
class SamplingFrame:
    """All that there is to draw from."""

    tables: list[TableFacts]
    joins: list[Join]
    bridges: list[Bridge]
    chains: list[tuple[Join, Join]]
    language: Language
    now: datetime | None = None
    self_keys: list[SelfKey] = field(default_factory=list[SelfKey])

    @classmethod
    def of(
        cls,
        schema: Schema,
        database: Database | None,
        language: Language,
        known: DatabaseProfile | None = None,
        now: datetime | None = None,
    ) -> SamplingFrame:
        """Look into a database, or at its schema alone.

        Args:
            known: the database's profile, made if it is None.
            now: what «last month» is seen from; None draws no such times.
        """
        if known is None:
            declared = DatabaseProfile(keys=key_profiles(schema, schema, {}))
            known = declared if database is None else profile_of(database, schema)
        tables = profile(schema, database, language, known)
        found = joins(tables, known.keys, language)
        said = [table for table in tables if table.noun.one.split()[-1] not in _ENDLESS]
        between = [join for join in found if join.child in said and join.parent in said]
        again = self_keys(said, known.keys, names_in(schema), language)
        return cls(said, between, bridges(found), chains(between), language, now, again)


@dataclass
class Draw:
    """Chance, and what it draws from.

    Attributes:
        drawn: columns that are not to be drawn again.
        written: draw no numbers but those that texts say.
        told: times are drawn only from tables that have several time columns, so that a question must name one.
        clocked: does what was drawn hang on the frame's ``now``?
    """

    frame: SamplingFrame
    rng: random.Random
    drawn: list[ColumnFacts] = field(default_factory=list[ColumnFacts])
    written: bool = False
    told: bool = False
    clocked: bool = False

    def one(self, options: Sequence[T]) -> T:
        """Return one of the options.

        Raises:
            NothingToDraw: there are none.
        """
        if not options:
            raise NothingToDraw
        return self.rng.choice(options)

    def chance(self, share: float) -> bool:
        """Return True in this share of the draws."""
        return self.rng.random() < share

    def table(self, fits: Callable[[TableFacts], object] = lambda _: True) -> TableFacts:
        """Return a table."""
        return self.one([t for t in self.frame.tables if fits(t)])

    def join(self, fits: Callable[[Join], object] = lambda _: True) -> Join:
        """Return a foreign key."""
        return self.one([join for join in self.frame.joins if fits(join)])

    def category(self, table: TableFacts) -> ColumnFacts:
        """Return a column that many rows share the values of."""
        return self._fresh(table.having("category"))

    def number(self, table: TableFacts, *, sums: bool = False) -> ColumnFacts:
        """Return a column of numbers that mean an amount."""
        numbers = [c for c in table.having("number") if not self.written or c.profile.number is not None]
        return self._fresh([c for c in numbers if not sums or c.sums])

    def time(self, table: TableFacts) -> ColumnFacts:
        """Return a time that rows have, and whose days are known."""
        return self._fresh(self.times(table))

    def times(self, table: TableFacts) -> list[ColumnFacts]:
        """Return the times of a table whose days are known."""
        known = [c for c in table.having("date", "year") if c.days]
        if not self.told:
            return known
        return [c for c in known if len(known) > 1 and (c.event is not None or _tells_which(c.noun.one))]

    def ordered(self, table: TableFacts) -> ColumnFacts:
        """Return a column by which rows have an order, without gaps."""
        if self.written:
            return self.number(table)
        return self._fresh([c for c in table.columns if c.ordered and not c.nulls and c not in table.names])

    def shown(self, table: TableFacts, count: int = 1) -> list[ColumnFacts]:
        """Return columns that people would ask for."""
        options = [c for c in table.columns if c.role not in {"key", "empty", "flag"} and c not in self.drawn]
        if len(options) < count:
            raise NothingToDraw
        return sorted(self.rng.sample(options, count), key=table.columns.index)

    def value(self, column: ColumnFacts) -> str:
        """Return a text of the column that can be said."""
        fitting = [v for v in column.values if isinstance(v, str) and sayable(v)]
        return self.one(fitting)

    def threshold(self, column: ColumnFacts) -> Any:
        """Return a value between the extremes of a column, often a round one."""
        values = column.values
        if len(values) < 3:
            raise NothingToDraw
        value = values[min(len(values) - 2, 1 + int(self.rng.random() * (len(values) - 2)))]
        if column.role != "number":
            return value
        rounded = self._rounded(value)
        return rounded if values[0] < rounded < values[-1] or not isinstance(value, int) else value

    def _rounded(self, value: float) -> int | float:
        if self.chance(0.4):
            return value if isinstance(value, int) else round(value, 2)
        if isinstance(value, int):  # two digits of it, as people say
            return round(value, 1 - len(str(abs(value)))) if abs(value) >= 20 else value
        return round(value) if abs(value) >= 10 else round(value, 1)

    def _fresh(self, options: Sequence[ColumnFacts]) -> ColumnFacts:
        column = self.one([c for c in options if c not in self.drawn])
        self.drawn.append(column)
        return column


def _tells_which(said: str) -> bool:
    """Does what a time is called say of what it is: a best before date, 结账日期? «Date» and «date from» do not."""
    words = said.split()
    return len(words) > 1 and words[-1] not in _ENDLESS if said.isascii() else len(said) > _BARE


def sayable(value: str) -> bool:
    """Can people say this text of a database?"""
    return (
        0 < len(value) <= _LONGEST
        and value == value.strip()
        and not _RARE.search(value)
        and not value.isdigit()
        and value.lower() not in _NO_VALUES
    )
