"""A sample of the cells of one column; and the scale of columns whose names say that they count in thousands."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache, cached_property
from math import prod
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..data.databases.rows import as_number
from ..data.schema.plain_names import is_code, is_id, meaning_of, words
from ..data.schema.schema import Column, Table, as_text
from ..data.texts import NOTHING
from ..data.values.numerals import CHINESE_UNITS, ENGLISH_SCALES


@cache
def column_words(section: str) -> Mapping[str, Sequence[Any]]:
    """Return the words in column names that reveal a column's purpose, from a section of ``column_words.toml``."""
    file = Path(__file__).with_name("column_words.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))[section]


StorageT_co = TypeVar("StorageT_co", covariant=True)


@dataclass(frozen=True)
class CellFinding(Generic[StorageT_co]):
    """The semantic type found in a column's cells: times, a flag, numbers in texts.

    Attributes:
        storage: the format of the cells, None if they do not share a single format.
        doubt: a line on what a person should check; empty if nothing.
        sure: whether the sample allows no other interpretation.
    """

    storage: StorageT_co | None
    doubt: str = ""
    sure: bool = True


@dataclass(frozen=True)
class CellSample:
    """The sampled cells of a column.

    Attributes:
        counts: the frequency of each cell, without NULL.
        nulls: the number of rows with NULL.
        types: the Python types of the cells.
    """

    table: Table
    column: Column
    dialect: str
    counts: Counter[Any]
    nulls: int
    types: frozenset[type]

    @classmethod
    def of(cls, table: Table, column: Column, dialect: str, cells: Sequence[Any]) -> CellSample:
        """Return the sample of cells that a database returned."""
        filled = [cell if dialect == "sqlite" else _plain(cell) for cell in cells if cell is not None]
        if column.type.lower().startswith("bit"):  # MySQL's, which its drivers give as bytes
            filled = [int.from_bytes(cell) if isinstance(cell, bytes) else cell for cell in filled]
        return cls(table, column, dialect, Counter(filled), len(cells) - len(filled), frozenset(map(type, filled)))

    @property
    def rows(self) -> int:
        """Return the number of cells, including equal ones."""
        return self.counts.total()

    @cached_property
    def type(self) -> str:
        """Return the declared type in lower case; an enumeration is ``text``."""
        return as_text(self.column.type).lower()

    @property
    def served(self) -> bool:
        """Does the engine enforce the declared type? Servers do, SQLite does not."""
        return self.dialect != "sqlite"

    @cached_property
    def texts(self) -> dict[str, int]:
        """Return the frequency of its distinct texts, stripped and without placeholders such as «N/A»."""
        frequencies = Counter[str]()
        for cell, times in self.counts.items():
            if isinstance(cell, str) and (text := cell.strip()).lower() not in NOTHING:
                frequencies[text] += times
        return dict(frequencies)

    @cached_property
    def nothing(self) -> tuple[str, ...]:
        """Return its placeholder texts, unchanged."""
        return tuple(cell for cell in self.counts if isinstance(cell, str) and cell.strip().lower() in NOTHING)

    @cached_property
    def numbers(self) -> list[int | float]:
        """Return its distinct numbers."""
        return [cell for cell in self.counts if isinstance(cell, int | float) and not isinstance(cell, bool)]

    @cached_property
    def words(self) -> list[str]:
        """Return the words of its name and description."""
        return [*words(self.column.name), *words(self.column.description)]

    @cached_property
    def meaning(self) -> str:
        """Return the meaning of its name, see `meaning_of`."""
        return meaning_of(self.column.name, self.column.description)

    @cached_property
    def coded(self) -> bool:
        """Does its name say that its numbers are codes? Numbers of employees, or per day, are not."""
        name_words = self.words
        counts = {"per", "times", "count", "total"} & set(name_words) or (
            name_words[1:] and name_words[0] in column_words("numbers")["how_many"]
        )
        axis = name_words[1:] and name_words[0] in ("x", "y")  # unlike x alone, x_speed is no place on a map
        return not counts and not axis and is_code(self.column.name, self.column.description)

    @cached_property
    def sorting(self) -> bool:
        """Does its name say that its cells are categories?"""
        named, names = column_words("kinds"), (self.column.name, self.column.description)
        ends = tuple(named["sorts_zh"])
        return bool({*named["sorts"]} & {*self.words}) or any(name.endswith(ends) for name in names if name)

    @cached_property
    def numbering(self) -> bool:
        """Does its name say that it numbers rows?"""
        return is_id(self.column.name, self.column.description)


def _plain(value: Any) -> Any:
    """Return a cell of any driver as a number, a text, a date or time, True or False, or bytes."""
    if isinstance(value, Decimal):
        return as_number(value)
    if isinstance(value, memoryview | bytearray):
        return bytes(value)
    return value if value is None or isinstance(value, int | float | str | bytes | date) else str(value)


def cell_text(cell: Any) -> str:
    """Return a cell as the text that queries have for it."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return cell.isoformat(" ") if isinstance(cell, datetime) else str(cell)


_ENGLISH = {form: scale for word, scale in ENGLISH_SCALES.items() if scale >= 1000 for form in (word, f"{word}s")}
_CHINESE = re.compile(r"[（(]([百千万亿]*[万亿])[^（()）]*[)）]|([百千]?[万亿])元?$")
"""A unit in brackets or at the end; 千 alone is left out: 千克 and 千米 are units of their own."""


def scale_of(sample: CellSample) -> int:
    """Return the size of the column's unit, 0 if its name has no unit, or if most cells are that large already."""
    column = sample.column
    scale = next((size for name in (column.name, column.description) if (size := _unit_size(name))), 0)
    numbers = sorted(map(abs, sample.numbers))
    return scale if numbers and numbers[len(numbers) // 2] < scale else 0


def _unit_size(name: str) -> int:
    """Return the size of the unit in a name, 0 if it has none."""
    if (unit := _CHINESE.search(name)) is not None:
        return prod(CHINESE_UNITS[sign] for sign in unit[1] or unit[2])
    return next((_ENGLISH[word] for word in reversed(words(name)) if word in _ENGLISH), 0)
