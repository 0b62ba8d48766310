"""What columns are for in questions: keys, categories, numbers, dates; by what their profiles tell of them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from ...data.schema.plain_names import is_code, is_id, is_year, meaning_of, words
from ...data.schema.schema import Column, as_text
from ...meaning.profile import ColumnProfile
from .verbalisation import is_person

Role: TypeAlias = Literal["key", "category", "number", "year", "date", "flag", "text", "read", "empty"]
"""``read`` is a text that is shown and not asked for: long ones, phone numbers, 20 kg; ``empty`` says nothing."""

_NUMERIC = re.compile(r"int|real|double|float|dec|num", re.IGNORECASE)
_TIMES = re.compile(r"date|time", re.IGNORECASE)
_SHORT = 1
_YES = {"yes", "true"}
_MAX_CATEGORIES = 40


@dataclass(frozen=True)
class _SeenColumn:
    """A column, its cells without NULL and its profile."""

    column: Column
    cells: tuple[Any, ...]
    profile: ColumnProfile

    @property
    def hollow(self) -> bool:
        """No cells, bytes, or nothing but the column's own name, as some public databases have."""
        return {self.column.name} >= set(self.cells) or any(isinstance(cell, bytes) for cell in self.cells)

    @property
    def says_yes(self) -> bool:
        """Does it say yes or no, and not by words that sort rows, as active and closed do?"""
        flag = self.profile.flag
        return flag is not None and (flag.form != "text" or len(flag.yes) <= _SHORT or flag.yes.lower() in _YES)

    @property
    def numbers(self) -> bool:
        return all(isinstance(cell, int | float) for cell in self.cells)

    @property
    def person(self) -> bool:
        """Numbers of such a column say who, and not how many."""
        return self.numbers and is_person((words(self.column.description) or words(self.column.name) or [""])[-1])

    @property
    def numbering(self) -> bool:
        """Do its cells number rows, by its name?"""
        return is_id(self.column.name, self.column.description)

    @property
    def code(self) -> bool:
        return is_code(self.column.name, self.column.description)

    @cached_property
    def few(self) -> bool:
        """Do many rows share its values?"""
        most = min(_MAX_CATEGORIES, len(self.cells) // 2 + 1, len(self.cells) - 1)
        return 2 <= len(set(self.cells)) <= most

    def of(self, *kinds: str) -> bool:
        """Is its profile of one of these kinds?"""
        return self.profile.kind in kinds


_RULES: tuple[tuple[Role, Callable[[_SeenColumn], bool]], ...] = (
    ("empty", lambda seen: seen.hollow),
    ("flag", lambda seen: seen.says_yes),
    ("year", lambda seen: seen.profile.time is not None and seen.profile.time.form == "year"),
    ("date", lambda seen: seen.profile.time is not None),
    ("key", lambda seen: seen.person or (seen.of("key", "code") and seen.numbers)),
    ("number", lambda seen: seen.of("amount")),
    ("key", lambda seen: seen.of("key") and (seen.numbering or (seen.code and not seen.few))),
    ("read", lambda seen: seen.of("text", "time")),
    ("category", lambda seen: seen.few),
    ("read", lambda seen: seen.of("code")),
    ("text", lambda _: True),
)
"""The first that fits counts."""


def role_of(column: Column, cells: tuple[Any, ...] | None, profile: ColumnProfile | None, key: bool) -> Role:
    """Return what a column is for.

    Args:
        column: its name and type.
        cells: without NULL; None if nobody has looked.
        profile: what the cells mean; None if nobody knows.
        key: it is a primary key by itself, or a foreign key.
    """
    if cells is None or profile is None:
        return _guessed(column, key)
    seen = _SeenColumn(column, cells, profile)
    return next(role for role, fits in _RULES if fits(seen))


def _guessed(column: Column, key: bool) -> Role:
    """Return the role of a column whose cells nobody has seen."""
    number, code = bool(_NUMERIC.search(as_text(column.type))), is_code(column.name, column.description)
    rules: tuple[tuple[Role, bool], ...] = (
        ("key", key or (code and number) or is_id(column.name, column.description)),
        ("flag", "bool" in column.type.lower()),
        ("year", number and is_year(column.name, column.description)),
        ("number", number),
        ("date", bool(_TIMES.search(as_text(column.type)))),
        ("read", code),
        ("category", meaning_of(column.name, column.description) in {"kind", "place"}),
        ("text", True),
    )
    return next(role for role, fits in rules if fits)
