"""What one column of a file holds, as far as all its cells tell: a type that loses nothing, else text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from ..texts import NOTHING
from .number_forms import NumberColumn, as_number, is_nothing, shapes

__all__ = ["ColumnReading", "StoredColumn"]

_DAY = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
_MOMENT = re.compile(_DAY.pattern + r"[ T]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?\s?(?:Z|UTC|[-+]\d\d:?(?:\d\d)?)?")

_KINDS = (bool, int, float, Decimal, datetime, date)
"""Of cells that are no texts; what a library derives from one of them is that."""


@dataclass(frozen=True)
class StoredColumn:
    """How a column is stored.

    Attributes:
        type: as SQLite declares it.
        store: makes of cells what is stored; what is equal in all else stores the same.
        form: name of the form of its numbers.
        unit: a currency or ``%`` that stood at every number, and is not stored.
    """

    type: str
    store: Callable[[Sequence[Any]], Iterable[Any]] = field(compare=False)
    form: str = ""
    unit: str = ""


class ColumnReading:
    """Looks at the cells of a column, block by block, and tells then how they are stored.

    Args:
        typed: is a text a text, whatever it looks like?
        plain: is each cell a text?
        gaps: must it be known of a column of texts whether a cell says nothing?

    Attributes:
        nulls: does a cell say nothing, as far as that must be known?
        numbers: what is known of them.
    """

    def __init__(self, *, typed: bool = False, plain: bool = False, gaps: bool = True) -> None:
        self.nulls = False
        self.numbers = NumberColumn()
        self._typed, self._plain, self._gaps = typed, plain, gaps
        self._times = {} if typed else {"DATE": _DAY, "DATETIME": _MOMENT}
        self._texts = False
        self._nothing: set[str] = set()  # texts that say nothing, as they stand there
        self._others = False  # is there a cell that is no text?
        self._natives: set[type] = set()
        self._timed = False  # is there a time of day among native moments?

    def see(self, cells: Sequence[Any]) -> None:
        """Look at further cells."""
        if not self._plain and set(map(type, cells)) - {str}:
            self._others = True
            self._see_natives([cell for cell in cells if not isinstance(cell, str)])
            cells = [cell for cell in cells if isinstance(cell, str)]
        if self._times:
            texts = set(cells)
            for name, form in [*self._times.items()]:
                others = {text for text in texts if not form.fullmatch(text)}
                self._texts = self._texts or len(others) < len(texts)
                if not all(map(form.fullmatch, self._said(others))):
                    del self._times[name]
        if self.numbers.forms and not self._typed:
            self.numbers.see(self._said(shapes(cells)))
        elif not self._times and not (self._texts and (self.nulls or not self._gaps)):
            self._said(set(cells))

    def stored(self, *, comma: bool | None, semicolons: bool) -> StoredColumn:
        """Return how the column is stored.

        Args:
            comma: what other columns say of the comma where this one leaves it open.
            semicolons: part the cells of the file, so that a point may well stand for thousands.
        """
        if not self._texts and self._natives:
            return self._as_native()
        if self._texts and self._times and self._natives <= {date, datetime}:
            return StoredColumn("DATETIME" if self._natives else next(iter(self._times)), self._store_times)
        if self._texts and not self._typed and self._natives <= {int, float, Decimal}:
            return self._as_numbers(comma=comma, semicolons=semicolons)
        return StoredColumn("TEXT", self._store_texts)

    def _said(self, texts: set[str]) -> list[str]:
        """Return those of texts that say something, without blanks around them."""
        nothing = {text for text in texts if text.strip().lower() in NOTHING}
        self._nothing |= nothing
        self.nulls = self.nulls or bool(nothing)
        self._texts = self._texts or len(nothing) < len(texts)
        return [text.strip() for text in texts - nothing]

    def _see_natives(self, cells: Sequence[Any]) -> None:
        said = [cell for cell in cells if not is_nothing(cell)]
        self.nulls = self.nulls or len(said) < len(cells)
        for kind in set(map(type, said)):
            known = next((one for one in _KINDS if issubclass(kind, one)), kind)
            self._natives.add(known)
            if known in (int, float, Decimal):
                self.numbers.see_natives([cell for cell in said if type(cell) is kind])
            elif known is datetime and not self._timed:
                moments = (cell for cell in said if type(cell) is kind)
                self._timed = any(cell.time() != time() or cell.tzinfo is not None for cell in moments)

    def _as_numbers(self, *, comma: bool | None = None, semicolons: bool = False) -> StoredColumn:
        found = self.numbers.stored(comma=comma, semicolons=semicolons)
        if found is None:
            return StoredColumn("TEXT", self._store_texts)
        form, make = found

        def store(cells: Sequence[Any]) -> Iterable[Any]:
            if set(map(type, cells)) == {make}:
                return cells
            if self._others:
                return [next(iter(texts([cell]))) if isinstance(cell, str) else as_number(cell, make) for cell in cells]
            return texts(cells)

        def texts(cells: Sequence[str]) -> Iterable[Any]:
            gone = self._nothing
            if not unit and not form.mark and (make is float or form.name == "whole"):
                with suppress(ValueError):  # of a minus that is none to Python, or stands apart
                    return [None if cell in gone else make(cell) for cell in cells] if gone else list(map(make, cells))
            numbers = {text: None if text in gone else form.read(text, unit, make) for text in set(cells)}
            return map(numbers.__getitem__, cells)

        unit = self.numbers.unit
        return StoredColumn("REAL" if make is float else "INTEGER", store, form.name, unit)

    def _as_native(self) -> StoredColumn:
        kinds = self._natives
        if kinds == {bool}:
            return StoredColumn("BOOLEAN", lambda cells: [as_number(cell, int) for cell in cells])
        if kinds <= {int, float, Decimal}:
            return self._as_numbers()
        if kinds <= {date, datetime}:
            if self._timed:
                return StoredColumn("DATETIME", self._store_times)
            return StoredColumn("DATE", lambda cells: [text and text[:10] for text in self._store_times(cells)])
        if kinds == {bytes}:
            return StoredColumn("BLOB", lambda cells: [cell if isinstance(cell, bytes) else None for cell in cells])
        return StoredColumn("TEXT", self._store_texts)

    def _store_texts(self, cells: Sequence[Any]) -> Iterable[str | None]:
        texts = list(map(_text, cells) if self._others else map(str.strip, cells))
        return [text or None for text in texts] if "" in texts else texts

    def _store_times(self, cells: Sequence[Any]) -> Iterable[str | None]:
        texts = self._store_texts(cells)
        gone = self._nothing
        return [None if cell in gone else text for cell, text in zip(cells, texts, strict=True)] if gone else texts


def _text(cell: Any) -> str | None:
    """Return a cell as text, None of none."""
    if isinstance(cell, str):
        return cell.strip()
    return None if is_nothing(cell) else _WRITE.get(type(cell), str)(cell)


def _json(cell: Any) -> str:
    return json.dumps(cell, ensure_ascii=False, default=str)


_WRITE: Mapping[type, Callable[[Any], str]] = {
    float: lambda cell: str(int(cell)) if cell.is_integer() else repr(cell),
    datetime: lambda cell: cell.isoformat(" "),
    timedelta: lambda cell: f"{cell.total_seconds():g}",
    bytes: bytes.hex,
    list: _json,
    dict: _json,
}
"""How cells that are no texts stand among such."""
