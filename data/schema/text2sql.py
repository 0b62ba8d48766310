"""The text2sql sets' ``NAME-schema.csv`` (Finegan-Dollak et al. 2018), a row a column; its header names the cells."""

import csv
import re
from collections import defaultdict
from pathlib import Path

from ..errors import SchemaError, did_you_mean
from ..records import read_text
from .schema import Column, Schema, Table

_TABLE, _COLUMN, _KEY, _TYPE = _USUAL = ("Table Name", "Field Name", "Is Primary Key", "Type")
_COMMA_IN_TYPE = re.compile(r"(\(\d+),\s*(?=\d+\))")
_BEHIND_TYPE = re.compile(r"\s+(NOT\s+NULL|NULL|DEFAULT|AUTO_INCREMENT|PRIMARY\s+KEY|UNIQUE)\b.*", re.IGNORECASE)


def from_text2sql(path: str | Path) -> Schema:
    """Read a text2sql ``NAME-schema.csv``; it has the foreign keys without the columns that they refer to.

    Raises:
        SchemaError: the file or a column of it is missing, or a row has too few fields.
    """
    path = Path(path)
    lines = [_COMMA_IN_TYPE.sub(r"\1;", line) for line in read_text(path, SchemaError).split("\n")]  # float(3,2)
    reader = csv.DictReader(lines, skipinitialspace=True, restval="")
    header = [name.strip() for name in reader.fieldnames or ()]
    reader.fieldnames = header
    for name in _USUAL:
        if name not in header:
            hint = did_you_mean(name, header) or f"write {', '.join(_USUAL)}"
            raise SchemaError("no such column of the file", file=path, line=1, field=name, hint=hint)
    columns, keys = defaultdict[str, list[Column]](list), defaultdict[str, list[str]](list)
    for row in reader:
        cells = {name: row[name].strip() for name in _USUAL}
        if {*cells.values()} <= {"", "-"}:  # dashes stand between tables
            continue
        for name in (name for name in _USUAL if not cells[name]):
            hint = f"write {', '.join(header)}"
            raise SchemaError("nothing in it", file=path, line=reader.line_num, field=name, hint=hint)
        kind = _BEHIND_TYPE.sub("", cells[_TYPE].replace(";", ","))
        columns[cells[_TABLE]].append(Column(cells[_COLUMN], kind))
        if cells[_KEY].lower() in {"y", "yes", "pri"}:
            keys[cells[_TABLE]].append(cells[_COLUMN])
    if not columns:
        raise SchemaError("no tables", file=path)
    tables = (Table(name, tuple(found), tuple(keys[name])) for name, found in columns.items())
    return Schema(tuple(tables), path.stem.removesuffix("-schema"))
