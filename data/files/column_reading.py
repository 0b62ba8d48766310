"""The type of a column of a file, found in all its cells: one that loses no information, else text.

Of numbers: the forms in which texts write them, and the one form that all cells of a column have.
"""

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, TypeAlias

from ..texts import NOTHING

_PLAIN = r"(?:0|[1-9]\d*)"
_MARKS = " '\u2019\u00a0\u202f"  # of thousands, beside the comma or the point
_CURRENCY = (
    r"[$€£¥￥₹₩₽₺₴฿]|US\$|USD|EUR|GBP|CNY|RMB|JPY|CHF|INR|HK\$|AU\$|CA\$|NZ\$|R\$|AUD|CAD|SEK|NOK|DKK|PLN|元|kr\.?"
)
_SIGNED = re.compile(
    rf"(?P<sign>[-−])?\s*(?P<before>{_CURRENCY})?\s*(?P<minus>[-−])?(?P<digits>[\d.,{_MARKS}]*\d(?:[eE][-+]?\d+)?)"
    rf"\s*(?P<behind>%|{_CURRENCY})?"
)
LONGEST = 60
"""Characters of a number: a long text is none, and patterns would take the square of its length to say so."""

_DIGITS = 15  # decimal digits that a real holds exactly


_SHAPE = bytes.maketrans(b"23456789", b"1" * 8)


@dataclass(frozen=True)
class NumberForm:
    """One way to write numbers, without a sign and what stands around.

    Attributes:
        name: ``whole``, ``plain`` (a point before the fraction, no marks), ``point`` or ``comma`` (with marks).
        fits: returns whether a text has this form, and none of its digits would be lost.
        mark: stands between thousands, beside blanks and apostrophes.
    """

    name: str
    fits: Callable[[str], bool]
    mark: str = ""

    def read(self, text: str, unit: str, make: type[int] | type[float]) -> int | float:
        """Return the number in a text of this form.

        Args:
            unit: stands before or behind it.
            make: what it becomes; ``int`` of numbers without a fraction.
        """
        for mark in filter(None, (unit, self.mark, "'", "\u2019")):
            text = text.replace(mark, "")
        return make(float("".join(text.split()).replace("−", "-").replace(",", ".")))


def stripped(text: str) -> tuple[str, str] | None:
    """Return the digits of a number with its sign, and the currency or per cent around it; None of another text.

    >>> stripped("€ -12.30"), stripped("45 %"), stripped("12 kg")
    (('-12.30', '€'), ('45', '%'), None)
    """
    found = _SIGNED.fullmatch(text) if len(text) <= LONGEST else None
    if found is None or (found["before"] and found["behind"]) or (found["sign"] and found["minus"]):
        return None
    sign = "-" if found["sign"] or found["minus"] else ""
    return sign + found["digits"], found["before"] or found["behind"] or ""


def shapes(texts: Sequence[str]) -> set[str]:
    """Return texts with 1 for each digit but 0: a column has few such, and whether they say numbers is the same.

    >>> sorted(shapes(["12.50", "37.80", "n/a"]))
    ['11.10', 'n/a']
    """
    found = "\n".join(texts).encode().translate(_SHAPE).decode().split("\n")
    return set(found if len(found) == len(texts) else texts)  # a text of several lines is no number


def _exact(pattern: str) -> Callable[[str], bool]:
    match = re.compile(f"-?(?:{pattern})").fullmatch
    return lambda text: match(text) is not None and sum(map(str.isdecimal, text.lstrip("-0."))) <= _DIGITS


FORMS = (
    NumberForm("whole", _exact(_PLAIN)),
    NumberForm("plain", _exact(rf"{_PLAIN}?\.\d+|{_PLAIN}|\d+(?:\.\d+)?[eE][-+]\d\d?|\d+\.\d+[eE]\d\d?")),
    NumberForm("point", _exact(rf"(?:{_PLAIN}|[1-9]\d{{0,2}}(?:[,{_MARKS}]\d{{3}})+)(?:\.\d+)?"), ","),
    NumberForm("comma", _exact(rf"(?:{_PLAIN}|[1-9]\d{{0,2}}(?:[.{_MARKS}]\d{{3}})+)(?:,\d+)?"), "."),
)
"""Those that are tried, the plainest first."""


_LARGEST_DIGITS = 12
"""Of a whole number that is an INTEGER: that sums do not overflow, `grammar/types/sqlite.toml` trusts."""

_PLAIN_CELL = re.compile(r"-?[0-9]+\.[0-9]+")
_POINT, _COMMA = re.compile(r"\.\d*[1-9]|\.\d\d|[eE]"), re.compile(r",\d*[1-9]|,\d\d")
"""A fraction; 12.0 has none, as programs write whole numbers of columns with gaps."""


_Stored: TypeAlias = tuple[NumberForm, type[int] | type[float]] | None


class NumberColumn:
    """What the numbers of a column have in common, text or not.

    Attributes:
        forms: in which all texts are written; none are left where one is no number.
        unit: the currency or per cent around the numbers.
    """

    def __init__(self) -> None:
        self.forms = [*FORMS]
        self.unit = ""
        self._seen: set[str] = set()
        self._written: set[str] = set()  # the same without what stands around
        self._digits: set[int] = set()  # of numbers that are no texts, before their fraction
        self._fraction = False  # has one of them any?
        self._known: dict[tuple[bool | None, bool], _Stored] = {}  # what is stored, until another cell is seen

    @property
    def decimal_comma(self) -> bool | None:
        """Return whether the comma stands before fractions, None where the cells leave it open."""
        names = {form.name for form in self.forms} & {"point", "comma"}
        return names == {"comma"} if len(names) == 1 and self._is_marked else None

    @property
    def _is_marked(self) -> bool:
        """Is there any other sign than digits?"""
        return not all(text.lstrip("-").isdecimal() for text in self._written)

    def see(self, texts: Collection[str]) -> None:
        """Look at further texts, without placeholders."""
        new = {*texts} - self._seen if self.forms else set[str]()
        if not new:
            return
        self._known.clear()
        read = [stripped(text) for text in new]
        units = {one[1] for one in read if one is not None} | ({self.unit} if self._seen else set())
        if None in read or len(units) > 1:
            self.forms = []
            return
        digits = {one[0] for one in read if one is not None}
        self.forms = [form for form in self.forms if all(map(form.fits, digits))]
        self.unit, self._seen, self._written = "".join(units), self._seen | new, self._written | digits

    def see_natives(self, numbers: Collection[float | Decimal]) -> None:
        """Look at native numbers; the smallest and the largest determine the number of digits."""
        finite = [number for number in numbers if math.isfinite(number)]
        ends = {min(finite, key=abs), max(finite, key=abs)} if finite else set[float | Decimal]()
        self._digits |= {len(str(abs(int(number)))) for number in ends}
        self._digits |= {400} if len(finite) < len(numbers) else set()
        self._fraction |= len(finite) < len(numbers) or any(number != int(number) for number in finite)
        self._known.clear()

    def stored(self, *, comma: bool | None, semicolons: bool) -> _Stored:
        """Return the form of the column's numbers, and what they become.

        None where it is open which numbers they are, or digits name something: 1.9 and 1.10, or thirteen in each cell.

        Args:
            comma: what other columns say of the comma where this one leaves it open.
            semicolons: part the cells of the file, so that a point may well stand for thousands.
        """
        if (comma, semicolons) not in self._known:
            self._known[comma, semicolons] = self._found(self._form(comma, semicolons))
        return self._known[comma, semicolons]

    def _found(self, form: NumberForm | None) -> _Stored:
        plain = [text.lstrip("-").split(".") for text in self._written if _PLAIN_CELL.fullmatch(text)]
        uneven = len({len(fraction) for _, fraction in plain}) > 1
        uneven = uneven and any(len(fraction) > 1 and fraction[-1] == "0" for _, fraction in plain)
        if form is None or (form.name == "plain" and uneven and not self.unit):
            return None
        fraction = _COMMA if form.name == "comma" else _POINT
        fractions = self._fraction or any(map(fraction.search, self._written))
        others = (text for text in self._written if not _PLAIN_CELL.fullmatch(text))
        digits = self._digits | {len(before) for before, _ in plain} | {sum(map(str.isdecimal, one)) for one in others}
        large = max(digits, default=0) > _LARGEST_DIGITS
        if large and not fractions and len(digits) == 1:
            return None
        return form, float if fractions or large else int

    def _form(self, comma: bool | None, semicolons: bool) -> NumberForm | None:
        by_name = {form.name: form for form in self.forms}
        if "whole" not in by_name and {"point", "comma"} <= by_name.keys() and self._is_marked:
            if comma is not None:  # 1,234 or 1.234: a fraction, or thousands?
                return by_name["comma" if comma else "point"]
            return by_name["plain"] if "plain" in by_name and not semicolons else None
        return self.forms[0] if self.forms else None


def as_number(cell: Any, make: type[int] | type[float]) -> int | float | None:
    """Return a number of a file that has such; None of what is none."""
    return None if isinstance(cell, str) or _is_nothing(cell) else make(cell)


def _is_nothing(cell: Any) -> bool:
    """Is there no cell, or what programs write as a number where there is none?"""
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


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
    """Looks at the cells of a column, block by block, and then decides how they are stored.

    Args:
        typed: whether texts stay texts, even those that look like numbers or times.
        plain: whether each cell is a text.
        gaps: whether it must be known if a column of texts has placeholders.

    Attributes:
        nulls: whether there is an empty cell or placeholder, if that must be known.
        numbers: the findings on its numbers.
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
                if not all(map(form.fullmatch, self._without_placeholders(others))):
                    del self._times[name]
        if self.numbers.forms and not self._typed:
            self.numbers.see(self._without_placeholders(shapes(cells)))
        elif not self._times and not (self._texts and (self.nulls or not self._gaps)):
            self._without_placeholders(set(cells))

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

    def _without_placeholders(self, texts: set[str]) -> list[str]:
        """Return the texts that are no placeholders, stripped."""
        nothing = {text for text in texts if text.strip().lower() in NOTHING}
        self._nothing |= nothing
        self.nulls = self.nulls or bool(nothing)
        self._texts = self._texts or len(nothing) < len(texts)
        return [text.strip() for text in texts - nothing]

    def _see_natives(self, cells: Sequence[Any]) -> None:
        filled = [cell for cell in cells if not _is_nothing(cell)]
        self.nulls = self.nulls or len(filled) < len(cells)
        for kind in set(map(type, filled)):
            known = next((one for one in _KINDS if issubclass(kind, one)), kind)
            self._natives.add(known)
            if known in (int, float, Decimal):
                self.numbers.see_natives([cell for cell in filled if type(cell) is kind])
            elif known is datetime and not self._timed:
                moments = (cell for cell in filled if type(cell) is kind)
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
    return None if _is_nothing(cell) else _WRITE.get(type(cell), str)(cell)


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
