"""Which files of tables a path, a folder or a pattern names."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from ..errors import DatabaseError
from .csv_table import csv_table
from .excel_tables import excel_tables
from .parquet_table import parquet_table
from .source import SourceTable

__all__ = ["table_files", "tables_of"]

_READERS: Mapping[str, Callable[[Path], list[SourceTable]]] = {
    ".csv": lambda file: [csv_table(file)],
    ".tsv": lambda file: [csv_table(file)],
    ".xlsx": excel_tables,
    ".xlsm": excel_tables,
    ".parquet": lambda file: [parquet_table(file)],
}
_KINDS = "CSV, TSV, .xlsx or .parquet"


def table_files(place: str) -> list[Path] | None:
    """Return the files that a place names, in order; None where it names no such, as a database does.

    Args:
        place: a file by its ending, a folder, or a pattern (``exports/*.csv``). What is called ``…schema.csv`` is the
            text2sql sets' description of a schema (`data.schema.text2sql`), and no table.

    Raises:
        DatabaseError: there is no such file, or none in the folder or of the pattern.
    """
    if "://" in place or place.lower().endswith("schema.csv"):
        return None
    path = Path(place)
    if path.is_dir():
        found = [file for file in sorted(path.iterdir()) if _is_table(file) and file.is_file()]
        if not found:
            raise DatabaseError("no files of tables in this folder", file=path, hint=f"put {_KINDS} files there")
        return found
    if not path.exists() and glob.has_magic(place):
        names = sorted(glob.glob(place, recursive=True))  # noqa: PTH207 - a pattern may be absolute
        found = [file for name in names if _is_table(file := Path(name))]
        if not found:
            raise DatabaseError("no files of tables have such names", file=path, hint=f"give {_KINDS} files")
        return found
    if not _is_table(path):
        return None
    if not path.is_file():
        raise DatabaseError("no such file", file=path, hint="give the path of a file that is there")
    return [path]


def tables_of(file: Path) -> list[SourceTable]:
    """Return the tables of a file.

    Raises:
        DatabaseError: it may not be read.
        InputError: it is broken, or empty.
    """
    if not os.access(file, os.R_OK):
        raise DatabaseError("the file may not be read", file=file, hint="ask its owner for the right to")
    return _READERS[file.suffix.lower()](file)


def _is_table(file: Path) -> bool:
    """Does a file's ending say that it holds tables? Office writes ``~$`` files beside those that are open."""
    return file.suffix.lower() in _READERS and not file.name.startswith(("~$", "."))
