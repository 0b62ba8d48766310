"""The text2sql sets' ``NAME-schema.csv``: a row a column, the header says what its cells are, in any order.

Of the published files (Finegan-Dollak et al. 2018) most have five columns, ``yelp`` a sixth of other information,
and ``advising`` has MySQL's DESCRIBE under a header of five; what is at hand as a row fits decides.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import SchemaError, did_you_mean
from ..records import read_text
from .schema import Column, Schema, Table

__all__ = ["from_text2sql"]

_USUAL = ("Table Name", "Field Name", "Is Primary Key", "Is Foreign Key", "Type")
_DESCRIBE = ("Table", "Field", "Type", "Null", "Key", "Default", "Extra")
_MEANS: Mapping[str, str] = {
    "database name": "database",
    "table name": "table",
    "table": "table",
    "field name": "column",
    "field": "column",
    "column name": "column",
    "column": "column",
    "is primary key": "primary",
    "primary key": "primary",
    "key": "primary",
    "is foreign key": "foreign",
    "foreign key": "foreign",
    "type": "type",
    "data type": "type",
}
_DUE = ("table", "column", "primary", "foreign", "type")
_YES = {"y", "yes", "true", "1", "pri"}
_NOTHING = {"", "-", "n", "no", "null"}
_BEHIND_TYPE = re.compile(r"\s+(NOT\s+NULL|NULL|DEFAULT|AUTO_INCREMENT|PRIMARY\s+KEY|UNIQUE)\b.*", re.IGNORECASE)


@dataclass(frozen=True)
class _DescriptionRow:
    line: int
    cells: Mapping[str, str]

    def column(self) -> Column:
        kind = self.cells.get("type", "")
        return Column(self.cells["column"], "text" if kind.lower() in _NOTHING else _BEHIND_TYPE.sub("", kind))

    def is_key(self) -> bool:
        return self.cells.get("primary", "").lower() in _YES


def from_text2sql(path: str | Path) -> Schema:
    """Read a text2sql ``NAME-schema.csv``; it tells which columns are foreign keys, and not what they refer to.

    Raises:
        SchemaError: the file or a column of it is missing, or a row has too few or too many fields.
    """
    path = Path(path)
    tables: dict[str, list[_DescriptionRow]] = {}
    for row in _rows(read_text(path, SchemaError), path):
        tables.setdefault(row.cells["table"], []).append(row)
    databases = {row.cells["database"] for rows in tables.values() for row in rows if "database" in row.cells}
    if len(databases) > 1:
        problem = f"{len(databases)} databases where one is due"
        raise SchemaError(problem, file=path, field="Database name", hint="leave the rows of one database")
    if not tables:
        raise SchemaError("no tables", file=path)
    read = (
        Table(name, tuple(r.column() for r in rows), tuple(r.cells["column"] for r in rows if r.is_key()))
        for name, rows in tables.items()
    )
    return Schema(tuple(read), path.stem.removesuffix("-schema"))


def _rows(text: str, path: Path) -> Iterator[_DescriptionRow]:
    header = _USUAL
    for number, (line, cells) in enumerate(_lines(text)):
        if number == 0 and sum(cell.lower() in _MEANS for cell in cells) > 1:
            header = tuple(cells)
            _check(header, path, line)
        elif set(cells) - {"-", ""}:  # dashes stand between tables
            yield _DescriptionRow(line, _cells(header, cells, path, line))


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(text.split("\n"), skipinitialspace=True)
    for row in reader:
        cells: list[str] = []
        for cell in row:
            if cells and cells[-1].count("(") > cells[-1].count(")"):  # float(3,2) without quotes
                cells[-1] += f",{cell.strip()}"
            else:
                cells.append(cell.strip())
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield reader.line_num, cells


def _check(header: tuple[str, ...], path: Path, line: int) -> None:
    for name in _USUAL[:2]:
        if _MEANS[name.lower()] not in {_MEANS.get(h.lower()) for h in header}:
            hint = did_you_mean(name, header) or f"write {', '.join(_USUAL)}"
            raise SchemaError("no such column of the file", file=path, line=line, field=name, hint=hint)


def _cells(header: tuple[str, ...], cells: list[str], path: Path, line: int) -> dict[str, str]:
    """Return what the cells of a row say, by what their columns mean."""
    if len(cells) in (6, 7) and len(header) == len(_USUAL) and cells[3].upper() in {"YES", "NO"}:
        header = _DESCRIBE
    means = [_MEANS.get(name.lower(), "") for name in header]
    due = max(i for i, meaning in enumerate(means, start=1) if meaning in _DUE)
    if not due <= len(cells) <= len(header):
        problem = f"{len(cells)} fields where {len(header)} are due"
        raise SchemaError(problem, file=path, line=line, hint=f"write {', '.join(header)}")
    named = {meaning: cell for meaning, cell in zip(means, cells, strict=False) if meaning}
    for meaning in ("table", "column"):
        if not named[meaning]:
            raise SchemaError("nothing in it", file=path, line=line, field=header[means.index(meaning)])
    return named
