"""CSV and TSV files, as people save them from a spreadsheet: a formula a row, below a row that heads the columns.

    name,formula,kind,says,unit,note,domain
    margin,SUM(revenue - cost) / SUM(revenue),,毛利率; gross margin,ratio,,shop
    名称,公式,类型,别名,单位,备注,领域

Name and formula are enough; columns of other heads are passed over. A name of several words stands as it is («unit
cost - discount»); one with a sign or a word of SQL in it («profit and loss») in double quotes.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from ...data.errors import DomainError, did_you_mean
from ...data.records import Record, read_text
from .bank import Bank, Formula, refuse
from .expression import ExpressionError, Kind, parse

__all__ = ["plain_cell", "read"]

_FIELDS = ("name", "formula", "kind", "says", "unit", "note", "domain")
_HEADS = {
    **{field: field for field in _FIELDS},
    **{"名称": "name", "公式": "formula", "类型": "kind", "别名": "says"},
    **{"单位": "unit", "备注": "note", "领域": "domain"},
    **{"is": "formula", "type": "kind", "synonyms": "says", "aliases": "says", "description": "note"},
}
"""Heads of columns, in lower case, each with the field that it is."""

_KINDS: Mapping[str, Kind] = {
    **{"calculation": "calculation", "condition": "condition", "union": "union"},
    **{"计算": "calculation", "条件": "condition", "并集": "union"},
}
_DELIMITERS = ",\t;"
_BETWEEN = re.compile(r"[;|；｜\n]")
"""What stands between aliases."""

_NAMES = re.compile(r"^(?:[^'\w]|\d[\w.]*|'(?:[^']|'')*')*[^\W\d]")
"""Finds a name outside of texts."""

_ANY_WORDS = re.compile(r"\b[^\W\d]\w*(?: +\w+)+")
_QUOTED = re.compile(r"""('(?:[^']|'')*'|"(?:[^"]|"")*"|“[^”]*”|‘[^’]*’)""")
_SIGNS = str.maketrans(
    dict(zip("＋－−＊×／÷（）＝＜＞，．０１２３４５６７８９", "+--**//()=<>,.0123456789", strict=True))
    | {"≤": "<=", "≥": ">=", "≠": "<>", "\u00a0": " ", "\u3000": " "}
)
_CURLY = {"“": '"', "‘": "'"}
_KEYWORDS = "and|or|not|in|is|null|like|between|case|when|then|else|end|distinct|select|from|where|as|over|filter"
_SEVERAL_WORDS = re.compile(rf"\b(?!(?:{_KEYWORDS})\b)[^\W\d]\w*(?: +(?!(?:{_KEYWORDS})\b)\w+)+", re.IGNORECASE)
"""Finds a name of several words, which no SQL could be, since no keyword stands between them."""


@dataclass(frozen=True)
class _Head:
    """The row that heads the columns.

    Attributes:
        fields: of each field that the file has, the column.
        cells: as the file has them.
    """

    delimiter: str
    fields: Mapping[str, int]
    cells: Sequence[str]

    def row(self, cells: Sequence[str], file: Path, line: int) -> Record:
        """Return the fields of a row below it; one that is not there is empty."""
        told = {field: cells[column] for field, column in self.fields.items() if column < len(cells)}
        return Record(dict.fromkeys(_FIELDS, "") | told, file, line)

    def error(self, row: Record, problem: str, field: str, hint: str | None = None) -> DomainError:
        """Return an error about a cell, whose field is called as the file calls it, to be raised."""
        return row.error(problem, self.cells[self.fields[field]] if field in self.fields else field, hint)


def read(path: Path, refused: list[DomainError] | None) -> Bank:
    """Return the formulas of a file."""
    formulas: list[Formula] = []
    lines = _text(path).lstrip("\ufeff").split("\n")
    # above the head may be rows of nothing
    first = next((i for i, line in enumerate(lines) if re.search(r"[^\s,;]", line)), len(lines) - 1)
    head = _head(lines[first])
    if head is None:
        raise _headless(lines[first], path, first + 1)
    for row in _rows(lines, first, head, path):
        try:
            if isinstance(row, DomainError):
                raise row
            formulas.append(_formula(row, head))
        except DomainError as error:
            refuse(error, refused)
    return Bank(formulas, {}, refused)


def _text(path: Path) -> str:
    """Return the text of a file in UTF-8, UTF-16 with its mark, or GB 18030."""
    try:
        return read_text(path)
    except DomainError as error:
        if not isinstance(error.__cause__, UnicodeDecodeError):
            raise
        marked = path.read_bytes()[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        try:
            return path.read_text(encoding="utf-16" if marked else "gb18030")
        except UnicodeDecodeError:
            raise error from None


def _rows(lines: Sequence[str], first: int, head: _Head, path: Path) -> Iterator[Record | DomainError]:
    """Yield the rows below the head that have something in them; an error for each that cannot be read."""
    table = csv.reader([f"{line}\n" for line in lines[first + 1 :]], delimiter=head.delimiter, strict=True)
    while True:
        line = first + table.line_num + 2
        try:
            cells = [cell.strip() for cell in next(table)]
        except StopIteration:
            return
        except csv.Error as error:
            hint = "a cell that begins with a quote ends with one, and has quotes in it twice"
            yield DomainError(f"no row of a table: {error}", file=path, line=line, hint=hint)
            continue
        row = head.row(cells, path, line)
        if any(cells[len(head.cells) :]):
            yield head.error(row, "more cells than heads", "formula", "put a cell with commas in it in double quotes")
        elif any(cells):
            yield row


def _head(line: str) -> _Head | None:
    """Return the head of a table, None where a line is none; the sign between cells is the one that makes it a head."""
    for delimiter in _DELIMITERS:
        try:
            cells = [" ".join(cell.split()) for cell in next(csv.reader([line], delimiter=delimiter), [])]
        except csv.Error:
            continue
        fields: dict[str, int] = {}
        for column, cell in enumerate(cells):
            if field := _HEADS.get(cell.casefold()):
                fields.setdefault(field, column)
        if {"name", "formula"} <= fields.keys():
            return _Head(delimiter, fields, cells)
    return None


def _headless(line: str, path: Path, number: int) -> DomainError:
    """Return the error about a first row that heads no columns of names and formulas."""
    there = [" ".join(cell.strip('"').split()) for cell in re.split(f"[{_DELIMITERS}]", line)]
    known = {_HEADS[cell.casefold()] for cell in there if cell.casefold() in _HEADS}
    field = "formula" if "name" in known else "name"
    near = next((cell for cell in there if did_you_mean(cell, [field])), None)
    hint = f"call {near!r} {field!r}" if near else "the first row is name,formula,kind,says,unit,note,domain"
    return DomainError(f"no column {field!r}", file=path, line=number, field=field, hint=hint)


def _formula(row: Record, head: _Head) -> Formula:
    told: Mapping[str, str] = row.data
    name = " ".join(told["name"].split())
    if not name:
        raise head.error(row, "missing", "name")
    says = [" ".join(one.split()) for one in _BETWEEN.split(told["says"])]
    says = tuple(one for one in dict.fromkeys(says) if one and one != name)
    kind = told["kind"].casefold()
    if kind and kind not in _KINDS:
        hint = did_you_mean(kind, _KINDS) or "kinds are calculation, condition, union; empty, it is guessed"
        raise head.error(row, f"no kind {told['kind']!r}", "kind", hint)
    text = _right_side(plain_cell(told["formula"]), (name, *says))
    if not text:
        raise head.error(row, f"{name!r}: missing", "formula")
    try:
        expression = parse(text, _KINDS.get(kind))
        if not expression.needs and not any(tree.find(exp.Count) for tree in expression.trees):
            raise ExpressionError(f"{text!r} names nothing")
    except ExpressionError as error:
        raise head.error(row, f"{name!r}: {error}", "formula", _hint(text)) from None
    fields = [" ".join(told[field].split()) for field in ("unit", "domain", "note")]
    return Formula(name, says, expression.kind, expression, *fields, file=row.file, line=row.line)


def plain_cell(text: str) -> str:
    """Return a cell with the signs of SQL in place of those of a spreadsheet, names of several words in quotes.

    What is quoted stays.
    """
    parts = _QUOTED.split(text.strip())
    for i, part in enumerate(parts):
        if i % 2 == 0:
            parts[i] = _SEVERAL_WORDS.sub(r'"\g<0>"', part.translate(_SIGNS))
        elif part[0] in _CURLY:
            sign = _CURLY[part[0]]
            parts[i] = f"{sign}{part[1:-1].replace(sign, 2 * sign)}{sign}"
    return "".join(parts).strip()


def _right_side(text: str, names: Sequence[str]) -> str:
    """Return what stands behind «=» or «name =»; a comparison with a constant stays: status = 'open'."""
    left, sign, right = text.partition("=")
    said = " ".join(left.strip().strip('"').split()).casefold()
    if not sign or (said and (said not in {one.casefold() for one in names} or not _NAMES.search(right))):
        return text
    return right.lstrip("= \t\n")


def _hint(text: str) -> str | None:
    """Return what is mostly wrong with what is no expression."""
    if text.startswith("#"):
        return "the spreadsheet took the cell for its own formula; write it there as a text, without ="
    found = _ANY_WORDS.search(" , ".join(_QUOTED.split(text)[::2]))
    return f'put a name of several words in double quotes, as in "{found[0]}"' if found else None
