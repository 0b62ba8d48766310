"""What columns are for in questions: keys, categories, numbers, dates; by what their profiles and their names tell."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from ...profiles.column_profile import ColumnProfile
from ...schema.enumerations import as_text
from ...schema.meanings import is_code, is_id, is_year, meaning_of
from ...schema.plain_names import words
from ...schema.schema import Column
from .verbalisation import is_person

__all__ = ["Role", "role_of"]

Role: TypeAlias = Literal["key", "category", "number", "year", "date", "flag", "text", "read", "empty"]
"""``read`` is a text that is shown and not asked for: long ones, phone numbers, 20 kg; ``empty`` says nothing."""

_MEASURED = re.compile(r"[-+$¥￥€£~约<>(]*\d.*", re.DOTALL)  # 12天, 50万-100万, 2 kg
_NUMERIC = re.compile(r"int|real|double|float|dec|num", re.IGNORECASE)
_TIMES = re.compile(r"date|time", re.IGNORECASE)
_SHORT = 1
_YES = {"yes", "true"}
_LONG = 45  # characters, on average, from which a text is read
_MAX_CATEGORIES = 40


@dataclass(frozen=True)
class _SeenColumn:
    """A column, its cells without NULL and its profile; ``key``: it is one, or refers to one."""

    column: Column
    cells: tuple[Any, ...]
    profile: ColumnProfile
    key: bool

    @cached_property
    def texts(self) -> list[str]:
        return [str(cell).strip() for cell in self.cells]

    @cached_property
    def different(self) -> int:
        return len(set(self.texts))

    @cached_property
    def code(self) -> bool:
        return is_code(self.column.name, self.column.description)

    @property
    def person(self) -> bool:
        """Numbers of such a column say who, and not how many."""
        return is_person((words(self.column.description) or words(self.column.name) or [""])[-1])

    @property
    def hollow(self) -> bool:
        """No cells, bytes, or nothing but the column's own name, as some public databases have."""
        bytes_only = any(isinstance(cell, bytes) for cell in self.cells)
        return not self.cells or bytes_only or set(self.texts) == {self.column.name}

    @cached_property
    def numbers(self) -> bool:
        return all(isinstance(cell, int | float) for cell in self.cells)

    @property
    def says_yes(self) -> bool:
        """Does it say yes or no, and not by words that sort rows, as active and closed do?"""
        flag = self.profile.flag
        return flag is not None and (flag.form != "text" or len(flag.yes) <= _SHORT or flag.yes.lower() in _YES)

    @property
    def year(self) -> bool:
        return self.profile.time is not None and self.profile.time.form == "year"

    @property
    def long(self) -> bool:
        return sum(map(len, self.texts)) > _LONG * len(self.texts)

    @property
    def measured(self) -> bool:
        return sum(bool(_MEASURED.fullmatch(text)) for text in self.texts) > 0.7 * len(self.texts)

    @cached_property
    def few(self) -> bool:
        most = min(_MAX_CATEGORIES, len(self.texts) // 2 + 1, len(self.texts) - 1)
        return 2 <= self.different <= most


_RULES: tuple[tuple[Role, Callable[[_SeenColumn], bool]], ...] = (
    ("empty", lambda seen: seen.hollow),
    ("key", lambda seen: seen.key and (seen.numbers or seen.profile.flag is not None)),
    ("key", lambda seen: is_id(seen.column.name, seen.column.description)),
    ("flag", lambda seen: seen.says_yes),
    ("year", lambda seen: seen.year),
    ("date", lambda seen: seen.profile.time is not None),
    ("key", lambda seen: seen.numbers and (seen.code or seen.person)),
    ("number", lambda seen: seen.numbers),
    ("number", lambda seen: seen.profile.number is not None and seen.profile.kind == "amount"),
    ("key", lambda seen: seen.key and seen.code and not seen.few),
    ("read", lambda seen: seen.code and seen.different > 0.5 * len(seen.texts)),
    ("read", lambda seen: seen.long or seen.measured or bool(_TIMES.search(as_text(seen.column.type)))),
    ("category", lambda seen: seen.few),
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
    seen = _SeenColumn(column, cells, profile, key)
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
