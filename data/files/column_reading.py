"""What one column of a file holds, as far as all its cells tell: a type that loses nothing, else text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from ..profiles.cells.cell_sample import NOTHING
from .number_column import NumberColumn, as_number, is_nothing

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
        unit: a currency or ``%`` that stood at every number, and is not stored.
        store: makes of a cell what is stored.
    """

    type: str
    store: Callable[[Any], Any]
    unit: str = ""


class ColumnReading:
    """Looks at the cells of a column, block by block, and tells then how they are stored.

    Args:
        typed: is a text a text, whatever it looks like?

    Attributes:
        nulls: does a cell say nothing?
        numbers: what is known of them.
    """

    def __init__(self, *, typed: bool = False) -> None:
        self.nulls = False
        self.numbers = NumberColumn()
        self._typed = typed
        self._times = {} if typed else {"DATE": _DAY, "DATETIME": _MOMENT}
        self._texts = False
        self._natives: set[type] = set()
        self._timed = False  # is there a time of day among native moments?

    def see(self, cells: Sequence[Any]) -> None:
        """Look at further cells."""
        others = [cell for cell in cells if not isinstance(cell, str)]
        texts = {cell.strip() for cell in cells if isinstance(cell, str)} if others else set(map(str.strip, cells))
        for cell in others:
            if is_nothing(cell):
                self.nulls = True
            else:
                self._see_native(cell)
        said = {text for text in texts if text.lower() not in NOTHING}
        self.nulls = self.nulls or len(said) < len(texts)
        self._texts = self._texts or bool(said)
        self._times = {name: form for name, form in self._times.items() if all(map(form.fullmatch, said))}
        if not self._typed:
            self.numbers.see(said)

    def stored(self, *, comma: bool | None, semicolons: bool) -> StoredColumn:
        """Return how the column is stored.

        Args:
            comma: what other columns say of the comma where this one leaves it open.
            semicolons: part the cells of the file, so that a point may well stand for thousands.
        """
        if not self._texts and self._natives:
            return self._as_native()
        if self._texts and self._times and self._natives <= {date, datetime}:
            name = "DATETIME" if self._natives else next(iter(self._times))
            return StoredColumn(name, partial(_text, nothing=NOTHING))
        if self._texts and not self._typed and self._natives <= {int, float, Decimal}:
            found = self.numbers.stored(comma=comma, semicolons=semicolons)
            if found is not None:
                return StoredColumn(*found, self.numbers.unit)
        return StoredColumn("TEXT", _text)

    def _see_native(self, cell: Any) -> None:
        self._natives.add(next((kind for kind in _KINDS if isinstance(cell, kind)), type(cell)))
        if isinstance(cell, int | float | Decimal) and not isinstance(cell, bool):
            self.numbers.see_native(cell)
        elif isinstance(cell, datetime):
            self._timed = self._timed or cell.time() != time() or cell.tzinfo is not None

    def _as_native(self) -> StoredColumn:
        kinds = self._natives
        if kinds == {bool}:
            return StoredColumn("BOOLEAN", lambda cell: as_number(cell, int))
        if kinds <= {int, float, Decimal}:
            found = self.numbers.stored(comma=None, semicolons=False)
            return StoredColumn(*found) if found else StoredColumn("TEXT", _text)
        if kinds <= {date, datetime}:
            return StoredColumn("DATETIME", _text) if self._timed else StoredColumn("DATE", _day)
        return StoredColumn("BLOB", _blob) if kinds == {bytes} else StoredColumn("TEXT", _text)


def _text(cell: Any, nothing: frozenset[str] = frozenset()) -> str | None:
    """Return a cell as text; an empty one says nothing, and what is in ``nothing``."""
    if isinstance(cell, str):
        text = cell.strip()
    elif is_nothing(cell):
        return None
    else:
        text = _WRITE.get(type(cell), str)(cell)
    return None if not text or (nothing and text.lower() in nothing) else text


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


def _day(cell: Any) -> str | None:
    return cell.isoformat()[:10] if isinstance(cell, date) else None


def _blob(cell: Any) -> bytes | None:
    return cell if isinstance(cell, bytes) else None
