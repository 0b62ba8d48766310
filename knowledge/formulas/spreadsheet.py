"""Reads CSV and TSV files from a spreadsheet, with a formula in each row below the headings.

    name,formula,kind,says,unit,note,domain
    margin,SUM(revenue - cost) / SUM(revenue),,毛利率; gross margin,ratio,,shop
    名称,公式,类型,别名,单位,备注,领域

Name and formula are enough, and columns with other headings are ignored. A name of several words needs no quotes («unit
cost - discount»); one with a sign or a keyword of SQL («profit and loss») needs double quotes.
"""

import codecs
import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sqlglot import exp

from ...data.errors import DomainError, did_you_mean
from ...data.files.csv_table import separator_of
from ...data.records import Record, read_text
from .bank import Bank, Formula, refuse
from .expression import ExpressionError, Kind, parse

_FIELDS = ("name", "formula", "kind", "says", "unit", "note", "domain")
_HEADS = {
    **{field: field for field in _FIELDS},
    **{"名称": "name", "公式": "formula", "类型": "kind", "别名": "says"},
    **{"单位": "unit", "备注": "note", "领域": "domain"},
    **{"is": "formula", "type": "kind", "synonyms": "says", "aliases": "says", "description": "note"},
}
"""The field of each heading, in lower case."""

_KINDS: Mapping[str, Kind] = {
    **{"calculation": "calculation", "condition": "condition", "union": "union"},
    **{"计算": "calculation", "条件": "condition", "并集": "union"},
}
_BETWEEN = re.compile(r"[;|；｜\n]")
"""Separates aliases."""

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
"""Finds a name of several words, which cannot be SQL as there is no keyword between them."""


def read(path: Path, refused: list[DomainError] | None) -> Bank:
    """Return the formulas of a file."""
    formulas: list[Formula] = []
    for row in _rows(_text(path).lstrip("\ufeff").split("\n"), path, refused):
        try:
            formulas.append(_formula(row))
        except DomainError as error:
            refuse(error, refused)
    return Bank(formulas, {}, refused)


def _text(path: Path) -> str:
    """Return the text of a file in UTF-8, UTF-16 with a byte order mark, or GB 18030."""
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


def _rows(lines: Sequence[str], path: Path, refused: list[DomainError] | None) -> Iterator[Record]:
    """Yield the fields of each row below the headings that is not empty, and `refuse` those that cannot be read."""
    filled = [line for line in lines if re.search(r"[^\s,;]", line)]
    table = csv.reader((f"{line}\n" for line in lines), delimiter=separator_of(filled), strict=True)
    heads, width = dict[str, int](), 0
    while True:
        line = table.line_num + 1
        try:
            cells = [cell.strip() for cell in next(table)]
        except StopIteration:
            break
        except csv.Error as error:
            hint = "a cell that begins with a quote ends with one, and has quotes in it twice"
            refuse(DomainError(f"no row of a table: {error}", file=path, line=line, hint=hint), refused)
            continue
        if not re.search(r"[^,;]", "".join(cells)):
            continue
        if not heads:
            heads, width = _heads(cells, path, line), len(cells)
            continue
        filled_in = {field: cells[column] for field, column in heads.items() if column < len(cells)}
        row = Record(dict.fromkeys(_FIELDS, "") | filled_in, path, line)
        if any(cells[width:]):
            hint = "put a cell with commas in it in double quotes"
            refuse(row.error("more cells than heads", "formula", hint), refused)
        else:
            yield row
    if not heads:
        raise DomainError("no column 'name'", file=path, line=1, field="name", hint=f"begin with {','.join(_FIELDS)}")


def _heads(cells: Sequence[str], path: Path, line: int) -> dict[str, int]:
    """Return the column of each field of a table.

    Raises:
        DomainError: there is no column of names, or none of formulas.
    """
    heads = dict[str, int]()
    for column, cell in enumerate(cells):
        if field := _HEADS.get(" ".join(cell.split()).casefold()):
            heads.setdefault(field, column)
    if missing := next((field for field in ("name", "formula") if field not in heads), None):
        hint = did_you_mean(missing, cells) or f"the first row is {','.join(_FIELDS)}"
        raise DomainError(f"no column {missing!r}", file=path, line=line, field=missing, hint=hint)
    return heads


def _formula(row: Record) -> Formula:
    fields: Mapping[str, str] = row.data
    name = " ".join(fields["name"].split())
    if not name:
        raise row.error("missing", "name")
    says = [" ".join(one.split()) for one in _BETWEEN.split(fields["says"])]
    says = tuple(one for one in dict.fromkeys(says) if one and one != name)
    kind = fields["kind"].casefold()
    if kind and kind not in _KINDS:
        hint = did_you_mean(kind, _KINDS) or "kinds are calculation, condition, union; empty, it is guessed"
        raise row.error(f"no kind {fields['kind']!r}", "kind", hint)
    text = _right_side(plain_cell(fields["formula"]), (name, *says))
    if not text:
        raise row.error(f"{name!r}: missing", "formula")
    try:
        expression = parse(text, _KINDS.get(kind))
        if not expression.needs and not any(tree.find(exp.Count) for tree in expression.trees):
            raise ExpressionError(f"{text!r} names nothing")
    except ExpressionError as error:
        raise row.error(f"{name!r}: {error}", "formula", _hint(text)) from None
    more = [" ".join(fields[field].split()) for field in ("unit", "domain", "note")]
    return Formula(name, says, expression.kind, expression, *more, file=row.file, line=row.line)


def plain_cell(text: str) -> str:
    """Return a cell as SQL: with its signs in place of those of spreadsheets, and quotes around names of several words.

    Quoted texts and names are not changed.
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
    """Return the text after «=» or «name =»; a comparison with a constant is not changed: status = 'open'."""
    left, sign, right = text.partition("=")
    name = " ".join(left.strip().strip('"').split()).casefold()
    if not sign or (name and (name not in {one.casefold() for one in names} or not _NAMES.search(right))):
        return text
    return right.lstrip("= \t\n")


def _hint(text: str) -> str | None:
    """Return the most likely mistake in a text that is no expression."""
    if text.startswith("#"):
        return "the spreadsheet took the cell for its own formula; write it there as a text, without ="
    found = _ANY_WORDS.search(" , ".join(_QUOTED.split(text)[::2]))
    return f'put a name of several words in double quotes, as in "{found[0]}"' if found else None
