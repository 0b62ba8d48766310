"""The cells of a database, column by column; and columns that the index leaves out, looked up in the database."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...data.databases.database import Database
from ...data.databases.row_counts import LARGE, counted, text_literal
from ...data.errors import DatabaseError, TimeLimitError
from ...data.schema.enumerations import as_text, labels_of
from ...data.schema.schema import Column, Schema, Table
from ...meaning.cell_sample import CellSample
from ...meaning.samples import sample_table

__all__ = ["SAMPLES", "ColumnCells", "Place", "SpotLookup", "is_long_to_read", "is_text", "may_hold", "read_columns"]

Place = tuple[str, str]
"""(table, column)."""

_UNIQUE, _LONG, _MOSTLY = 0.98, 30, 0.9

_SECONDS, _GLANCE = 2.0, 0.1
"""How long the lookups of one question may take together, and one that an index of the column may answer at once."""

_SAME_QUESTION = 5.0
"""For how long the same texts are not looked up again: reading one question asks for them several times."""

_MOST = 20


def is_unspoken(sample: CellSample) -> bool:
    """Say whether the texts of a large table's column are as good as unique, and long or codes.

    Such are notes, e-mail addresses, and numbers of orders: an index of them is as large as the column, and a question
    says one of them to the letter or not at all. Names stay in the index, since people misspell and shorten them.
    """
    texts = sample.texts
    if sum(texts.values()) < sample.rows * _MOSTLY or len(texts) < _UNIQUE * sum(texts.values()):
        return False
    codes = sum(not signs_of(text).isdisjoint("0@") for text in texts)
    return sum(map(len, texts)) > _LONG * len(texts) or codes > _MOSTLY * len(texts)


def signs_of(text: str) -> frozenset[str]:
    """Return what a text has beside letters: ``0`` for any digit, all other signs as they are."""
    return frozenset("0" if sign.isdecimal() else sign for sign in text if not sign.isalpha())


def shape_of(texts: Collection[str]) -> str:
    """Return what all texts of a column have in common: half of the least length, a blank, and their signs.

    >>> shape_of(["ann@example.org", "bob@example.com"])
    '7 .@'
    """
    shared = frozenset[str].intersection(*map(signs_of, texts)) if texts else ()
    return f"{min(map(len, texts), default=0) // 2} {''.join(sorted(shared))}"


def may_hold(shape: str, text: str) -> bool:
    """Say whether a column of a shape may hold a text."""
    least, _, signs = shape.partition(" ")
    return len(text) >= int(least) and signs_of(text) >= set(signs)


class SpotLookup:
    """Looks texts up in the columns of a database.

    Args:
        database: a SQLite file or a URL; opened for each lookup, so that any thread may ask.
        schema: whose columns are looked into.

    Attributes:
        late: columns that were not searched to their end in the time there was, since somebody last emptied it.
    """

    def __init__(self, database: str | Path, schema: Schema) -> None:
        self._database = database
        self._schema = schema
        self._last: tuple[float, object, list[tuple[Place, str]]] = (0.0, None, [])
        self.late: dict[Place, None] = {}

    def find(self, wanted: Mapping[Place, Collection[str]]) -> list[tuple[Place, str]]:
        """Return each cell that is one of the texts wanted of its column, but for case, with its column.

        A column with an index of its own is asked for the texts in the usual cases; then all are searched for those
        not found. What takes more than two seconds together is left, and kept in `late`.

        Raises:
            DatabaseError: the database cannot be opened.
        """
        left = {place: set(texts) for place, texts in wanted.items() if texts}
        if not left:
            return []
        begun, asked = time.monotonic(), str(sorted((place, sorted(texts)) for place, texts in left.items()))
        if self._last[1] != asked or begun > self._last[0] + _SAME_QUESTION:
            self._last = begun, asked, list(self._found(left, begun + _SECONDS))
        return self._last[2]

    def _found(self, left: Mapping[Place, set[str]], end: float) -> Iterator[tuple[Place, str]]:
        with Database.open(self._database, timeout=_SECONDS / 2, max_rows=_MOST) as database:
            for folded in (False, True):
                for place, texts in left.items():
                    seconds = end - time.monotonic()
                    database.timeout = seconds if folded else min(_GLANCE, seconds)
                    try:
                        cells = self._cells(database, place, texts, folded=folded) if texts and seconds > 0 else []
                    except DatabaseError as error:  # a type that is not compared with texts holds none
                        cells, seconds = [], 0.0 if isinstance(error, TimeLimitError) else seconds
                    if folded and texts and seconds <= 0:
                        self.late[place] = None
                    yield from ((place, cell) for cell in cells)
                    there = {cell.casefold() for cell in cells}
                    texts.difference_update([text for text in texts if text.casefold() in there])

    def _cells(self, database: Database, place: Place, texts: Collection[str], *, folded: bool) -> list[str]:
        table = self._schema.table(place[0])
        source, dialect = database.source(table), database.dialect
        cell = f"{source}.{database.quote(place[1])}"
        if folded:
            compared = {"sqlite": f"{cell} COLLATE NOCASE", "postgres": f"LOWER(CAST({cell} AS TEXT))"}.get(
                dialect, cell
            )
            forms = {text.lower() for text in texts}
        else:
            compared, forms = cell, {form for t in texts for form in (t, t.lower(), t.upper(), t.title())}
        listed = ", ".join(text_literal(form, dialect) for form in sorted(forms))
        sql = f"SELECT DISTINCT {cell} FROM {source} WHERE {compared} IN ({listed}) LIMIT {_MOST}"
        return [str(row[0]) for row in database.fetch(sql).rows]


LONGEST = 120
"""Characters of the longest cell that is kept: nobody says a longer one."""

SAMPLES = 32
"""The most frequent cells that are kept of every column, numbers too."""

_SAMPLE = 5_000
"""Rows of a large table by which its columns are judged: as good as unique is what has a hundred thousand cells."""

_VIEW_SECONDS = 20.0
"""How long the columns of one view may take together."""

_NUMERIC = re.compile(r"int|num|dec|real|doub|float|bool|bit|serial|money|date|time|year|blob|binary|bytea|json", re.I)
_UNGROUPED = re.compile(r"json$|xml|point|line|lseg|polygon|^box$|circle|path|geometry|geography", re.I)
"""Types of servers whose cells are not compared."""

_TOO_BIG = "string or blob too big"  # what SQLite says of a value above the connection's limit
_UNCOMPARED = re.compile(r"could not identify an (?:equality|ordering) operator", re.I)
"""What PostgreSQL says of types that people have made without."""


@dataclass(frozen=True)
class ColumnCells:
    """What one column holds.

    Attributes:
        cells: every different cell that a question could name, with its count, the most frequent first.
        samples: the most frequent cells of any type, as text.
        said: what people call cells, with the cell and how often they do.
        distinct: number of different cells of any type, NULL left out; 0 if they were not all read.
        skipped: number of different texts too long to keep.
        problem: why its cells cannot be read, empty where they can.
        shape: of a column whose cells are not all here, what they look like (`shape_of`): it is to be asked itself.
    """

    table: str
    column: str
    cells: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    samples: list[str] = field(default_factory=list[str])
    said: list[tuple[str, str, int]] = field(default_factory=list[tuple[str, str, int]])
    distinct: int = 0
    skipped: int = 0
    problem: str = ""
    shape: str | None = None


def is_text(column: Column) -> bool:
    """Is the column declared to hold texts, so that even its numbers are written in quotes?"""
    kind = as_text(column.type).lower()
    return not _NUMERIC.search(kind) or "char" in kind or "text" in kind


def read_columns(database: Database, schema: Schema, *, sampled: bool = False) -> Iterator[ColumnCells]:
    """Read every column of a schema, one column in memory at a time; of large tables none of texts nearly unique.

    A view whose query takes long is read no further, since it runs anew for each column, and neither is a table that
    another session has locked; a column that fails on some row shows no cells.

    Args:
        sampled: of large tables some rows alone, whatever the column; of views none.

    Raises:
        DatabaseError: the database is gone or locked.
    """
    for table in schema.tables:
        yield from _read_table(database, table, sampled)


def _read_table(database: Database, table: Table, sampled: bool) -> Iterator[ColumnCells]:
    known = database.found.late.get(table.name)
    late = "" if known is None else known.problem.removeprefix(f"{database.name}: ")
    large = known is None and is_long_to_read(database, table)
    samples = sample_table(database, table, rows=_SAMPLE).cells if large else {}
    patience, until = database.timeout, time.monotonic() + _VIEW_SECONDS
    for column in table.columns:
        if table.behind and time.monotonic() > until:
            late = late or f"its columns take longer than {_VIEW_SECONDS:g} s"
        if late:
            yield ColumnCells(table.name, column.name, problem=late)
            continue
        if sampled and table.behind:  # its query may take long
            yield ColumnCells(table.name, column.name, shape=shape_of(()) if is_text(column) else None)
            continue
        sample = samples.get(column.name)
        if sample is not None and (sampled or is_unspoken(sample)):
            yield _sampled(sample, held=sampled)
            continue
        if table.behind:
            database.timeout = max(1.0, math.ceil(until - time.monotonic()))
        try:
            yield _read(database, table, column, sample)
        except DatabaseError as error:
            database.schema_state()  # fails where the database does, and not the column
            big = _TOO_BIG in error.problem
            known = big or _UNCOMPARED.search(error.problem)
            problem = "" if known else error.problem.removeprefix(f"{database.name}: ")
            late = problem if isinstance(error, TimeLimitError) else ""
            yield ColumnCells(table.name, column.name, skipped=int(big), problem=problem)
        finally:
            database.timeout = patience


def is_long_to_read(database: Database, table: Table) -> bool:
    """Say whether a table is large; a view is not, and neither is what cannot be read: its columns tell that.

    Raises:
        DatabaseError: the database is gone or locked, or the table takes too long.
    """
    try:
        return not table.behind and counted(database, table) > LARGE
    except DatabaseError:
        database.schema_state()  # fails where the database does, and not the table
        return False


def _sampled(sample: CellSample, *, held: bool) -> ColumnCells:
    """Return what a sample shows of a column; one of texts is to be asked itself, even where those seen are held."""
    place = (sample.table.name, sample.column.name)
    if not (is_text(sample.column) or sample.texts):
        most = sorted(sample.counts.items(), key=lambda one: (-one[1], str(one[0])))[:SAMPLES]
        frequent = [written for cell, _ in most if (written := _written(cell)) is not None]
        return ColumnCells(*place, samples=frequent, distinct=min(len(sample.counts), SAMPLES + 1))
    texts = sorted(sample.texts.items(), key=lambda one: (-one[1], one[0]))
    cells = [(text, count) for text, count in texts if len(text) <= LONGEST]
    shown = [text for text, _ in cells[:SAMPLES]]
    return ColumnCells(*place, cells if held else [], shown, distinct=len(texts), shape=shape_of(sample.texts))


def _read(database: Database, table: Table, column: Column, sample: CellSample | None) -> ColumnCells:
    """Return what a column holds; the most frequent cells that are no texts are those of a sample, if there is one."""
    sqlite = database.dialect == "sqlite"
    if not sqlite and _UNGROUPED.search(column.type):
        return ColumnCells(table.name, column.name)
    text = is_text(column)
    source = database.source(table)
    cell = f"{source}.{database.quote(column.name)}"
    counted = f"FROM {source} WHERE {cell} IS NOT NULL"
    short = f"{counted} AND {_length(cell, sqlite)} <= {LONGEST}"
    if sqlite:
        # any column of SQLite may hold texts
        kinds = "'text', 'integer', 'real'" if text else "'text'"
        wanted = f"{short} AND TYPEOF({cell}) IN ({kinds})"
    else:
        wanted = short
    read, cut = _counts(database, cell, wanted) if text or sqlite else ([], False)
    cells = [(str(value), count) for value, count in read]
    shape = shape_of([value for value, _ in cells[-_SAMPLE:]]) if cut else None
    held = {value for value, _ in cells}
    cells += [(label, 0) for label in labels_of(column.type) if label not in held and len(label) <= LONGEST]
    if text:
        longer = f"SELECT COUNT(DISTINCT {cell}) {counted} AND {_length(cell, sqlite)} > {LONGEST}"
        skipped = int(database.fetch(longer).rows[0][0])
        samples = [value for value, _ in cells[:SAMPLES]]
        return ColumnCells(table.name, column.name, cells, samples, [], len(cells), skipped, shape=shape)
    if sample is not None:
        return replace(_sampled(sample, held=False), cells=cells, shape=shape)
    frequent, _ = _counts(database, cell, counted, f" LIMIT {SAMPLES + 1}")
    samples = [written for value, _ in frequent[:SAMPLES] if (written := _written(value)) is not None]
    return ColumnCells(table.name, column.name, cells, samples, distinct=len(frequent))


def _counts(database: Database, cell: str, source: str, limit: str = "") -> tuple[list[tuple[Any, int]], bool]:
    """Return cells, the most frequent first, and whether there are more than are fetched: they may have 100 MB.

    The order of equal counts is the cells' own, so that the same database makes the same index.
    """
    sql = f"SELECT {cell}, COUNT(*) {source} GROUP BY {cell} ORDER BY COUNT(*) DESC, {cell}{limit}"
    found = database.fetch(sql)
    return [(row[0], int(row[1])) for row in found.rows], found.truncated


def _written(value: Any) -> str | None:
    """Return a sample as text; bytes are nothing to show."""
    return None if isinstance(value, bytes | bytearray | memoryview) else str(value)


def _length(cell: str, sqlite: bool) -> str:
    return f"LENGTH({cell})" if sqlite else f"CHAR_LENGTH(CAST({cell} AS CHAR({LONGEST + 1})))"
