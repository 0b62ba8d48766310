"""The cells of a database, column by column."""

import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ...data.databases.database import Database
from ...data.databases.row_counts import LARGE, counted
from ...data.errors import DatabaseError, TimeLimitError
from ...data.schema.schema import Column, Schema, Table, as_text, labels_of
from ...meaning.cell_sample import CellSample
from ...meaning.samples import sample_table

_UNIQUE, _LONG, _MOSTLY = 0.98, 30, 0.9


def _are_verbatim(sample: CellSample) -> bool:
    """Return whether the texts of a large table's column are nearly unique, and long or codes.

    Such are notes, e-mail addresses, and numbers of orders: a question has one of them exactly or not at all, and an
    index of their words would be larger than the column. Names are misspelled and shortened.
    """
    texts = sample.texts
    if sum(texts.values()) < sample.rows * _MOSTLY or len(texts) < _UNIQUE * sum(texts.values()):
        return False
    codes = sum("@" in text or any(map(str.isdecimal, text)) for text in texts)
    return sum(map(len, texts)) > _LONG * len(texts) or codes > _MOSTLY * len(texts)


LONGEST = 120
"""The length of the longest cell that is kept, in characters."""

SAMPLES = 32
"""The most frequent cells that are kept of every column, numbers too."""

_SAMPLE = 5_000
"""Rows of a large table by which its columns are judged: as good as unique is what has a hundred thousand cells."""

_VIEW_SECONDS = 20.0
"""How long the columns of one view may take together."""

_NUMERIC = re.compile(r"int|num|dec|real|doub|float|bool|bit|serial|money|date|time|year|blob|binary|bytea|json", re.I)
_UNGROUPED = re.compile(r"json$|xml|point|line|lseg|polygon|^box$|circle|path|geometry|geography", re.I)
"""Types of servers whose cells are not compared."""

_TOO_BIG = "string or blob too big"  # the message of SQLite for a value above the connection's limit
_UNCOMPARED = re.compile(r"could not identify an (?:equality|ordering) operator", re.I)
"""The message of PostgreSQL for types without such an operator."""


@dataclass(frozen=True)
class ColumnCells:
    """The cells of one column.

    Attributes:
        cells: every different cell that a question could name, with its count, the most frequent first.
        samples: the most frequent cells of any type, as text.
        synonyms: other names of cells, with the cell and their frequency.
        distinct: number of different cells of any type, NULL left out; 0 if they were not all read.
        skipped: number of different texts too long to keep.
        problem: why its cells cannot be read, empty where they can.
        verbatim: whether questions have its cells exactly or not at all, so that neither words nor typos are indexed.
    """

    table: str
    column: str
    cells: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    samples: list[str] = field(default_factory=list[str])
    synonyms: list[tuple[str, str, int]] = field(default_factory=list[tuple[str, str, int]])
    distinct: int = 0
    skipped: int = 0
    problem: str = ""
    verbatim: bool = False


def is_text(column: Column) -> bool:
    """Is the column declared to hold texts, so that even its numbers are written in quotes?"""
    kind = as_text(column.type).lower()
    return not _NUMERIC.search(kind) or "char" in kind or "text" in kind


def read_columns(database: Database, schema: Schema, *, sampled: bool = False) -> Iterator[ColumnCells]:
    """Read every column of a schema, one column in memory at a time.

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
            yield ColumnCells(table.name, column.name)
            continue
        sample = samples.get(column.name)
        if sample is not None and sampled:
            yield _sampled(sample)
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
    """Return whether a table is large; views and unreadable tables are not.

    Raises:
        DatabaseError: the database is gone or locked, or the table takes too long.
    """
    try:
        return not table.behind and counted(database, table) > LARGE
    except DatabaseError:
        database.schema_state()  # fails where the database does, and not the table
        return False


def _sampled(sample: CellSample) -> ColumnCells:
    """Return the cells of a column that are in a sample."""
    place = (sample.table.name, sample.column.name)
    if not (is_text(sample.column) or sample.texts):
        most = sorted(sample.counts.items(), key=lambda one: (-one[1], str(one[0])))[:SAMPLES]
        frequent = [written for cell, _ in most if (written := _written(cell)) is not None]
        return ColumnCells(*place, samples=frequent, distinct=min(len(sample.counts), SAMPLES + 1))
    texts = sorted(sample.texts.items(), key=lambda one: (-one[1], one[0]))
    cells = [(text, count) for text, count in texts if len(text) <= LONGEST]
    return ColumnCells(*place, cells, [text for text, _ in cells[:SAMPLES]], distinct=len(texts))


def _read(database: Database, table: Table, column: Column, sample: CellSample | None) -> ColumnCells:
    """Return the cells of a column; the most frequent ones that are no texts come from a sample, if there is one."""
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
    verbatim = sample is not None and _are_verbatim(sample)
    read = _counts(database, cell, wanted, unique=verbatim) if text or sqlite else []
    cells = [(str(value), count) for value, count in read]
    held = {value for value, _ in cells}
    cells += [(label, 0) for label in labels_of(column.type) if label not in held and len(label) <= LONGEST]
    if text:
        longer = f"SELECT COUNT(DISTINCT {cell}) {counted} AND {_length(cell, sqlite)} > {LONGEST}"
        skipped = int(database.fetch(longer).rows[0][0])
        samples = [value for value, _ in cells[:SAMPLES]]
        return ColumnCells(table.name, column.name, cells, samples, [], len(cells), skipped, verbatim=verbatim)
    if sample is not None:
        return replace(_sampled(sample), cells=cells, verbatim=verbatim)
    frequent = _counts(database, cell, counted, f" LIMIT {SAMPLES + 1}")
    samples = [written for value, _ in frequent[:SAMPLES] if (written := _written(value)) is not None]
    return ColumnCells(table.name, column.name, cells, samples, distinct=len(frequent))


def _counts(
    database: Database, cell: str, source: str, limit: str = "", *, unique: bool = False
) -> list[tuple[Any, int]]:
    """Return cells, the most frequent first, as far as they have less than 100 MB.

    The order of equal counts is the cells' own, so that the same database makes the same index. Cells that are as good
    as unique are neither counted nor sorted, which would take long.
    """
    if unique:
        return [(row[0], 1) for row in database.fetch(f"SELECT {cell} {source}").rows]
    sql = f"SELECT {cell}, COUNT(*) {source} GROUP BY {cell} ORDER BY COUNT(*) DESC, {cell}{limit}"
    return [(row[0], int(row[1])) for row in database.fetch(sql).rows]


def _written(value: Any) -> str | None:
    """Return a sample as text, None for bytes."""
    return None if isinstance(value, bytes | bytearray | memoryview) else str(value)


def _length(cell: str, sqlite: bool) -> str:
    return f"LENGTH({cell})" if sqlite else f"CHAR_LENGTH(CAST({cell} AS CHAR({LONGEST + 1})))"
