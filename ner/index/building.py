"""Writing an index: every cell under its key, its words, and what each column holds most."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from ...data.errors import RunError
from .cells import ColumnCells
from .keys import key_of, near_enough, terms_of, words_of

__all__ = ["FORMAT", "NEAR_PARTS", "READABLE", "near_piece", "write_index"]

FORMAT = "5"
READABLE = ("3", "4", FORMAT)
"""The first has no indexes for typos, both leave no column out: read beside older networks; caches are built anew."""

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE place (
    id INTEGER PRIMARY KEY, "table" TEXT, "column" TEXT, cells INTEGER, skipped INTEGER, problem TEXT, shape TEXT
);
CREATE TABLE sample (place INTEGER, rank INTEGER, value TEXT, PRIMARY KEY (place, rank)) WITHOUT ROWID;
CREATE TABLE cell (
    id INTEGER PRIMARY KEY, key TEXT, terms TEXT, value TEXT, place INTEGER, count INTEGER, near INTEGER
);
"""

NEAR_PARTS = 4
"""Parts of a key: one typo stands in one of them, so all candidates share the others, which few keys do."""


def near_piece(part: int) -> str:
    """Return the expression for a key without one of its `NEAR_PARTS`."""
    head, tail = f"LENGTH(key) * {part} / {NEAR_PARTS}", f"LENGTH(key) * {part + 1} / {NEAR_PARTS} + 1"
    return f"SUBSTR(key, 1, {head}) || ' ' || SUBSTR(key, {tail})"


# fts5vocab counts by walking through a word's cells, so its counts are kept.
_INDEXES = """
CREATE INDEX cell_key ON cell (key);
CREATE VIRTUAL TABLE word USING fts5 (terms, content = '', tokenize = "unicode61 remove_diacritics 0");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (word, row);
INSERT INTO word (rowid, terms) SELECT MIN(id), terms FROM cell GROUP BY terms;
INSERT INTO word (word) VALUES ('optimize');
CREATE TABLE term (term TEXT PRIMARY KEY, cells INTEGER) WITHOUT ROWID;
INSERT INTO term SELECT term, doc FROM vocabulary;
DROP TABLE vocabulary;
"""


def write_index(path: Path, fingerprint: str, columns: Iterable[ColumnCells]) -> None:
    """Write a new index file at ``path``; an error leaves a part of it there, which the caller removes.

    Raises:
        RunError: it cannot be written, on a full disk, say.
    """
    try:
        _write(path, fingerprint, columns)
    except sqlite3.Error as error:
        hint = "make room there, or set QUERENT_CACHE to another folder"
        raise RunError(f"the value index cannot be written: {error}", file=path.parent, hint=hint) from error


def _write(path: Path, fingerprint: str, columns: Iterable[ColumnCells]) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as index:
        index.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {_TABLES} BEGIN;")
        longest = 1
        for place, column in enumerate(columns):
            longest = max(longest, _write_column(index, place, column))
        index.executescript(_INDEXES)  # it commits first
        for part in range(NEAR_PARTS):
            index.execute(f"CREATE INDEX cell_near_{part} ON cell (LENGTH(key), {near_piece(part)}) WHERE near")
        told = {"format": FORMAT, "fingerprint": fingerprint, "longest": str(longest)}
        index.executemany("INSERT INTO meta VALUES (?, ?)", told.items())


def _write_column(index: sqlite3.Connection, place: int, column: ColumnCells) -> int:
    """Return the number of words of the longest cell."""
    index.execute(
        "INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?)",
        [place, column.table, column.column, column.distinct, column.skipped, column.problem, column.shape],
    )
    index.executemany(
        "INSERT INTO sample VALUES (?, ?, ?)", [(place, rank, value) for rank, value in enumerate(column.samples)]
    )
    longest = 0

    def rows() -> Iterator[tuple[str, str, str, int, int, bool]]:
        nonlocal longest
        for text, value, count in (*((value, value, count) for value, count in column.cells), *column.said):
            if words := words_of(text):
                longest = max(longest, len(words))
                key = key_of(words)
                terms = words if key.isascii() else terms_of(words)
                yield key, " ".join(terms), value, place, count, near_enough(key)

    index.executemany("INSERT INTO cell (key, terms, value, place, count, near) VALUES (?, ?, ?, ?, ?, ?)", rows())
    return longest
