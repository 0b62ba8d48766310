"""Tables of made-up rows, and the SQLite file that declares and holds them."""

from __future__ import annotations

import datetime
import random
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Cell", "FilledTable", "drawn_day", "write_tables"]

Cell = int | float | str | None


@dataclass(frozen=True)
class FilledTable:
    """A table with its rows.

    Attributes:
        columns: the cells of each by its name, the primary key first.
        references: the table, and its key, that a column refers to.
    """

    name: str
    columns: Mapping[str, Sequence[Cell]]
    references: Mapping[str, tuple[str, str]]

    def ddl(self) -> str:
        """Return what makes it, each column of the type of its cells."""
        lines = [f'"{name}" {_type(cells)}' for name, cells in self.columns.items()]
        lines[0] += " PRIMARY KEY"
        for name, (other, key) in self.references.items():
            lines.append(f'FOREIGN KEY ("{name}") REFERENCES "{other}" ("{key}")')
        return f'CREATE TABLE "{self.name}" (\n  ' + ",\n  ".join(lines) + "\n)"


def write_tables(path: Path, tables: Iterable[FilledTable]) -> None:
    """Write a database, those tables first that others refer to; what lay at the path is written over."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA synchronous = OFF")  # of a crash it is written anew
        for table in tables:
            database.execute(table.ddl())
            into = f'INSERT INTO "{table.name}" VALUES ({", ".join("?" * len(table.columns))})'
            database.executemany(into, zip(*table.columns.values(), strict=True))
        database.commit()


def drawn_day(years: Sequence[int], rng: random.Random) -> datetime.date:
    """Draw a day between two years, both included."""
    first, last = datetime.date(years[0], 1, 1), datetime.date(years[1], 12, 31)
    return datetime.date.fromordinal(rng.randint(first.toordinal(), last.toordinal()))


def _type(cells: Sequence[Cell]) -> str:
    there = [cell for cell in cells if cell is not None]
    if all(isinstance(cell, int) for cell in there):
        return "INTEGER"
    if all(isinstance(cell, int | float) for cell in there):
        return "REAL"
    if all(isinstance(cell, str) and cell[4:5] == cell[7:8] == "-" and cell[:4].isdigit() for cell in there):
        return "DATE" if len(str(there[0])) == 10 else "DATETIME"
    return "TEXT"
