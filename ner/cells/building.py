"""Building an index file, at once or in a process of its own: each cell under its key and its words."""

import os
import pickle
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from ...data.databases.database import Database
from ...data.databases.schema_watch import BUILD_SECONDS
from ...data.databases.sqlite_session import sqlite_file
from ...data.errors import QuerentError, RunError
from ...data.schema.schema import Schema
from ...data.whole_files import replacing
from ..language.words import key_of, near_enough, terms_of, words_of
from .cells import ColumnCells, read_columns

FORMAT = "6"
READABLE = ("5", FORMAT)
"""The older one is read beside an older network; caches are built anew."""

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE place (
    id INTEGER PRIMARY KEY, "table" TEXT, "column" TEXT, cells INTEGER, skipped INTEGER, problem TEXT
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
INSERT INTO word (rowid, terms) SELECT MIN(id), terms FROM cell WHERE terms IS NOT NULL GROUP BY terms;
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
        meta = {"format": FORMAT, "fingerprint": fingerprint, "longest": str(longest)}
        index.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())


def _write_column(index: sqlite3.Connection, place: int, column: ColumnCells) -> int:
    """Return the number of words of the longest cell."""
    index.execute(
        "INSERT INTO place VALUES (?, ?, ?, ?, ?, ?)",
        [place, column.table, column.column, column.distinct, column.skipped, column.problem],
    )
    index.executemany(
        "INSERT INTO sample VALUES (?, ?, ?)", [(place, rank, value) for rank, value in enumerate(column.samples)]
    )
    longest = 0

    def rows() -> Iterator[tuple[str, str | None, str, int, int, bool]]:
        nonlocal longest
        for text, value, count in (*((value, value, count) for value, count in column.cells), *column.synonyms):
            if words := words_of(text):
                longest = max(longest, len(words))
                key = key_of(words)
                terms = words if key.isascii() else terms_of(words)
                held = None if column.verbatim else " ".join(terms)
                yield key, held, value, place, count, near_enough(key) and not column.verbatim

    index.executemany("INSERT INTO cell (key, terms, value, place, count, near) VALUES (?, ?, ?, ?, ?, ?)", rows())
    return longest


_WAIT_SECONDS = 5.0  # for a file that another program writes
_ALL_ROWS = 10**9
_HEAD_START = 3.0  # seconds in which the first question has the disk for itself
_STALE = 3600.0  # seconds after which the process must have ended

_STARTED: dict[Path, subprocess.Popen[bytes]] = {}


@dataclass(frozen=True)
class Building:
    """An index file that another process builds; it goes on when this one ends.

    Attributes:
        path: of the file that is to be.
    """

    path: Path

    @property
    def note(self) -> Path:
        """Return the file that notes the build, or its error; it is deleted when the index is there."""
        return self.path.with_suffix(".building")

    @property
    def is_recent(self) -> bool:
        """Return whether this process had it built minutes ago: a table that changes always is not always read."""
        return self.path in _STARTED and time.time() - self.path.stat().st_mtime < BUILD_SECONDS

    @property
    def done(self) -> bool:
        """Return whether the file is there."""
        return not self.note.exists() and self.path.is_file()

    def start(self, database: str | Path, schema: Schema, fingerprint: str) -> None:
        """Begin, unless another process builds it."""
        if self.note.is_file() and time.time() - self.note.stat().st_mtime < _STALE:
            return
        with replacing(self.note) as partial:
            partial.write_text("the value index is being built", encoding="utf-8")
        run, quiet = [sys.executable, "-P", "-c", f"from {__name__} import main; main()"], subprocess.DEVNULL
        made = subprocess.Popen(run, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True)
        _STARTED[self.path] = made
        assert made.stdin is not None
        with made.stdin as stream:  # a URL may have a password, which no list of processes is to show
            pickle.dump((str(database), schema, self.path, fingerprint), stream)

    def __str__(self) -> str:
        """Return the progress in words."""
        with suppress(OSError):
            return self.note.read_text(encoding="utf-8")
        return "the value index is built"


def build(database: str | Path, schema: Schema, path: Path, fingerprint: str, *, sampled: bool = False) -> None:
    """Write the index file of a database.

    Args:
        sampled: of large tables some rows alone, which takes no long time.

    Raises:
        DatabaseError: the database is gone or locked, or takes too long.
        RunError: the index cannot be written.
    """
    try:
        with replacing(path) as partial, opened_for_building(database) as opened:
            write_index(partial, fingerprint, read_columns(opened, schema, sampled=sampled))
    except OSError as error:
        problem = f"the value index cannot be written: {error.strerror}"
        raise RunError(problem, file=path.parent, hint="give another folder as cache") from error


def opened_for_building(database: str | Path) -> Database:
    """A server has its time limit from the start; a file is waited for shortly, whatever reading it may take."""
    if sqlite_file(str(database)) is None:
        return Database.open(database, timeout=BUILD_SECONDS, max_rows=_ALL_ROWS)
    opened = Database.open(database, timeout=_WAIT_SECONDS, max_rows=_ALL_ROWS)
    opened.timeout = BUILD_SECONDS
    return opened


def main() -> None:
    """Build the index that standard input names; an error is noted beside the file."""
    database, schema, path, fingerprint = pickle.load(sys.stdin.buffer)
    if hasattr(os, "nice"):
        os.nice(10)
    time.sleep(_HEAD_START)
    note = Building(path).note
    try:
        build(database, schema, path, fingerprint)
    except QuerentError as error:
        note.write_text(f"the value index cannot be built: {error}", encoding="utf-8")
    else:
        note.unlink()
